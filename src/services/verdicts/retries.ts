/** Tasks whose runs often end in retries, and tasks that fail despite retries. */
import { taskKeyOf } from "../../pynenc/keys.ts";
import { counted, percentage } from "../../pynenc/numbers.ts";
import type { EndedFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { aboutRises, byRise, failingMore, nameOf, type Rise, riseSentence, rises, WHEN } from "./rises.ts";
import { type Share, shareOf } from "./shares.ts";
import type { TaskFigures, TrendFacts } from "./trend-facts.ts";

/** Minimum share of runs that end in a retry: workers then spend much of their time repeating work. */
const MIN_SHARE = 0.25;

/** Minimum number of identified failures after retries per task: fewer may be bad luck. */
const MIN_EXHAUSTED = 3;

/** Tasks with many runs that ended in a retry, and more than before. */
export function retryingMore(trends: TrendFacts): Rise[] {
  return rises(trends, retriedShare).filter(({ now }) => (shareOf(now) ?? 0) >= MIN_SHARE);
}

export function retriedShare({ retries, started }: Pick<TaskFigures, "retries" | "started">): Share {
  return { hits: Math.min(retries, started), of: started };
}

interface Exhausted extends Rise {
  /** Some of the invocations that failed in the last hour despite retries. */
  invocation_ids: readonly string[];
}

/** Tasks that fail more often than before, with invocations that failed after retries. */
function exhausted({ trends, retried }: Pick<EndedFacts, "trends" | "retried">): Exhausted[] {
  if (trends === null) return [];
  return failingMore(trends).flatMap((one) => {
    const known = trends.rises.get(one.task_id_key)?.groups.flatMap(({ invocation_ids }) => invocation_ids) ?? [];
    const invocation_ids = [...new Set(known)].filter((id) => retried.has(id));
    return invocation_ids.length >= MIN_EXHAUSTED ? [{ ...one, invocation_ids }] : [];
  });
}

/** Those that have no such verdict of their own, largest rise first. */
export function withoutExhausted(up: readonly Rise[], facts: EndedFacts): Rise[] {
  const used = new Set(exhausted(facts).map(taskKeyOf));
  return up.filter(({ task_id_key }) => !used.has(task_id_key)).sort(byRise);
}

export function retriesExhausted(facts: EndedFacts): Finding | null {
  const up = exhausted(facts).sort(byRise);
  const ids = up.flatMap(({ invocation_ids }) => invocation_ids);
  if (up.length === 0 || facts.trends === null) return null;
  const times = ids.map((id) => facts.retried.get(id) ?? 0);
  return {
    code: "retries_exhausted",
    severity: "error",
    sentence: riseSentence(
      up,
      "fails more often than before, despite retries",
      "fail more often than before, despite retries",
    ),
    detail: `${counted(ids.length, "examined failure")} of the last hour had been retried ${retriedWords(times)}.${causeWords(up, facts.trends)} Retries did not help: fix the cause, then rerun them.`,
    ...aboutRises(up, facts.trends, "failing_since", "failed after retries", ids),
  };
}

function retriedWords(times: readonly number[]): string {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return least === most ? counted(most, "time") : `${least} to ${most} times`;
}

function causeWords(up: readonly Rise[], trends: TrendFacts | null): string {
  const most = trends?.rises.get(up[0]?.task_id_key ?? "")?.groups.find(({ failed }) => failed > 0);
  return most === undefined ? "" : ` ${nameOf(most)} rose most.`;
}

export function retryStorm(facts: EndedFacts): Finding | null {
  const { trends } = facts;
  if (trends === null) return null;
  const up = withoutExhausted(retryingMore(trends), facts);
  if (up.length === 0) return null;
  const words = up.slice(0, 3).map(({ task_id_key, now, before, than }) => {
    return `${task_id_key}: ${now.hits} of ${now.of} runs ended in a retry, ${before.hits} of ${before.of} ${WHEN[than]} (${percentage(shareOf(before) ?? 0)}).`;
  });
  return {
    code: "retry_storm",
    severity: "warning",
    sentence: riseSentence(up, "is retried much more often than before", "are retried much more often than before"),
    detail: `${words.join(" ")} Each retry queues again and takes a worker again. pynenc does not store why: look in the log.`,
    ...aboutRises(up, trends, "retrying_since", "retried"),
  };
}
