/** The axes of charts: round values that the y axis ends at, how they are written, and whether times have dates. */
import { coarse } from "../pynenc/numbers.ts";
import { count } from "./text.ts";

export type ChartUnit = "count" | "seconds";

/** The axis ends at one of these, in seconds; below the first and above the last, at 1, 2, 4, 6, 8 or 10 of the first digit. */
const ROUND_SECONDS = [60, 120, 240, 360, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 43_200, 86_400];

/** The smallest round value that is not below: its half is round as well. At least 1 for counts. */
export function axisEnd(most: number, unit: ChartUnit): number {
  if (unit === "count" && most <= 1) return 1;
  const rounded = unit === "seconds" && most > 40 ? ROUND_SECONDS.find((value) => value >= most) : undefined;
  if (rounded !== undefined) return rounded;
  const days = unit === "seconds" && most > 86_400 ? 86_400 : 1;
  const power = 10 ** Math.floor(Math.log10(most / days));
  const steps = [1, 2, 4, 6, 8, 10].map((step) => step * power * days);
  return steps.find((value) => value >= most * (1 - 1e-9)) ?? most;
}

const DAY_MS = 86_400_000;

/** Whether times of a range of ISO 8601 instants need dates. */
export function spansDays({ from, to }: { from: string; to: string }): boolean {
  return Date.parse(to) - Date.parse(from) > DAY_MS;
}

/** `20`, `5 s`, `200 ms`, `12 min`. */
export function axisText(value: number, unit: ChartUnit): string {
  if (unit === "count") return count(value);
  if (value >= 1) return Number.isInteger(value) || value >= 60 ? coarse(value) : `${Number(value.toPrecision(2))} s`;
  return value >= 0.001 ? `${Number((value * 1000).toPrecision(2))} ms` : `${Number((value * 1e6).toPrecision(2))} µs`;
}
