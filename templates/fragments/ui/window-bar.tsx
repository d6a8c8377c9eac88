import type { WindowBar as Bar } from "../../../src/timeline/window-bar.ts";

const WIDTH = 1000;
/** Minimum width, so that a run of a millisecond among minutes is still visible. */
const LEAST = 12;

/** Classes by status; a word that is not here gets the plain colour. */
const TONES: ReadonlyMap<string, string> = new Map([
  ["running", "window-running"],
  ["completed", "window-completed"],
  ["abandoned", "window-abandoned"],
  ["blocked", "window-blocked"],
]);

/** When something ran, relative to the time that the whole list covers. Decorative: the row's cells contain the times. */
export function WindowBar({ bar, status }: { bar: Bar; status: string }) {
  const width = Math.min(WIDTH, Math.max(LEAST, bar.width * WIDTH));
  const left = Math.min(WIDTH - width, Math.max(0, bar.start * WIDTH));
  return (
    <svg class="window-bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="share-ground" width={WIDTH} height="8" />
      <rect class={TONES.get(status) ?? "window-other"} x={left.toFixed(1)} width={width.toFixed(1)} height="8" />
    </svg>
  );
}
