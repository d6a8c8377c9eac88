/** Invocations that run much longer than usual for their task. */
import { invocationIdOf, taskKeyOf } from "../../pynenc/keys.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { DurationSummary } from "../../rollups/reads.ts";
import type { InvocationFacts } from "./facts.ts";
import { countOf, evidence, type Finding, numbered } from "./finding.ts";
import type { Period, TrendFacts } from "./trend-facts.ts";

/** Factor over the time that 95 of 100 runs stay within. */
const TIMES = 3;

/** Minimum number of runs to know what is usual. */
const MIN_RUNS = 30;

/** Shorter runs are never reported, however short they usually are. */
const MIN_SECONDS = 60;

const SHOWN = 3;

interface Usual {
  /** Number of runs it is based on. */
  count: number;
  /** In seconds, as the next two. */
  p95: number;
  longest: number;
  /** A duration that runs reach now and then. A single slow run does not count. */
  happens: number;
}

export function slowRuns({
  trends,
  running: { found: running, more: unread },
  now,
  waits,
  orphans,
  abandoned,
}: InvocationFacts): Finding | null {
  if (trends === null) return null;
  // Other verdicts cover these, and an invocation that waits for others is as slow as they are.
  const excused = new Set([...orphans, ...abandoned].map(invocationIdOf));
  for (const { waiter_id, waited_id } of waits.edges) {
    const waited = waits.statuses.get(waited_id);
    if (waited !== undefined && !statusInfo(waited.status).final) excused.add(waiter_id);
  }
  const slow = running
    .flatMap(({ invocation_id, task_id_key, status_timestamp }) => {
      const usual = usualOf(trends, task_id_key);
      const ran = now - status_timestamp;
      if (usual === null || excused.has(invocation_id) || ran < MIN_SECONDS) return [];
      // No surprise if several runs took as long before.
      if (ran <= TIMES * usual.p95 || ran <= usual.happens) return [];
      return [{ invocation_id, task_id_key, ran, usual, began: status_timestamp }];
    })
    .sort((a, b) => b.ran / b.usual.p95 - a.ran / a.usual.p95);
  const examined = { found: slow, more: unread };
  const [first] = slow;
  if (first === undefined) return null;
  const shown = slow.slice(0, SHOWN).map(({ invocation_id, task_id_key, ran, usual }) => {
    return `${invocation_id.slice(0, 8)} of ${task_id_key} has been running for ${lasting(Math.floor(ran))}; 95 % of ${counted(usual.count, "run")} took ${lasting(usual.p95)} or less, the longest ${lasting(usual.longest)}.`;
  });
  const more = slow.length > SHOWN ? ` And ${counted(slow.length - SHOWN, "more invocation")}.` : "";
  return {
    code: "slow_run",
    severity: "warning",
    sentence:
      slow.length === 1 && !unread
        ? `1 invocation of ${first.task_id_key} has been running for ${lasting(Math.floor(first.ran))}, usually at most ${lasting(first.usual.p95)}`
        : `${numbered(examined, "invocation")} running more than three times as long as usual`,
    detail: `${shown.join(" ")}${more} Recovery does not stop runs of active runners. See in the log what ${slow.length === 1 ? "it is" : "they are"} doing.`,
    since: Math.min(...slow.map(({ began }) => began)),
    evidence: [
      ...evidence("invocation", slow.map(invocationIdOf)),
      ...evidence("task", [...new Set(slow.map(taskKeyOf))]),
    ],
    ...countOf(examined),
  };
}

/** Minimum number of runs for a quantile, so that the longest run alone does not decide it. */
const MIN_FOR_P99 = 100;
const MIN_FOR_P95 = 20;

/** The highest quantile that does not depend on a single run; 0 if there are too few runs. */
function beyondOne({ count, p95_seconds: p95, p99_seconds: p99 }: DurationSummary): number {
  if (count >= MIN_FOR_P99) return p99 ?? 0;
  return count >= MIN_FOR_P95 ? (p95 ?? 0) : 0;
}

/** What is usual for runs of a task, from the day before, else the week, else the last hour: the first with enough runs. Null if there is none. */
function usualOf({ hour, day, week }: TrendFacts, task: string): Usual | null {
  const periods: (Period | null)[] = [day, week, hour];
  for (const period of periods) {
    const run = period?.get(task)?.run;
    if (run === undefined || run.count < MIN_RUNS || run.p95_seconds === null || run.max_seconds === null) continue;
    const lately = hour?.get(task)?.run;
    return {
      count: run.count,
      p95: run.p95_seconds,
      longest: run.max_seconds,
      // Durations that occurred repeatedly in the last hour count too.
      happens: Math.max(beyondOne(run), lately === undefined ? 0 : beyondOne(lately)),
    };
  }
  return null;
}
