/** Whether a share of a task's runs or results has risen compared with its own past: one rule for failures and retries. */
import { taskKeyOf } from "../../pynenc/keys.ts";
import { counted, percentage } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { earliest, evidence, type Finding } from "./finding.ts";
import { chanceFor, isMuchMore, rose, type Share, shareOf } from "./shares.ts";
import type { ComparedPeriod, GroupRise, TaskFigures, TrendFacts } from "./trend-facts.ts";

export interface Rise {
  task_id_key: string;
  now: Share;
  before: Share;
  /** The period of `before`. */
  than: ComparedPeriod;
}

/** The periods as they follow a share in a sentence. */
export const WHEN: Readonly<Record<ComparedPeriod, string>> = {
  day: "in the day before",
  week: "in the week before",
  hour_before: "in the hour before",
};

/** Maximum number of tasks named in a sentence. */
const NAMED = 3;

/** Maximum probability that what had risen earlier had done so by chance: then it is not new. */
const CHANCE_EARLIER = 1e-3;

/**
 * Tasks whose share in the last hour is much higher than in the longest period before that is known: the week, or the day, or for a younger task the
 * hour before. What had risen as much in the day before, or in the same hour of it, is not new.
 */
export function rises(trends: TrendFacts, shareIn: (figures: TaskFigures) => Share): Rise[] {
  const tasks = [...(trends.hour ?? [])];
  const chance = chanceFor(tasks.length);
  return tasks.flatMap(([task_id_key, figures]) => {
    const now = shareIn(figures);
    const shareOfPeriod = (period: ComparedPeriod | "same_hour"): Share => {
      const found = trends[period]?.get(task_id_key);
      return found === undefined ? { hits: 0, of: 0 } : shareIn(found);
    };
    const known = (...periods: ComparedPeriod[]): Rise[] =>
      periods
        .map((than) => ({ task_id_key, now, before: shareOfPeriod(than), than }))
        .filter(({ before }) => before.of > 0);
    const long = known("day", "week");
    const compared = long.length > 0 ? long : known("hour_before");
    const longest = compared.at(-1);
    if (longest === undefined || !rose(now, longest.before, chance)) return [];
    const earlier = [shareOfPeriod("day"), shareOfPeriod("same_hour")];
    if (earlier.some((one) => !isMuchMore(now, one) && rose(one, longest.before, CHANCE_EARLIER))) return [];
    return [compared.find(({ before }) => rose(now, before, chance)) ?? longest];
  });
}

/** Tasks with a higher share of failures among finished invocations than before. */
export function failingMore(trends: TrendFacts): Rise[] {
  return rises(trends, failedShare);
}

export function failedShare({ failed, finished }: Pick<TaskFigures, "failed" | "finished">): Share {
  return { hits: failed, of: finished };
}

/** Largest rise first. */
export function byRise(a: Rise, b: Rise): number {
  const rise = ({ now, before }: Rise) => now.hits / now.of - before.hits / before.of;
  return rise(b) - rise(a);
}

/** `shop.pay fails more often than before: 38 of 96 in the last hour (40 %), 1.2 % in the day before`. */
export function riseSentence(up: readonly Rise[], does: string, some: string): string {
  const [first] = up;
  if (first === undefined) return "";
  const { task_id_key, now, before, than } = first;
  if (up.length > 1) {
    return `${counted(up.length, "task")} ${some}: ${up
      .slice(0, NAMED)
      .map((one) => one.task_id_key)
      .join(", ")}${up.length > NAMED ? ", …" : ""}`;
  }
  return `${task_id_key} ${does}: ${percentage(shareOf(now) ?? 0)} in the last hour, ${percentage(shareOf(before) ?? 0)} ${WHEN[than]}`;
}

export function nameOf({ type, message }: Pick<GroupRise, "type" | "message">): string {
  if (type === null) return "Failures without a recorded exception";
  return message === null || message === "" ? type : `${type} (${message})`;
}

/** What findings about such tasks have alike. @param examples invocations; by default those of the groups that grew most. */
export function aboutRises(
  up: readonly Rise[],
  trends: TrendFacts,
  which: "failing_since" | "retrying_since",
  role: string,
  examples = up.flatMap(({ task_id_key }) => trends.rises.get(task_id_key)?.groups[0]?.invocation_ids ?? []),
): Pick<Finding, "since" | "evidence" | "count"> {
  return {
    since: sinceRise(up, trends, which),
    evidence: [...evidence("task", up.map(taskKeyOf)), ...evidence("invocation", examples, role)],
    count: up.length,
  };
}

/** The first instant at which any of these tasks had begun to fail, or to be retried, more often; null if not known for one of them. */
function sinceRise(
  up: readonly Rise[],
  { rises: more }: TrendFacts,
  which: "failing_since" | "retrying_since",
): EpochSeconds | null {
  const times = up.slice(0, NAMED).map(({ task_id_key }) => more.get(task_id_key)?.[which] ?? null);
  return times.includes(null) ? null : earliest(times.flatMap((time) => time ?? []));
}
