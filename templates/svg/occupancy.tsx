import { count, instant, visibleLine } from "../../src/presentation/text.ts";
import type { OccupancyGeometry, OccupancyLayer } from "../../src/timeline/occupancy.ts";
import { naive, percent, trimmed } from "./numbers.ts";

export interface OccupancySvgProps {
  geometry: OccupancyGeometry;
  /** Address of the timeline of a part of the window. */
  href: (window: { start_date: string; end_date: string }) => string;
}

/** How many invocations were waiting or running at a time, by task, above the timeline on the same axis. */
export function OccupancySvg({ geometry, href }: OccupancySvgProps) {
  const { width, height, layers, slices, max } = geometry;
  return (
    <svg class="occupancy-plot" width="100%" height={height} aria-label={`At most ${count(max)} invocations at a time`}>
      <line class="grid" x1="0" x2="100%" y1="0.5" y2="0.5" />
      <line class="grid" x1="0" x2="100%" y1={height / 2} y2={height / 2} />
      <svg
        class="stretched"
        aria-hidden="true"
        width="100%"
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
      >
        {layers.map((layer) => (
          <path
            key={layer.task_id_key}
            class={layerClass(layer)}
            d={outline(layer)}
            data-task-id={layer.task_id_key ?? undefined}
          />
        ))}
      </svg>
      {slices.map(({ x, width: length, start, end, peak, total }) =>
        total === 0 ? null : (
          <a
            key={start}
            class="slice"
            href={href({ start_date: naive(start), end_date: naive(end) })}
            data-start={naive(start)}
            data-end={naive(end)}
          >
            <title>{`${instant(start)} to ${instant(end)}: at most ${count(peak)} at a time. Zoom in`}</title>
            <rect x={percent(x, width)} width={percent(length, width)} height={height} />
          </a>
        ),
      )}
      <line class="axis-line" x1="0" x2="100%" y1={height} y2={height} />
    </svg>
  );
}

/** The colour of a task in the occupancy; the same on every page. */
export function layerClass({ hue }: OccupancyLayer): string {
  return hue === null ? "task-layer task-layer-other" : `task-layer task-hue-${hue}`;
}

export function layerName({ task_id_key }: OccupancyLayer): string {
  return task_id_key === null ? "all other tasks" : visibleLine(task_id_key);
}

function outline({ columns }: OccupancyLayer): string {
  return columns
    .map(
      ({ x, y, width, height }) =>
        `M${trimmed(x)} ${trimmed(y)}h${trimmed(width)}v${trimmed(height)}h-${trimmed(width)}z`,
    )
    .join("");
}
