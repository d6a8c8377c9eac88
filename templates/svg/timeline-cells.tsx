import { count, instant, visibleLine } from "../../src/presentation/text.ts";
import type { CellsShape, PartShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { PartCount } from "../../src/timeline/parts.ts";
import { statusClass } from "../assets/status-css.ts";
import { ByLane } from "./by-lane.tsx";
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
  const full = most === 1 ? "busy all the time" : `${most.toFixed(1)} executed at a time`;
  const words = of === "events" ? "events" : "status changes";
  return [
    busy ? `Full height: ${full}` : `${count(total)} ${words}, at most ${count(most)} in a column`,
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

/** Tasks that are named. */
const NAMED = 4;

/** `charge_card 8, authorize 4, and 2 more tasks`. */
export function taskWords(tasks: PartCount["tasks"]): string {
  const named = tasks.slice(0, NAMED).map(({ task, total }) => {
    return `${visibleLine(task.split(".").at(-1) ?? task)}${total === 1 ? "" : ` ${count(total)}`}`;
  });
  const more = tasks.length - named.length;
  return [...named, ...(more > 0 ? [`and ${count(more)} more ${more === 1 ? "task" : "tasks"}`] : [])].join(", ");
}

function countWords({ total, tasks, first, last }: PartCount, what: string): string[] {
  const when =
    total === 1 ? `at ${instant(first).slice(11)}` : `${instant(first).slice(11)} to ${instant(last).slice(11)}`;
  return [`${count(total)} ${what}, ${when}`, ...(tasks.length === 0 ? [] : [taskWords(tasks)])];
}

function partTitle({ all, failed }: PartShape): string {
  return [
    ...countWords(all, all.total === 1 ? "status change" : "status changes"),
    ...(failed === null ? [] : countWords(failed, "failed or killed")),
  ].join("\n");
}

/** What columns stand for, part by part; each leads to the timeline of itself: the way to see what is only counted, also without scripts. */
export function Parts({
  geometry,
  href,
}: {
  geometry: TimelineGeometry;
  href: (window: { start_date: string; end_date: string }) => string;
}) {
  const { width } = geometry;
  return (
    <g class="slices" data-part="slices">
      <ByLane geometry={geometry} shapes={geometry.parts}>
        {(part) => (
          <a
            key={part.start}
            class="slice"
            href={href({ start_date: naive(part.start), end_date: naive(part.end) })}
            data-start={naive(part.start)}
            data-end={naive(part.end)}
            data-count={part.all.total}
            data-failed={part.failed?.total}
            data-first-failed={part.failed === null ? undefined : naive(part.failed.first)}
          >
            <title>{partTitle(part)}</title>
            <rect x={percent(part.x, width)} width={percent(part.width, width)} height={trimmed(part.height)} />
          </a>
        )}
      </ByLane>
    </g>
  );
}
