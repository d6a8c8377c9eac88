/** Whether a share of a task's runs or results has risen compared with its own past: one rule for failures and retries. */
import { counted, percentage } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { earliest } from "./finding.ts";
import { isKnown, isMuchMore, rose, type Share, shareOf } from "./shares.ts";
import type { GroupRise, Quarter, TaskFigures, TaskRise, TrendFacts } from "./trend-facts.ts";

export interface Rise {
  task_id_key: string;
  now: Share;
  before: Share;
  /** The period of `before`, as it follows a share in a sentence: `in the day before`. */
  when: string;
}

/** Maximum number of tasks named in a sentence. */
const NAMED = 3;

/** Minimum number of results in the hour, so that it can be used for comparison. */
const MIN_IN_HOUR = 20;

/**
 * Tasks whose share in the last hour is much higher than in the day and week before, as far as known, and than in the same hour of the previous day,
 * because what fails every night is not new. A younger task is compared with the hour before.
 */
export function rises(trends: TrendFacts, shareIn: (figures: TaskFigures) => Share): Rise[] {
  const { hour, hour_before, same_hour, day, week } = trends;
  return [...(hour ?? [])].flatMap(([task_id_key, figures]) => {
    const now = shareIn(figures);
    const inPeriod = (period: TrendFacts["day"], when: string) => {
      const found = period?.get(task_id_key);
      const before = found && shareIn(found);
      return before !== undefined && isKnown(before) ? [{ task_id_key, now, before, when }] : [];
    };
    const same = same_hour?.get(task_id_key);
    const usual = same && shareIn(same);
    if (usual !== undefined && usual.of >= MIN_IN_HOUR && !isMuchMore(now, usual)) return [];
    const long = [...inPeriod(day, "in the day before"), ...inPeriod(week, "in the week before")];
    const compared = long.length > 0 ? long : inPeriod(hour_before, "in the hour before");
    const [first] = compared;
    return first !== undefined && compared.every(({ before }) => rose(now, before)) ? [first] : [];
  });
}

/** Tasks with a higher share of failures among finished invocations than before. */
export function failingMore(trends: TrendFacts): Rise[] {
  return rises(trends, ({ failed, finished }) => ({ hits: failed, of: finished }));
}

/** Largest rise first. */
export function byRise(a: Rise, b: Rise): number {
  const rise = ({ now, before }: Rise) => now.hits / now.of - before.hits / before.of;
  return rise(b) - rise(a);
}

/**
 * The first quarter of the uninterrupted series up to now in which the share exceeded the midpoint between before and now; null if unknown for any of
 * the tasks.
 *
 * @param shareIn share in a quarter.
 */
export function sinceRise(
  up: readonly Rise[],
  { rises: more }: TrendFacts,
  shareIn: (quarter: Quarter) => Share,
): EpochSeconds | null {
  const times = up.slice(0, NAMED).map(({ task_id_key, now, before }): EpochSeconds | null => {
    const middle = ((shareOf(now) ?? 0) + (shareOf(before) ?? 0)) / 2;
    let since: EpochSeconds | null = null;
    for (const quarter of [...(more.get(task_id_key)?.quarters ?? [])].reverse()) {
      const share = shareIn(quarter);
      if ((shareOf(share) ?? middle) < middle) break;
      if (share.hits > 0) since = quarter.from;
    }
    return since;
  });
  return times.includes(null) ? null : earliest(times.flatMap((time) => time ?? []));
}

/** `shop.pay fails more often than before: 38 of 96 in the last hour (40 %), 1.2 % in the day before`. */
export function riseSentence(up: readonly Rise[], does: string, some: string): string {
  const [first] = up;
  if (first === undefined) return "";
  const { task_id_key, now, before, when } = first;
  if (up.length > 1) {
    return `${counted(up.length, "task")} ${some}: ${up
      .slice(0, NAMED)
      .map((one) => one.task_id_key)
      .join(", ")}${up.length > NAMED ? ", …" : ""}`;
  }
  return `${task_id_key} ${does}: ${percentage(shareOf(now) ?? 0)} in the last hour, ${percentage(shareOf(before) ?? 0)} ${when}`;
}

export function nameOf({ type, message }: GroupRise): string {
  if (type === null) return "failures without a stored exception";
  return message === null || message === "" ? type : `${type} (${message})`;
}

/** From the group that grew most. */
export function examplesOf(rise: TaskRise | undefined): readonly string[] {
  return rise?.groups[0]?.invocation_ids ?? [];
}
