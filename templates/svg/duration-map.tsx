import type { DurationMap } from "../../src/api/stats.ts";
import { duration } from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { trimmed } from "./numbers.ts";
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
/** Round durations in seconds for its axis, which is logarithmic; those between them are named where fewer than two of these fit. */
const ROUND = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3_600, 36_000, 360_000, 3_600_000];
const BETWEEN = ROUND.flatMap((seconds) => [seconds, 2 * seconds, 5 * seconds]);
/** Least pixels from one label to the next. */
const LABEL_HEIGHT = 16;
/** Steps of colour. */
const STEPS = 5;

/** How long runs took, over time: a second kind of run is a second band, which no average shows. */
export function DurationMapSvg({ map, from, to, title }: DurationMapSvgProps) {
  const { bounds_seconds: bounds, end_seconds: longest, counts } = map;
  const most = Math.max(1, ...counts.flat());
  const shortest = bounds[0] ?? 0;
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
      <svg class="duration-map-axis small" aria-hidden="true" width="56" height={HEIGHT}>
        {axisTicks(shortest, longest).map(({ seconds, y }) => (
          <text key={seconds} x="100%" y={trimmed(y)} dy="0.35em" text-anchor="end" fill="currentColor">
            {duration(seconds)}
          </text>
        ))}
      </svg>
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

/** Durations with their distance from the top, from the bottom up, as many as there is room for; the ends where nothing round is between them. */
function axisTicks(shortest: number, longest: number): { seconds: number; y: number }[] {
  // The first range begins at 0, and counts from a microsecond.
  const log = (seconds: number) => Math.log(Math.max(seconds, 1e-6));
  const within = (all: readonly number[]) => all.filter((seconds) => seconds >= shortest && seconds <= longest);
  const ticks: { seconds: number; y: number }[] = [];
  for (const seconds of [within(ROUND), within(BETWEEN)].find((some) => some.length > 1) ?? [shortest, longest]) {
    const y = HEIGHT * (1 - (log(seconds) - log(shortest)) / (log(longest) - log(shortest)));
    if ((ticks.at(-1)?.y ?? Number.POSITIVE_INFINITY) - y >= LABEL_HEIGHT) ticks.push({ seconds, y });
  }
  return ticks;
}
