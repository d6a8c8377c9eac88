/** More messages enter the queue than leave it. */
import { counted, grouped } from "../../pynenc/numbers.ts";
import type { InvocationFacts } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";
import type { Period, TrendFacts } from "./trend-facts.ts";

/** Minimum growth in messages, in each of the last two quarters of an hour. */
const MIN_GROWTH = 20;

/** Minimum growth as a share of what arrived: the length of a nearly balanced queue varies by less. */
const MIN_GROWTH_SHARE = 0.1;

const TASKS = 3;

/** By the figures alone. */
export function isGrowing({ quarter_before, quarter }: Pick<TrendFacts, "quarter_before" | "quarter">): boolean {
  return [quarter_before, quarter].every((period) => {
    const { queued, taken } = sumOf(period ?? new Map());
    return queued - taken >= Math.max(MIN_GROWTH, MIN_GROWTH_SHARE * queued);
  });
}

export function queueGrows({ trends, queues, active }: InvocationFacts): Finding | null {
  const [before, last] = [trends?.quarter_before, trends?.quarter];
  if (trends === null || !before || !last || active === 0 || queues.unreachable !== null) return null;
  const waiting = queues.queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const [earlier, now] = [sumOf(before), sumOf(last)];
  // Whatever is not in the queue now was taken, even if the history lacks it.
  if (!isGrowing(trends) || waiting < earlier.queued - earlier.taken + now.queued - now.taken) return null;
  const most = [...last.keys()]
    .map((task): [string, number] => [task, left(last, task) + left(before, task)])
    .filter(([, growth]) => growth > 0)
    .sort(([, a], [, b]) => b - a);
  const queueNames = queues.queues.flatMap(({ waiting: here, queue_name }) => (here > 0 ? (queue_name ?? []) : []));
  const named = most.slice(0, TASKS).map(([task, growth]) => `${task} (${grouped(growth)} more)`);
  return {
    code: "queue_grows",
    severity: "warning",
    sentence: `The queue is growing: ${grouped(now.queued)} in and ${grouped(now.taken)} out in the last 15 min, ${counted(waiting, "message")} waiting`,
    detail: `In the 15 min before, ${grouped(earlier.queued)} in and ${grouped(earlier.taken)} out. Most of the growth is from ${named.join(", ")}. ${counted(active, "runner")} active: more runners or shorter runs would let it catch up.`,
    since: trends.growing_since,
    evidence: [
      ...evidence(
        "task",
        most.slice(0, TASKS).map(([task]) => task),
        "came in",
      ),
      ...evidence("queue", queueNames),
    ],
    count: waiting,
  };
}

interface Flow {
  queued: number;
  taken: number;
}

function sumOf(period: Period): Flow {
  const sum = { queued: 0, taken: 0 };
  for (const { queued, taken } of period.values()) {
    sum.queued += queued;
    sum.taken += taken;
  }
  return sum;
}

function left(period: Period, task: string): number {
  const { queued = 0, taken = 0 } = period.get(task) ?? {};
  return queued - taken;
}
