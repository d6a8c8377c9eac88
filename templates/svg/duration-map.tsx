import type { DurationMap } from "../../src/api/stats.ts";
import { count, duration } from "../../src/presentation/text.ts";

export interface DurationMapSvgProps {
  map: DurationMap;
  /** What a slice is called: its times. */
  title: (slice: number) => string;
}

const ROW = 12;
/** Steps of colour. */
const STEPS = 5;

/** How long runs took, over time: a second kind of run is a second band, which no average shows. */
export function DurationMapSvg({ map, title }: DurationMapSvgProps) {
  const { bounds, counts } = map;
  const most = Math.max(1, ...counts.flat());
  const height = bounds.length * ROW;
  const shortest = bounds[0] ?? 0;
  const longest = bounds.at(-1) ?? 0;
  return (
    <figure class="duration-map">
      <div class="duration-map-axis small" aria-hidden="true">
        <span>{duration(longest)}</span>
        <span>{duration(shortest)}</span>
      </div>
      <svg
        viewBox={`0 0 ${Math.max(1, counts.length)} ${height}`}
        preserveAspectRatio="none"
        width="100%"
        height={height}
        role="img"
        aria-label={`Runs by duration over time: from ${duration(shortest)} to ${duration(longest)}`}
      >
        {counts.flatMap((row, slice) =>
          row.flatMap((number, range) =>
            number === 0
              ? []
              : [
                  <rect
                    key={`${slice}-${range}`}
                    class="heat"
                    fill-opacity={Math.max(1, Math.ceil((Math.log1p(number) / Math.log1p(most)) * STEPS)) / STEPS}
                    x={slice}
                    y={height - (range + 1) * ROW}
                    width="1"
                    height={ROW - 1}
                  >
                    <title>{`${title(slice)}: ${count(number)} of about ${duration(bounds[range] ?? 0)}`}</title>
                  </rect>,
                ],
          ),
        )}
      </svg>
    </figure>
  );
}
