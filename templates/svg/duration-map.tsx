import type { DurationMap } from "../../src/api/stats.ts";
import { duration } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ChartTimes } from "./time-chart.tsx";

export interface DurationMapSvgProps {
  map: DurationMap;
  /** ISO 8601: shown below its ends. */
  from: string;
  to: string;
  /** What a slice is called: its times. */
  title: (slice: number) => string;
}

const HEIGHT = 114;
/** Where its axis has a duration, from the top, as shares of its height: it is logarithmic. */
const TICKS = [1, 0.75, 0.5, 0.25, 0];
/** Steps of colour. */
const STEPS = 5;

/** How long runs took, over time: a second kind of run is a second band, which no average shows. */
export function DurationMapSvg({ map, from, to, title }: DurationMapSvgProps) {
  const { bounds_seconds: bounds, end_seconds: longest, counts } = map;
  const most = Math.max(1, ...counts.flat());
  const shortest = bounds[0] ?? 0;
  // Between the ends only where they are far enough apart to differ.
  const labelled = (share: number) => share === 0 || share === 1 || (shortest > 0 && bounds.length >= TICKS.length);
  const step = (number: number) => Math.max(1, Math.ceil((Math.log1p(number) / Math.log1p(most)) * STEPS));
  // One path for each step: an element for each cell would weigh several times as much.
  const paths = Array.from({ length: STEPS }, () => "");
  counts.forEach((row, slice) => {
    row.forEach((number, range) => {
      if (number > 0) paths[step(number) - 1] += `M${slice} ${bounds.length - range - 1}h1v1h-1z`;
    });
  });
  return (
    <figure class="duration-map">
      <div class="duration-map-axis small" aria-hidden="true">
        {TICKS.map((share) => (
          <span key={share}>{labelled(share) && duration(shortest ** (1 - share) * longest ** share)}</span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${Math.max(1, counts.length)} ${bounds.length}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Runs by duration over time: from ${duration(shortest)} to ${duration(longest)}`}
      >
        {paths.map(
          (path, index) =>
            path !== "" && <path key={`step-${index}`} class="heat" fill-opacity={(index + 1) / STEPS} d={path} />,
        )}
        <g class="heat-slices">
          {counts.map((row, slice) => {
            const runs = row.reduce((sum, number) => sum + number, 0);
            if (runs === 0) return null;
            const [first, last] = [row.findIndex((n) => n > 0), row.findLastIndex((n) => n > 0)];
            return (
              <rect key={`slice-${slice}`} x={slice} width="1" height={bounds.length}>
                <title>{`${title(slice)}: ${counted(runs, "run")} of ${duration(bounds[first] ?? 0)} to ${duration(bounds[last + 1] ?? longest)}`}</title>
              </rect>
            );
          })}
        </g>
      </svg>
      <ChartTimes from={from} to={to}>
        {most > 1 && <span>darker: more runs</span>}
      </ChartTimes>
    </figure>
  );
}
