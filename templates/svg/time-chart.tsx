import type { ComponentChildren } from "preact";
import { axisEnd, axisText, type ChartUnit, spansDays } from "../../src/presentation/chart-scale.ts";
import { count as countText, duration, instant } from "../../src/presentation/text.ts";
import { inAddress, isoFromEpoch } from "../../src/pynenc/time.ts";
import { Time } from "../fragments/ui/time.tsx";
import { trimmed } from "./numbers.ts";

export interface ChartSeries {
  /** Null where nothing is known: the line has a gap there. */
  values: readonly (number | null)[];
  /** Bars rise from the axis; a line is drawn at the height of each slice. */
  shape: "bars" | "line";
  /** Class of its colour and pattern. */
  tone: "plain" | "bad" | "warn" | "second";
}

export interface TimeChartProps {
  /** What is shown: `Finished`. */
  label: string;
  /** Shown above instead of the label. */
  head?: ComponentChildren;
  /** Drawn in this order, each over the one before. */
  series: readonly ChartSeries[];
  unit: ChartUnit;
  /** ISO 8601: shown below its ends. */
  from: string;
  to: string;
  /** When the first slice begins, and how long each is. */
  start: string;
  seconds: number;
  /** The value of a slice: `2 finished`. */
  words: (slice: number) => string;
  /** What was at the end of each slice, not what happened in it. */
  ends?: boolean | undefined;
  /** What happened in a part of the range. */
  href: (range: { from: string; to: string }) => string;
  /** As high as beside a large figure. */
  tall?: boolean | undefined;
  /** There is room for dates with hours. */
  wide?: boolean;
}

const HEIGHT = 56;
const TALL = 96;
/** A value that is not 0 is visible, however small it is compared with the others. */
const LEAST = 1.5;
/** A single duration this many times the next one is cut. */
const OUTLIER = 10;
/** Most links of a chart: one for each slice would weigh more than the rest of a page. Scripts aim them at single slices (client/stats-strip.ts). */
const LINKS = 12;

/** Values by slice of time, with two grid lines and their values at the right, and times below. */
export function TimeChart(props: TimeChartProps) {
  const {
    label,
    head,
    series,
    unit,
    from,
    to,
    start,
    seconds,
    words,
    ends = false,
    tall = false,
    wide = false,
  } = props;
  const slices = Math.max(1, ...series.map(({ values }) => values.length));
  const known = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const most = Math.max(0, ...known);
  const [, next = 0] = [...known].sort((a, b) => b - a);
  // One exceptional slice does not flatten all others: it goes to the top of their axis.
  const beyond = unit === "seconds" && next > 0 && most > OUTLIER * next;
  const top = most === 0 ? 0 : axisEnd(beyond ? next : most, unit);
  // Half of one thing is nothing that could be counted.
  const ticks = top === 0 ? [] : unit === "count" && top % 2 === 1 ? [top] : [top, top / 2];
  const height = tall ? TALL : HEIGHT;
  const valueWords = unit === "count" ? countText : duration;
  const summary = known.length === 0 ? "not known" : most === 0 ? "none" : `peak ${valueWords(most)}`;
  const days = spansDays({ from, to });
  return (
    <figure class="time-chart">
      <figcaption>{head ?? <span class="time-chart-label">{label}</span>}</figcaption>
      <div class={known.length === 0 ? "time-chart-field time-chart-unknown" : "time-chart-field"}>
        <svg
          class="time-chart-plot"
          viewBox={`0 0 ${slices} ${height}`}
          preserveAspectRatio="none"
          width="100%"
          height={height}
          aria-label={`${label}: ${summary}`}
          data-from={inAddress(start)}
          data-to={inAddress(to)}
          data-step={seconds}
          data-days={days ? "" : undefined}
          data-ends={ends ? "" : undefined}
          data-words={known.length === 0 ? undefined : Array.from({ length: slices }, (_, i) => words(i)).join("\n")}
        >
          {[0, ...ticks].map((tick) => {
            const y = trimmed(height - 0.5 - (tick === 0 ? 0 : (tick / top) * (height - 1)));
            return <line key={tick} class="grid" x1="0" x2={slices} y1={y} y2={y} />;
          })}
          {most > 0 &&
            series.map(({ values, shape, tone }) => (
              <path
                key={`${shape}-${tone}`}
                class={`chart-${shape} chart-${tone}`}
                d={outline(values, shape, top, height)}
              />
            ))}
          {beyond && <path class="chart-line chart-second" d={beyondTop(series, top, height)} />}
          {most > 0 && <Links {...props} slices={slices} height={height} days={days} />}
        </svg>
      </div>
      <div class="time-chart-ticks small" aria-hidden="true">
        {known.length === 0 ? (
          <span>not known</span>
        ) : (
          ticks.map((tick) => <span key={tick}>{axisText(tick, unit) + (beyond && tick === top ? "+" : "")}</span>)
        )}
      </div>
      <ChartTimes from={from} to={to} wide={wide}>
        <span class="time-chart-at" />
      </ChartTimes>
    </figure>
  );
}

