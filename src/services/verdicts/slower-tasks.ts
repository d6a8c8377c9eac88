/** Tasks whose runs take much longer than before. */
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { DurationMap } from "../../rollups/reads.ts";
import type { AppFacts } from "./facts.ts";
import { earliest, evidence, type Finding } from "./finding.ts";
import { WHEN } from "./rises.ts";
import { chanceFor, rose } from "./shares.ts";
import type { ComparedPeriod, Slower, TrendFacts } from "./trend-facts.ts";

/** Minimum factor by which the median has grown. */
const TIMES = 3;

/** Minimum growth of the median: what takes milliseconds takes several times as long on a busy machine. */
const MIN_SECONDS = 0.5;

/** At least the upper bound of a range of durations, as a multiple of its lower bound. */
const RANGE = 1.25;

const SHOWN = 3;

/**
 * Tasks whose median in the last hour is several times that of the longest period before that is known. Not if it was as high in the day before, or in
 * the same hour of it.
 */
export function slowerByMedian(trends: TrendFacts): Slower[] {
  return [...(trends.hour ?? [])].flatMap(([task_id_key, { run }]) => {
    const medianIn = (period: ComparedPeriod | "same_hour") => trends[period]?.get(task_id_key)?.run.p50 ?? null;
    const than = (["week", "day", "hour_before"] as const).find((period) => medianIn(period) !== null);
    const [now, before] = [run.p50, than === undefined ? null : medianIn(than)];
    if (than === undefined || now === null || before === null) return [];
    const all = [before, medianIn("day"), medianIn("same_hour")].flatMap((median) => median ?? []);
    if (all.some((median) => now < TIMES * median || now - median < MIN_SECONDS)) return [];
    const half = { hits: Math.ceil(run.count / 2), of: run.count };
    return [{ task_id_key, now, before, half, than, since: null }];
  });
}

/** Whether it is slower not by chance. @param durations of its runs in the period before. */
export function isSlower({ now, half }: Slower, { bounds, counts }: DurationMap, tasks: number): boolean {
  const before = { hits: 0, of: 0 };
  for (const slice of counts) {
    slice.forEach((count, range) => {
      before.of += count;
      // All runs of the range in which the median of now is count as long.
      if ((bounds[range] ?? 0) * RANGE > now) before.hits += count;
    });
  }
  return rose(half, before, chanceFor(tasks));
}

export function tasksSlower({ trends }: Pick<AppFacts, "trends">): Finding[] {
  const slower = [...(trends?.slower ?? [])].sort((a, b) => b.now / b.before - a.now / a.before);
  const [first] = slower;
  if (first === undefined) return [];
  const shown = slower.slice(0, SHOWN);
  const words = shown.map(({ task_id_key, now, before, half, than }) => {
    return `${task_id_key}: half of ${counted(half.of, "run")} took ${lasting(now)} or more; ${WHEN[than]}, half took ${lasting(before)} or less.`;
  });
  const more = slower.length > SHOWN ? ` And ${counted(slower.length - SHOWN, "more task")}.` : "";
  const names = `${shown.map(({ task_id_key }) => task_id_key).join(", ")}${more === "" ? "" : ", …"}`;
  const since = shown.map((one) => one.since);
  return [
    {
      code: "task_slower",
      severity: "warning",
      sentence:
        slower.length === 1
          ? `${names} runs ${timesWords(first)} as long as before: ${lasting(first.now)} in the last hour, ${lasting(first.before)} ${WHEN[first.than]}`
          : `${counted(slower.length, "task")} run several times as long as before: ${names}`,
      detail: `${words.join(" ")}${more} Counted are runs that ended in the last hour.`,
      since: since.includes(null) ? null : earliest(since.flatMap((at) => at ?? [])),
      evidence: evidence(
        "task",
        slower.map(({ task_id_key }) => task_id_key),
      ),
      count: slower.length,
    },
  ];
}

function timesWords({ now, before }: Slower): string {
  const times = now / before;
  return `${times < 10 ? Number(times.toFixed(1)) : Math.round(times)} times`;
}
