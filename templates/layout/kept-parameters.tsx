import { Fragment } from "preact";
import { useLinks } from "../links.ts";

/** Keeps what pages have in common in GET forms, whose fields replace the query of the action: the app, the instant of the past, and the time range. */
export function KeptParameters({ time = true, then = true }: { time?: boolean; then?: boolean }) {
  const { app, timeRange, at } = useLinks();
  const kept = { ...(app !== null && { app }), ...(then && at !== null && { at }), ...(time && timeRange) };
  return (
    <Fragment>
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String([value].flat().at(-1) ?? "")} />
      ))}
    </Fragment>
  );
}
