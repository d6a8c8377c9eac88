import { Fragment } from "preact";
import { useLinks } from "../links.ts";

/** Keeps the pinned app in GET forms, whose fields replace the query of the action, and the time range unless the form sets it. */
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
