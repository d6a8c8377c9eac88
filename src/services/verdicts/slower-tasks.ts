/** Tasks whose runs take much longer than before. */
import { taskKeyOf } from "../../pynenc/keys.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { DurationMap } from "../../rollups/reads.ts";
import type { InvocationFacts } from "./facts.ts";
import { countOf, earliest, evidence, type Finding, numbered } from "./finding.ts";
import { WHEN } from "./rises.ts";
import { chanceFor, rose, type Share } from "./shares.ts";
import type { ComparedPeriod, Slower, TrendFacts } from "./trend-facts.ts";

/** Minimum factor by which the median has grown. */
const TIMES = 3;

/** Minimum growth of the median: what takes milliseconds takes several times as long on a busy machine. */
const MIN_SECONDS = 0.5;

/** Minimum runs in the last hour: a few that ran at the same busy moment are slow for one reason. */
const MIN_RUNS = 10;

const SHOWN = 3;

/**
 * Tasks whose median in the last hour is several times that of the longest period before that is known. Not if it was as high in the day before, or in
 * the same hour of it. Those that have become slowest come first.
 */
export function slowerByMedian(trends: TrendFacts): Slower[] {
  const slower = [...(trends.hour ?? [])].flatMap(([task_id_key, { run }]) => {
    const medianIn = (period: ComparedPeriod | "same_hour") =>
      trends[period]?.get(task_id_key)?.run.p50_seconds ?? null;
    const than = (["week", "day", "hour_before"] as const).find((period) => medianIn(period) !== null);
    const [now, before] = [run.p50_seconds, than === undefined ? null : medianIn(than)];
    if (than === undefined || now === null || before === null || run.count < MIN_RUNS) return [];
    const all = [before, medianIn("day"), medianIn("same_hour")].flatMap((median) => median ?? []);
    if (all.some((median) => now < TIMES * median || now - median < MIN_SECONDS)) return [];
    return [{ task_id_key, now, before, runs: run.count, than, since: null }];
  });
  return slower.sort((a, b) => b.now / b.before - a.now / a.before);
}

/** A duration between both medians: runs that took longer count as slow. */
export function middleOf({ now, before }: Slower): number {
  return Math.sqrt(now * before);
}

/** Whether many more runs than before are slow ones, and not by chance. @param tasks number of tasks that are compared. */
export function isSlower(one: Slower, now: DurationMap, before: DurationMap, tasks: number): boolean {
  return rose(slowShare(one, now), slowShare(one, before), chanceFor(tasks));
}

function slowShare(one: Slower, { bounds, counts }: DurationMap): Share {
  const share = { hits: 0, of: 0 };
  for (const slice of counts) {
    slice.forEach((count, range) => {
      share.of += count;
      if ((bounds[range] ?? 0) >= middleOf(one)) share.hits += count;
    });
  }
  return share;
}

export function tasksSlower({ trends }: Pick<InvocationFacts, "trends">): Finding | null {
  const slower = trends?.slower ?? [];
  const examined = { found: slower, more: trends?.slower_capped === true };
  const [first] = slower;
  if (first === undefined) return null;
  const shown = slower.slice(0, SHOWN);
  const words = shown.map(({ task_id_key, now, before, runs, than }) => {
    return `${task_id_key}: half of ${counted(runs, "run")} took ${lasting(now)} or more; ${WHEN[than]}, half took ${lasting(before)} or less.`;
  });
  const more =
    slower.length > SHOWN
      ? ` And ${examined.more ? "at least " : ""}${counted(slower.length - SHOWN, "more task")}.`
      : "";
  const names = `${shown.map(taskKeyOf).join(", ")}${more === "" ? "" : ", …"}`;
  const since = shown.map((one) => one.since);
  return {
    code: "task_slower",
    severity: "warning",
    sentence:
      slower.length === 1 && !examined.more
        ? `${names} takes ${timesWords(first)} as long as before: ${lasting(first.now)} in the last hour, ${lasting(first.before)} ${WHEN[first.than]}`
        : `${numbered(examined, "task takes", "tasks take")} several times as long as before: ${names}`,
    detail: `${words.join(" ")}${more} Only runs that ended in the last hour count.`,
    since: since.includes(null) ? null : earliest(since.flatMap((at) => at ?? [])),
    evidence: evidence("task", slower.map(taskKeyOf)),
    ...countOf(examined),
  };
}

function timesWords({ now, before }: Slower): string {
  const times = now / before;
  return `${times < 10 ? Number(times.toFixed(1)) : Math.round(times)}×`;
}
