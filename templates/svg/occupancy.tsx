import { count, duration, instant } from "../../src/presentation/text.ts";
import type { OccupancyGeometry, OccupancyLayer, Peaks } from "../../src/timeline/occupancy.ts";
import type { Zoom } from "../../src/timeline/zoom-groups.ts";
import { statusClass } from "../assets/status-css.ts";
import { box, naive, percent, trimmed } from "./numbers.ts";
import { Stretched } from "./stretched.tsx";

export interface OccupancySvgProps {
  geometry: OccupancyGeometry;
  /** Address of the timeline of a part of the window. */
  href: Zoom;
}

const HATCHING = "occupancy-not-known";
const NOT_KNOWN = "How many there were is not known";

/** How many invocations were waiting or running in each slice, above the timeline on the same axis. */
export function OccupancySvg({ geometry, href }: OccupancySvgProps) {
  const { width, height, layers, slices, queue, queue_at_ends, max, unknown, overview, step } = geometry;
  const most = `Up to ${loadWords(geometry, geometry.peak, geometry.peaks)}`;
  const partWords = ({ start, end, peak, peaks, waited }: OccupancyGeometry["slices"][number]) => {
    const single = step !== null && Date.parse(end) - Date.parse(start) <= 1_000 * step;
    const load = loadWords(geometry, peak, peaks);
    const queued = `${count(waited ?? 0)} in the queue`;
    const atEnd = single
      ? `${queued} at ${instant(end).slice(11, 19)}`
      : `up to ${queued}, looked at every ${duration(step ?? 0)}`;
    return [
      single && !geometry.at_once ? load : `up to ${load}`,
      ...(waited === null ? [] : [queue_at_ends ? atEnd : `up to ${queued}`]),
    ].join(", ");
  };
  const partly = max === 0 ? NOT_KNOWN : `${most}. ${NOT_KNOWN} where it is hatched`;
  const label = unknown.length === 0 ? most : partly;
  return (
    <svg
      class="occupancy-plot"
      width="100%"
      height={height}
      aria-label={label}
      data-start={overview === null ? undefined : naive(overview.start)}
      data-end={overview === null ? undefined : naive(overview.end)}
    >
      {unknown.length > 0 && (
        <defs>
          <pattern id={HATCHING} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="hatch" width="2" height="6" />
          </pattern>
        </defs>
      )}
      <line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5" />
      <line class="grid" x1="0" x2="100%" y1={height / 2} y2={height / 2} />
      {unknown.map(({ x, width: length }) => (
        <rect key={x} fill={`url(#${HATCHING})`} x={percent(x, width)} width={percent(length, width)} height={height}>
          <title>{NOT_KNOWN}</title>
        </rect>
      ))}
      <Stretched width={geometry.width}>
        {layers.map((layer) => (
          <path key={layer.category} class={`load ${statusClass(layer.category)}`} d={outline(layer)} />
        ))}
        {queue.length > 0 && <path class="queue-line" d={queueLine(queue)} />}
      </Stretched>
      {slices.map((part) => {
        const { x, width: length, start, end, total, waited } = part;
        return total === 0 && !waited ? null : (
          <a
            key={start}
            class="slice"
            href={href({ start_date: naive(start), end_date: naive(end) })}
            data-start={naive(start)}
            data-end={naive(end)}
          >
            <title>{`${instant(start)} to ${instant(end)}: ${partWords(part)}. Zoom in`}</title>
            <rect x={percent(x, width)} width={percent(length, width)} height={height} />
          </a>
        );
      })}
      {overview !== null && (
        <rect
          class="brush"
          x={percent(overview.x, width)}
          width={percent(overview.width, width)}
          y="0.5"
          height={height - 1}
        />
      )}
      <line class="axis-line" x1="0" x2="100%" y1={height} y2={height} />
    </svg>
  );
}

/** `12 at once`, or where that is not known, `9 running, 4 pending at some time in 1 min, not all at once`. */
export function loadWords({ at_once, step }: OccupancyGeometry, peak: number, peaks: Peaks): string {
  if (at_once) return `${count(peak)} at once`;
  const each = peaks.map(({ category, most }) => `${count(most)} ${category}`).join(", ");
  return `${each || "0"} at some time in ${duration(step ?? 0)}, not all at once`;
}

function outline({ columns }: OccupancyLayer): string {
  return columns.map(({ x, y, width, height }) => box(x, y, width, height)).join("");
}

/** A level for each slice. */
function queueLine(queue: OccupancyGeometry["queue"]): string {
  return queue
    .map(({ x, width, y }, n) => `${n === 0 ? "M" : "L"}${trimmed(x)} ${trimmed(y)}H${trimmed(x + width)}`)
    .join("");
}
