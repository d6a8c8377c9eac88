import { count, instant, visibleLine } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import type { CellsShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import { statusClass } from "../assets/status-css.ts";
import { box, naive, percent, trimmed } from "./numbers.ts";

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

/** What columns count, part by part of the window; each leads to the timeline of itself: the way to see it one by one, also without scripts. */
export function Slices({
  geometry: { slices, width, height, axis },
  href,
}: {
  geometry: TimelineGeometry;
  href: (window: { start_date: string; end_date: string }) => string;
}) {
  return (
    <g class="slices" data-part="slices">
      {slices.map(({ x, width: length, start, end, total, failed }) => (
        <a
          key={start}
          class="slice"
          href={href({ start_date: naive(start), end_date: naive(end) })}
          data-start={naive(start)}
          data-end={naive(end)}
          data-count={total}
          data-failed={failed || undefined}
        >
          <title>
            {[
              `${instant(start).slice(11)} to ${instant(end).slice(11)}`,
              counted(total, "status change"),
              ...(failed === 0 ? [] : [`${count(failed)} failed or killed`]),
            ].join("\n")}
          </title>
          <rect x={percent(x, width)} width={percent(length, width)} y={axis} height={trimmed(height - axis)} />
        </a>
      ))}
    </g>
  );
}
