import { Fragment } from "preact";
import { useLinks } from "../links.ts";

/** Keeps the app of the address in GET forms, whose fields replace the query of the action, and the time range unless the form sets it. */
export function KeptParameters({ time = true }: { time?: boolean }) {
  const { app, timeRange } = useLinks();
  const kept = { ...(app !== null && { app }), ...(time && timeRange) };
  return (
    <Fragment>
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String([value].flat().at(-1) ?? "")} />
      ))}
    </Fragment>
  );
}
