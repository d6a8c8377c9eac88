import { Fragment } from "preact";
import { useLinks } from "../links.ts";

/** Keeps the pinned app across a GET form, whose fields replace the query of its action, and the time range unless the form chooses one. */
export function KeptParameters({ time = true }: { time?: boolean }) {
  const { pinnedApp, timeRange } = useLinks();
  const kept = { ...(pinnedApp !== null && { app: pinnedApp }), ...(time && timeRange) };
  return (
    <Fragment>
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={String([value].flat().at(-1) ?? "")} />
      ))}
    </Fragment>
  );
}
