import { count, instant, visibleLine } from "../../src/presentation/text.ts";
import type { BandShape, TimelineGeometry } from "../../src/timeline/geometry.ts";
import { statusClass } from "../assets/status-css.ts";
import { naive, percent, trimmed } from "./numbers.ts";

/** Status changes that are counted and not drawn: a strip per status, darker where more happened. */
export function Bands({ geometry: { bands } }: { geometry: TimelineGeometry }) {
  return (
    <g class="bands">
      {bands.map((band) => (
        <g
          key={`${band.lane_key} ${band.status}`}
          class={`band ${statusClass(band.status)}`}
          data-lane-key={band.lane_key}
          data-status={band.status}
        >
          <title>{`${visibleLine(band.status)}: ${count(band.total)} changes`}</title>
          {levels(band).map(({ level, d }) => (
            <path key={level} class={`density-${level}`} d={d} />
          ))}
        </g>
      ))}
    </g>
  );
}

/** All runs of one level as one path: a rectangle each would be ten times the bytes. */
function levels({ runs, y, height }: BandShape): { level: number; d: string }[] {
  const byLevel = new Map<number, string[]>();
  for (const { x, width, level } of runs) {
    const pieces = byLevel.get(level) ?? [];
    byLevel.set(level, pieces);
    pieces.push(`M${trimmed(x)} ${trimmed(y)}h${trimmed(width)}v${height}h-${trimmed(width)}z`);
  }
  return [...byLevel].map(([level, pieces]) => ({ level, d: pieces.join("") }));
}

/** A part of the window that leads to the timeline of itself: the way to see what is only counted, also without scripts. */
export function Slices({
  geometry: { slices, width, height, axis, foot },
  href,
}: {
  geometry: TimelineGeometry;
  href: (window: { start_date: string; end_date: string }) => string;
}) {
  return (
    <g class="slices">
      {slices.map(({ x, width: length, start, end, total }) => (
        <a
          key={start}
          class="slice"
          href={href({ start_date: naive(start), end_date: naive(end) })}
          data-start={naive(start)}
          data-end={naive(end)}
          data-count={total}
        >
          <title>{`${instant(start)} to ${instant(end)}: ${count(total)} changes, only counted. Zoom in`}</title>
          <rect x={percent(x, width)} width={percent(length, width)} y={axis} height={trimmed(height - axis - foot)} />
        </a>
      ))}
    </g>
  );
}
