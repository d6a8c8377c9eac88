import { count as countText } from "../../src/presentation/text.ts";
import { trimmed } from "./numbers.ts";

export interface ChartSeries {
  /** Null where nothing is known: the line has a gap there. */
  values: readonly (number | null)[];
  /** Bars rise from the axis; a line is drawn at the height of each slice. */
  shape: "bars" | "line";
  /** Class of its colour and pattern. */
  tone: "plain" | "bad" | "second";
}

export interface TimeChartProps {
  /** What is shown: `Finished`. */
  label: string;
  /** Drawn in this order, each over the one before. */
  series: readonly ChartSeries[];
  /** How a value reads: `1.2 s`. */
  words: (value: number) => string;
  /** What a slice says when it is pointed at. */
  title: (slice: number) => string;
  /** Where a slice leads. */
  href: (slice: number) => string;
}

const HEIGHT = 56;
/** A value that is not 0 is visible, however small it is compared with the others. */
const LEAST = 1.5;

/** Values by slice of time, small: the greatest value is written above, times are below all charts of a strip. */
export function TimeChart({ label, series, words, title, href }: TimeChartProps) {
  const slices = Math.max(1, ...series.map(({ values }) => values.length));
  const known = series.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const most = Math.max(0, ...known);
  const highest = most === 0 ? "none" : `at most ${words(most)}`;
  const summary = known.length === 0 ? "not known" : highest;
  return (
    <figure class="time-chart">
      <figcaption>
        <span class="time-chart-label">{label}</span> <span class="time-chart-most">{summary}</span>
        <span class="time-chart-at" />
      </figcaption>
      <div class="time-chart-field">
        <svg
          class="time-chart-plot"
          viewBox={`0 0 ${slices} ${HEIGHT}`}
          preserveAspectRatio="none"
          width="100%"
          height={HEIGHT}
          aria-label={`${label}: ${summary}`}
        >
          <line class="grid" x1="0" x2={slices} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {most > 0 &&
            series.map(({ values, shape, tone }) => (
              <path key={`${shape}-${tone}`} class={`chart-${shape} chart-${tone}`} d={outline(values, shape, most)} />
            ))}
          {known.length > 0 &&
            Array.from({ length: slices }, (_, slice) => (
              <a key={`slice-${slice}`} class="chart-slice" href={href(slice)} tabindex={-1}>
                <title>{title(slice)}</title>
                <rect x={slice} width="1" height={HEIGHT} />
              </a>
            ))}
        </svg>
      </div>
    </figure>
  );
}

function outline(values: readonly (number | null)[], shape: ChartSeries["shape"], most: number): string {
  const height = (value: number) => (value <= 0 ? 0 : Math.max(LEAST, (value / most) * (HEIGHT - 2)));
  let path = "";
  let drawing = false;
  values.forEach((value, slice) => {
    if (value === null || (shape === "bars" && value <= 0)) {
      drawing = false;
      return;
    }
    const top = trimmed(HEIGHT - 1 - height(value));
    if (shape === "bars") path += `M${slice} ${HEIGHT - 1}V${top}h1V${HEIGHT - 1}z`;
    else path += drawing ? `V${top}h1` : `M${slice} ${top}h1`;
    drawing = true;
  });
  return path;
}

/**
 * A trend beside a row: counts by slice, the last one at the right. Those of `values` are failures; with `of`, they are a part of all that finished.
 *
 * @param words unless these are the numbers of failed and finished ones.
 */
export function Sparkline({
  values,
  label,
  of = [],
  words = trendWords(values, of),
}: {
  values: readonly number[];
  label: string;
  of?: readonly number[];
  words?: string;
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
      <path class="chart-bars chart-bad" d={bars(values)} />
    </svg>
  );
}

function trendWords(values: readonly number[], of: readonly number[]): string {
  const sum = (counts: readonly number[]) => countText(counts.reduce((all, value) => all + value, 0));
  if (of.length > 0) return `${sum(of)} finished, ${sum(values)} failed`;
  return `${sum(values)}, at most ${countText(Math.max(0, ...values))} in a slice`;
}
