/** Texts about differences between two selections, for pages and commands. */
import type { ComparedDifference, ComparedSide, Comparison } from "../api/compare.ts";
import { counted } from "../pynenc/numbers.ts";
import { count, duration, NOTHING, percentage } from "./text.ts";

/** `host b and region=eu`; for durations also which one: `host b: time running`. Not escaped yet. */
export function differenceName({ values, measure }: Pick<ComparedDifference, "values" | "measure">): string {
  const what = values.map(({ words }) => words).join(" and ");
  if (measure === "share") return what;
  const time = measure === "run" ? "time running" : "time waiting";
  return what === "" ? `${time} of all` : `${what}: ${time}`;
}

/** `12 of 40, 30 %`, or `5.10 s in 40`. */
export function sideFigure({ count: n, total, median_seconds }: ComparedDifference["here"]): string {
  if (median_seconds !== null) return `${duration(median_seconds)} in ${count(n)}`;
  return `${count(n)} of ${count(total)}, ${total === 0 ? NOTHING : percentage(n / total)}`;
}

/**
 * Run and wait of both sides as facts, of all attempts of an invocation together: `Running, median` and
 * `5.10 s (p95 9 s) in 40 of 42 selected, 1 s (p95 2 s) in 310 in the baseline`.
 */
export function medianFacts({ medians, ...sides }: Comparison): { label: string; value: string }[] {
  return medians.flatMap(({ measure, here, there }) => {
    if (here.median_seconds === null && there.median_seconds === null) return [];
    const of = (
      { count: n, median_seconds: median, p95_seconds: p95 }: ComparedDifference["here"],
      { compared }: ComparedSide,
    ) =>
      median === null || p95 === null
        ? "not known"
        : `${duration(median)} (p95 ${duration(p95)}) in ${count(n)}${n === compared ? "" : ` of ${count(compared)}`}`;
    const label = measure === "run" ? "Running, median" : "Waiting, median";
    return [{ label, value: `${of(here, sides.here)} selected, ${of(there, sides.there)} in the baseline` }];
  });
}

/** What is said of the closest differences. */
export const COULD_BE_CHANCE = "could be chance";

/** `5.1× as long`, `+74 pp`. */
export function differenceFigure({ times, apart }: Pick<ComparedDifference, "times" | "apart">): string {
  if (times !== null) return `${changeOfSize(times)} as long`;
  return changeInPoints(apart);
}

/** How far two shares are apart in percentage points: `+39 pp`, `±0 pp`. */
export function changeInPoints(apart: number): string {
  const points = Math.abs(apart) * 100;
  const shown = points >= 9.95 ? Math.round(points) : Number(points.toPrecision(points >= 1 ? 2 : 1));
  return `${shown === 0 ? "±" : apart < 0 ? "−" : "+"}${shown} pp`;
}

/** A size as a multiple of the one before: `2.1×`. */
export function changeOfSize(times: number): string {
  return `${times >= 100 ? count(Math.round(times)) : Number(times.toPrecision(2))}×`;
}

/** `2,000 of about 31,400 invocations`, `40 invocations`. */
export function sideSize({ compared, total, sample }: Pick<ComparedSide, "compared" | "total" | "sample">): string {
  const noun = compared === 1 && !sample ? "invocation" : "invocations";
  if (!sample) return `${count(compared)} ${noun}`;
  return total === null
    ? `a sample of ${count(compared)} ${noun}`
    : `a sample of ${count(compared)} of about ${count(total)} ${noun}`;
}

/** No selection was chosen, so nothing was read. */
export function nothingChosen({ here: { total, sample } }: Comparison): boolean {
  return total === null && !sample;
}

/** Name of the baseline. Not escaped yet. */
export function baselineName({ with: chosen }: Pick<Comparison, "with">): string {
  if (chosen === "rest") return "all others";
  return chosen === "before" ? "the range before" : chosen;
}

/** What the list of differences means. */
export function whatItMeans({ values, pairs, differences_total }: Comparison): string {
  if (values === 0) return "One side has too few invocations to compare.";
  const examined = `Compared ${counted(values, "value")} and ${counted(pairs, "pair")} of values.`;
  return differences_total === 0
    ? `No significant difference. ${examined}`
    : `Only significant differences are listed. ${examined}`;
}
