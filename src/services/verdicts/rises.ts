/** Whether a share of a task's runs or results has risen against its own past: one rule for failures and for retries. */
import { counted, percentage } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { earliest } from "./finding.ts";
import { isKnown, isMuchMore, rose, type Share, shareOf } from "./shares.ts";
import type { GroupRise, Quarter, TaskFigures, TaskRise, TrendFacts } from "./trend-facts.ts";

export interface Rise {
  task_id_key: string;
  now: Share;
  before: Share;
  /** What `before` is, as words that follow a share: `in the day before`. */
  when: string;
}

/** Tasks that a sentence names. */
const NAMED = 3;

/** So many results make an hour that others can be compared with. */
const LEAST_IN_HOUR = 20;

/**
 * Tasks of which the share is much higher in the last hour than in the day and in the week before, as far as these are known, and than in the same hour
 * of the day before, because what fails every night is not new. Of a task that is younger than that, than in the hour before.
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
    if (usual !== undefined && usual.of >= LEAST_IN_HOUR && !isMuchMore(now, usual)) return [];
    const long = [...inPeriod(day, "in the day before"), ...inPeriod(week, "in the week before")];
    const compared = long.length > 0 ? long : inPeriod(hour_before, "in the hour before");
    const [first] = compared;
    return first !== undefined && compared.every(({ before }) => rose(now, before)) ? [first] : [];
  });
}

/** Those of which more than before failed, of all that finished. */
export function failingMore(trends: TrendFacts): Rise[] {
  return rises(trends, ({ failed, finished }) => ({ hits: failed, of: finished }));
}

/** The largest rise first. */
export function byRise(a: Rise, b: Rise): number {
  const rise = ({ now, before }: Rise) => now.hits / now.of - before.hits / before.of;
  return rise(b) - rise(a);
}

/**
 * The first of the quarters until now in which the share was above the middle between then and now; null where that is not known of one of the tasks.
 *
 * @param shareIn of a quarter.
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

/** Of the group that grew most. */
export function examplesOf(rise: TaskRise | undefined): readonly string[] {
  return rise?.groups[0]?.invocation_ids ?? [];
}
