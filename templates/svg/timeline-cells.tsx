import { count, instant, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import type { CellsShape, SliceShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { Zoom } from "../../src/timeline/zoom-groups.ts";
import { statusClass } from "../assets/status-css.ts";
import { box, naive, percent, trimmed } from "./numbers.ts";
import { laneName } from "./timeline-lanes.tsx";

/** Lanes without room for all their bars: columns over time, failures on top of each. */
export function Cells({ geometry: { cells } }: { geometry: TimelineGeometry }) {
  return (
    <g class="cells" data-part="cells">
      {cells.map((lane) => (
        <g
          key={lane.lane_key}
          class={`lane-cells lane-cells-${lane.of}`}
          data-lane-key={lane.lane_key}
          data-count={lane.total}
          data-failed={lane.failed}
        >
          <title>{titleOf(lane)}</title>
          <path
            class={lane.busy ? `cell cell-busy ${statusClass("running")}` : "cell"}
            d={columns(lane, (run) => [run.failedHeight, run.height])}
          />
          {lane.failed > 0 && (
            <path class={`cell-failed ${statusClass("failed")}`} d={columns(lane, (run) => [0, run.failedHeight])} />
          )}
        </g>
      ))}
    </g>
  );
}

function titleOf({ of, total, most, busy, statuses }: CellsShape): string {
  const full = most === 1 ? "one running throughout" : `${most.toFixed(1)} running`;
  const words = of === "events" ? "events" : "status changes";
  return [
    busy
      ? `Height: how many ran, on average; full height is ${full}\nStatus changes here:`
      : `${count(total)} ${words}, at most ${count(most)} in a column`,
    ...statuses.map(({ status, total: n }) => `${visibleLine(status)} ${count(n)}`),
  ].join("\n");
}

/** All as one path: a rectangle each would be ten times the bytes. @param part from the top of the column to below it. */
function columns(
  { runs, y, height }: CellsShape,
  part: (run: CellsShape["runs"][number]) => [from: number, to: number],
): string {
  return runs
    .flatMap((run) => {
      const [from, to] = part(run);
      if (to <= from) return [];
      return box(run.x, y + height - run.height + from, run.width, to - from);
    })
    .join("");
}

/** Lanes that the title of a slice names. */
const NAMED = 5;

/** `3 failed or killed: charge_card 2, authorize 1`. */
function failuresOf({ failed }: SliceShape, lanes: TimelineGeometry["lanes"]): string[] {
  if (failed.length === 0) return [];
  const inLanes = failed.flatMap(({ lane_key, count: n }) => {
    const lane = lanes.find(({ key }) => key === lane_key);
    return lane === undefined ? [] : [`${laneName(lane)} ${count(n)}`];
  });
  const more = inLanes.length > NAMED ? [counted(inLanes.length - NAMED, "more lane")] : [];
  const where = inLanes.length === 0 ? "" : `: ${[...inLanes.slice(0, NAMED), ...more].join(", ")}`;
  return [`${count(failedIn(failed))} failed or killed${where}`];
}

function failedIn(failed: SliceShape["failed"]): number {
  return failed.reduce((sum, { count: n }) => sum + n, 0);
}

/** What columns count, part by part of the window; each leads to the timeline of itself: the way to see it one by one, also without scripts. */
export function Slices({
  geometry: { lanes, slices, width, height, axis },
  href,
}: {
  geometry: TimelineGeometry;
  href: Zoom;
}) {
  return (
    <g class="slices" data-part="slices">
      {slices.map((slice) => (
        <a
          key={slice.start}
          class="slice"
          href={href({ start_date: naive(slice.start), end_date: naive(slice.end) })}
          data-start={naive(slice.start)}
          data-end={naive(slice.end)}
          data-count={slice.total}
          data-failed={failedIn(slice.failed) || undefined}
        >
          <title>
            {[
              `${instant(slice.start).slice(11)} to ${instant(slice.end).slice(11)}`,
              counted(slice.total, "status change"),
              ...failuresOf(slice, lanes),
            ].join("\n")}
          </title>
          <rect
            x={percent(slice.x, width)}
            width={percent(slice.width, width)}
            y={axis}
            height={trimmed(height - axis)}
          />
        </a>
      ))}
    </g>
  );
}