/** A slice whose value is beyond the axis reaches through all of it. */
function beyondTop(series: TimeChartProps["series"], top: number, height: number): string {
  return series
    .flatMap(({ values }) =>
      values.map((value, slice) => (value !== null && value > top ? `M${slice + 0.5} 0V${height}` : "")),
    )
    .join("");
}

/** Below a chart: the ends of its time, and what else is to know in between. */
export function ChartTimes({
  from,
  to,
  wide = false,
  children,
}: Pick<TimeChartProps, "from" | "to" | "wide"> & { children?: ComponentChildren }) {
  const days = spansDays({ from, to }) || (wide && from.slice(0, 10) !== to.slice(0, 10));
  const form = days ? (wide ? { minute: true } : { day: { previous: null } }) : { clock: true, minute: true };
  return (
    <p class="time-chart-times small">
      <Time iso={from} {...form} />
      {children}
      <Time iso={to} {...form} />
    </p>
  );
}

/** Links to groups of slices in which something happened. */
function Links({
  series,
  to,
  start,
  seconds,
  words,
  ends,
  href,
  slices,
  height,
  days,
}: TimeChartProps & { slices: number; height: number; days: boolean }) {
  const size = Math.ceil(slices / LINKS);
  const at = (slice: number) =>
    inAddress(slice >= slices ? to : isoFromEpoch(Date.parse(start) / 1_000 + slice * seconds));
  const value = (slice: number) => Math.max(0, ...series.map(({ values }) => values[slice] ?? 0));
  const time = (iso: string) => instant(iso).slice(days ? 0 : 11, 16);
  return Array.from({ length: Math.ceil(slices / size) }, (_, group) => {
    const first = group * size;
    const end = Math.min(slices, first + size);
    let peak = first;
    for (let slice = first; slice < end; slice++) if (value(slice) > value(peak)) peak = slice;
    if (value(peak) === 0) return null;
    const range = { from: at(first), to: at(end) };
    const highest = ends ? `highest, counted every ${duration(seconds)}` : `highest ${duration(seconds)}`;
    const said = end - first > 1 ? `${highest}: ${words(peak)}` : words(peak);
    return (
      <a key={`from-${first}`} href={href(range)} tabindex={-1}>
        <title>{`${time(range.from)} to ${time(range.to)} UTC\n${said}`}</title>
        <rect x={first} width={end - first} height={height} />
      </a>
    );
  });
}

function outline(values: readonly (number | null)[], shape: ChartSeries["shape"], top: number, bottom: number): string {
  const height = (value: number) => (value <= 0 ? 0 : Math.max(LEAST, Math.min(1, value / top) * (bottom - 1)));
  let path = "";
  let drawing = false;
  values.forEach((value, slice) => {
    if (value === null || (shape === "bars" && value <= 0)) {
      drawing = false;
      return;
    }
    const y = trimmed(bottom - height(value));
    if (shape === "bars") path += `M${slice} ${bottom}V${y}h1V${bottom}z`;
    else path += drawing ? `V${y}h1` : `M${slice} ${y}h1`;
    drawing = true;
  });
  return path;
}

/**
 * A trend beside a row: counts by slice, the last one at the right. Those of `values` are failures, or with `retries` runs that were retried; with `of`, they
 * are a part of all that finished.
 *
 * @param words unless these are the numbers of failed and finished ones.
 */
export function Sparkline({
  values,
  label,
  of = [],
  retries = false,
  words = trendWords(values, of),
}: {
  values: readonly number[];
  label: string;
  of?: readonly number[];
  retries?: boolean;
  words?: string | undefined;
}) {
  const slices = Math.max(values.length, of.length);
  const most = Math.max(1, ...values, ...of);
  const bars = (counts: readonly number[]) =>
    counts
      .map((value, i) => (value === 0 ? "" : `M${i} 15V${trimmed(15 - Math.max(1.5, (value / most) * 14))}h1V15z`))
      .join("");
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${Math.max(1, slices)} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${words}`}
    >
      <title>{words}</title>
      <line class="grid" x1="0" x2={slices} y1="15.5" y2="15.5" />
      {of.length > 0 && <path class="chart-bars chart-plain" d={bars(of)} />}
      <path class={`chart-bars ${retries ? "chart-warn" : "chart-bad"}`} d={bars(values)} />
    </svg>
  );
}

function trendWords(values: readonly number[], of: readonly number[]): string {
  const sum = (counts: readonly number[]) => countText(counts.reduce((all, value) => all + value, 0));
  if (of.length > 0) return `${sum(of)} finished, ${sum(values)} of them failed`;
  return `${sum(values)}, at most ${countText(Math.max(0, ...values))} in one bar`;
}
