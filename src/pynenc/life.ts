/**
 * What happened to one invocation, from the entries of its history: in which order, how long each phase took, and from when on its runner was dead.
 * Everything that lists, counts, draws, searches, exports or explains histories uses these rules.
 *
 * Each entry has the time of the host that wrote it. Where clocks of hosts disagree, pynenc's transitions and the order of insertion decide, and lengths
 * that were measured between two clocks are marked.
 */
import { rowsBy } from "./groups.ts";
import type { InvocationStatusRecord } from "./records.ts";
import { statusInfo } from "./statuses.ts";
import { type EpochSeconds, integerMicros, isWithinBounds } from "./time.ts";
import { allowedInHistory, isPossibleInHistory } from "./transitions.ts";

/** A status of an invocation and when it was entered. */
export interface StatusStep {
  status: string;
  timestamp: EpochSeconds;
  /** Owner after the change, as in `HistoryRecord`. */
  status_runner_id?: string | null;
  /** Runner that made the change. */
  runner_context_id?: string | null;
}

/** Clocks that differ by less are not said to disagree: an entry takes a moment to be made. */
export const TOLERATED_SECONDS = 1;

/** What is stamped later than this after it was read is in the future. More than that, so that this does not come and go with each heartbeat. */
export const AHEAD_SECONDS = 10;

/**
 * The entries of one history in the order in which their statuses were entered: that of their times if pynenc could have written it, else that of
 * insertion, else the possible one closest to these. Entries whose times cannot be, such as the year 9999, are left out.
 *
 * @param entries of one invocation, in the order of insertion. Some may be missing.
 */
export function inOrder<Step extends StatusStep>(entries: readonly Step[]): Step[] {
  const inserted = entries.filter(({ timestamp }) => isWithinBounds(timestamp));
  const byTime = [...inserted].sort((a, b) => a.timestamp - b.timestamp);
  if (contradictions(byTime) === 0) return byTime;
  if (contradictions(inserted) === 0) return inserted;
  return possibleOrder(byTime) ?? (contradictions(inserted) < contradictions(byTime) ? inserted : byTime);
}

/** How often an entry cannot follow the one before it. Nothing at all comes before a registration or after a final status. */
function contradictions(entries: readonly StatusStep[]): number {
  let found = 0;
  for (let at = 1; at < entries.length; at++) {
    const [from, to] = [entries[at - 1]?.status ?? "", entries[at]?.status ?? ""];
    if (!isPossibleInHistory(from, to)) found += to === "registered" || statusInfo(from).final ? 2 : 1;
  }
  return found;
}

/** Takes the earliest of the entries that may come next, until all are taken; null if that leads nowhere. */
function possibleOrder<Step extends StatusStep>(byTime: readonly Step[]): Step[] | null {
  const waiting = rowsBy([...byTime].reverse(), (entry) => entry.status);
  const ordered: Step[] = [];
  for (let words: readonly string[] = ["registered"]; ordered.length < byTime.length; ) {
    let next: Step | undefined;
    for (const word of words) {
      const first = waiting.get(word)?.at(-1);
      if (first !== undefined && (next === undefined || first.timestamp < next.timestamp)) next = first;
    }
    if (next === undefined) return null;
    waiting.get(next.status)?.pop();
    ordered.push(next);
    words = allowedInHistory(next.status);
  }
  return ordered;
}

/**
 * The statuses of one invocation in order. The orchestrator's status is appended if the history does not have it yet: the entry is written after the
 * change, and may be lost.
 *
 * @param entries as for `inOrder`.
 */
export function statusSteps(
  status: InvocationStatusRecord | undefined,
  entries: readonly StatusStep[],
): readonly StatusStep[] {
  const steps = inOrder(entries);
  const last = steps.at(-1);
  if (status === undefined || !isWithinBounds(status.status_timestamp)) return steps;
  const { status: word, status_timestamp: timestamp, status_runner_id } = status;
  if (last?.status === word || steps.some((step) => step.status === word && step.timestamp === timestamp)) return steps;
  const isNewer = last === undefined || timestamp >= last.timestamp || isPossibleInHistory(last.status, word);
  return isNewer ? [...steps, { status: word, timestamp, status_runner_id }] : steps;
}

/** The entries of several histories, each in its order. */
export function historiesInOrder<Step extends StatusStep & { invocation_id: string }>(
  entries: Iterable<Step>,
): Map<string, Step[]> {
  const histories = rowsBy(entries, (entry) => entry.invocation_id);
  for (const [id, history] of histories) {
    const ordered = inOrder(history);
    if (ordered.length > 0) histories.set(id, ordered);
    else histories.delete(id);
  }
  return histories;
}

/**
 * The first and the last entry of a history that was not read in full; null without entries. Nothing comes before the registration, and
 * nothing after a final status. Otherwise the last one is the latest, unless the clocks disagree about which that is.
 *
 * @param entries in the order of insertion.
 */
export function endsOf<Step extends StatusStep>(entries: readonly Step[]): { first: Step; last: Step } | null {
  const [earliest, latest, inserted] = [
    entries.reduce<Step | undefined>((a, b) => (a === undefined || b.timestamp < a.timestamp ? b : a), undefined),
    entries.reduce<Step | undefined>((a, b) => (a === undefined || b.timestamp >= a.timestamp ? b : a), undefined),
    entries.at(-1),
  ];
  if (earliest === undefined || latest === undefined || inserted === undefined) return null;
  const newest = latest.timestamp - inserted.timestamp > TOLERATED_SECONDS ? inserted : latest;
  return {
    first: entries.find(({ status }) => status === "registered") ?? earliest,
    last: entries.findLast(({ status }) => statusInfo(status).final) ?? newest,
  };
}

/**
 * An entry at its place in time: its own time, or if that lies before the entry it follows, the time of that one. Then later entries by the same clock are
 * moved by as much, so that lengths on one clock stay what they are.
 */
export interface TimedStep<Step> {
  entry: Step;
  at: EpochSeconds;
  /** The runner whose clock the time is from, or its host; null if not known. */
  clock: string | null;
  /** Seconds between its own time and `at`. */
  moved: number;
  /** Up to here, the clocks of the hosts contradict each other, by more than `TOLERATED_SECONDS`, or one of several is known to be ahead. */
  clocks_disagree: boolean;
}

/** The host of a runner; undefined if not known. Then the runner counts as a clock of its own. */
export type HostOf = (runner_id: string) => string | undefined;

/**
 * What is said of an entry depends on those up to it alone, so that it stays the same when others are written later.
 *
 * @param history in the order of `inOrder`.
 * @param ahead runners whose clocks are known to be ahead.
 */
export function timed<Step extends StatusStep>(
  history: readonly Step[],
  hostOf?: HostOf,
  ahead: ReadonlySet<string> = new Set(),
): TimedStep<Step>[] {
  const clockOf = (runner: string) => hostOf?.(runner) ?? runner;
  const areAhead = new Set([...ahead].map(clockOf));
  const isAhead = (clock: string | null) => clock !== null && areAhead.has(clock);
  const movedBy = new Map<string | null, number>();
  let last: string | null = null;
  let reached = Number.NEGATIVE_INFINITY;
  let clocks_disagree = false;
  let before: Step | undefined;
  return history.map((entry): TimedStep<Step> => {
    const writer = writerOf(entry, before);
    const clock = writer === null ? null : clockOf(writer);
    if (before !== undefined && clock !== last && (isAhead(clock) || isAhead(last))) clocks_disagree = true;
    last = clock;
    let moved = movedBy.get(clock) ?? 0;
    const behind = reached - (entry.timestamp + moved);
    if (behind > TOLERATED_SECONDS) {
      clocks_disagree = true;
      moved += behind;
      // Of an unknown clock nothing follows for others.
      if (clock !== null) movedBy.set(clock, moved);
    }
    reached = Math.max(reached, entry.timestamp + moved);
    before = entry;
    return { entry, at: reached, clock, moved, clocks_disagree };
  });
}

/** Who made a change: only the owner can move an invocation on, except that recoveries take it away (storage-format.md 2.2). */
function writerOf(entry: StatusStep, before: StatusStep | undefined): string | null {
  const { requires_ownership, overrides_ownership } = statusInfo(entry.status);
  const owned = before !== undefined && statusInfo(before.status).requires_ownership && !overrides_ownership;
  const owner = owned ? before.status_runner_id : requires_ownership ? entry.status_runner_id : null;
  return owner ?? entry.runner_context_id ?? null;
}

/** Whether the time between two steps was measured by two clocks that disagree. Then its length is not known. */
export function isAcrossClocks<Step>(from: TimedStep<Step>, to: TimedStep<Step>): boolean {
  if (!to.clocks_disagree) return false;
  return from.clock === null || from.clock !== to.clock || Math.abs(from.moved - to.moved) > TOLERATED_SECONDS;
}

/** What is stored about whether runners are alive. */
export interface SignsOfLife {
  /** Last heartbeat of each runner, without runners that have none stored. */
  heard: ReadonlyMap<string, EpochSeconds>;
  /** A runner whose last heartbeat is older, or missing, counts as silent now; null if heartbeats are not stored or not known. */
  dead_before: EpochSeconds | null;
  /** Runners whose last heartbeat is of a time that has not come yet, so that their clocks are ahead. */
  ahead?: ReadonlySet<string>;
}

export const NO_SIGNS_OF_LIFE: SignsOfLife = { heard: new Map(), dead_before: null };

/** Statuses in which a runner works on an invocation. */
const WORKING: readonly string[] = ["running", "resumed"];

/** Statuses for which it matters whether the runner is alive. */
const HELD: readonly string[] = [...WORKING, "paused"];

/**
 * Since when the runner of a status has been dead, given that it held the invocation from `from` to `to`: since its last sign of life, which is its last
 * heartbeat or the entry of the status itself. Null if it was alive, and `not_known` if it counted as silent but no heartbeat of it is stored.
 *
 * @param next the status that followed; null if it lasts until now. A runner that counts as silent is taken its invocation by a recovery.
 */
export function deadSince(
  { entry, moved, at: from }: Pick<TimedStep<StatusStep>, "entry" | "moved" | "at">,
  next: string | null,
  to: EpochSeconds,
  { heard, dead_before }: SignsOfLife,
): EpochSeconds | "not_known" | null {
  const runner = entry.status_runner_id ?? null;
  if (runner === null || !HELD.includes(entry.status)) return null;
  const last = heard.get(runner);
  if (next === null) {
    if (dead_before === null || (last !== undefined && last >= dead_before)) return null;
  } else if (next !== "running_recovery") return null;
  if (last === undefined) return "not_known";
  const silent = Math.max(from, last + moved);
  return silent >= to ? null : silent;
}

/** Runners whose last heartbeat `deadSince` needs: those of a status that a recovery ended, or that has not ended. */
export function doubtfulRunners(history: readonly StatusStep[]): string[] {
  return history.flatMap(({ status, status_runner_id: runner }, at) => {
    const next = history[at + 1]?.status;
    const doubtful = HELD.includes(status) && (next === undefined || next === "running_recovery");
    return doubtful && runner != null ? [runner] : [];
  });
}

/** What an invocation was doing. `dead_runner`: it was held by a runner that had died. `not_known`: the rows do not say. */
export type LifePhase = "queued" | "pending" | "running" | "paused" | "waiting" | "dead_runner" | "not_known";

const PHASE_OF_STATUS: Readonly<Record<string, LifePhase>> = {
  registered: "queued",
  rerouted: "queued",
  retry: "queued",
  pending: "pending",
  running: "running",
  resumed: "running",
  paused: "paused",
  concurrency_controlled: "waiting",
  pending_recovery: "waiting",
  running_recovery: "waiting",
  killed: "waiting",
};

/** The phase that a status starts; null for final and unknown statuses. */
export function phaseOf(status: string): LifePhase | null {
  return PHASE_OF_STATUS[status] ?? null;
}

/** Integer microseconds since 1970. */
export type Micros = number;

/** Time in one status, or a part of it. */
export interface Stretch {
  from: Micros;
  to: Micros;
  status: string;
  phase: LifePhase;
  /** From 1; each return to the queue begins another. */
  attempt: number;
  /** The runner that owned it; null while there was none, and where the phase is not known. */
  runner: string | null;
  /** Not ended yet: `to` is now. */
  ongoing: boolean;
  /** The status entered at its end; null if it has not ended or the entry is missing. */
  next: string | null;
  /** Measured between two clocks that disagree: its length is not known. */
  across_clocks: boolean;
}

/**
 * The stretches of one life, in order and without gaps or overlaps. If two statuses cannot follow each other, an entry is missing between them, so it is
 * not known when the first one ended. A final status is never ongoing.
 *
 * @param history in the order of `inOrder`.
 * @param now end of the last status if it is not final; null if the end is not known, and then the last status has no stretch.
 */
export function lifeStretches(
  history: readonly StatusStep[],
  now: EpochSeconds | null,
  signs: SignsOfLife,
  hostOf?: HostOf,
): Stretch[] {
  const life = timed(history, hostOf, signs.ahead);
  const found: Stretch[] = [];
  let attempt = 1;
  for (const [index, step] of life.entries()) {
    const { status, status_runner_id } = step.entry;
    if (index > 0 && (status === "retry" || status === "rerouted")) attempt++;
    const next = life[index + 1];
    const ongoing = next === undefined;
    if (ongoing && (now === null || statusInfo(status).final)) continue;
    const to = Math.max(next?.at ?? now ?? step.at, step.at);
    const known = ongoing || isPossibleInHistory(status, next.entry.status);
    const phase = (known ? phaseOf(status) : null) ?? "not_known";
    const runner = statusInfo(status).requires_ownership ? (status_runner_id ?? null) : null;
    // Now is by another clock, which the one that was moved does not agree with either.
    const across_clocks = ongoing
      ? step.moved > TOLERATED_SECONDS || (now !== null && step.at - now > TOLERATED_SECONDS)
      : isAcrossClocks(step, next);
    const part = (begin: EpochSeconds, end: EpochSeconds, its: LifePhase): Stretch => ({
      from: integerMicros(begin),
      to: integerMicros(end),
      status,
      phase: its,
      attempt,
      runner: its === "not_known" ? null : runner,
      ongoing: ongoing && end === to,
      next: known && end === to ? (next?.entry.status ?? null) : null,
      across_clocks,
    });
    const dead = known ? deadSince(step, next?.entry.status ?? null, to, signs) : null;
    if (dead === null) found.push(part(step.at, to, phase));
    else if (dead === "not_known") found.push(part(step.at, to, "not_known"));
    else {
      if (dead > step.at) found.push(part(step.at, dead, phase));
      found.push(part(dead, to, "dead_runner"));
    }
  }
  return found;
}

/** Time in one phase of a life. */
export interface PhaseDuration {
  phase: LifePhase;
  duration_seconds: number;
  /** Separate periods. */
  stretches: number;
  /** It has not ended yet. */
  ongoing: boolean;
  /** A part of it was measured between two clocks that disagree, so its length is not known. */
  across_clocks?: true;
}

/** Adds the stretches up, because the span from the first to the last run would include the time between two runs (storage-format.md 2.4). */
export function phaseDurations(stretches: readonly Stretch[]): PhaseDuration[] {
  const found = new Map<LifePhase, PhaseDuration & { micros: Micros }>();
  let previous: LifePhase | null = null;
  for (const { phase, from, to, ongoing, across_clocks } of stretches) {
    const sum = found.get(phase) ?? { phase, micros: 0, duration_seconds: 0, stretches: 0, ongoing: false };
    sum.micros += to - from;
    sum.duration_seconds = sum.micros / 1e6;
    if (phase !== previous) sum.stretches++;
    sum.ongoing ||= ongoing;
    if (across_clocks) sum.across_clocks = true;
    found.set(phase, sum);
    previous = phase;
  }
  return [...found.values()].map(({ micros: _, ...phase }) => phase);
}

/** Seconds that were measured by one clock: what it took at least. */
export function measuredSeconds(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to, across_clocks }) => sum + (across_clocks ? 0 : to - from), 0) / 1e6;
}

/** Seconds in these phases; null if the length of one of them is not known. */
export function secondsIn(stretches: readonly Stretch[], phases: readonly LifePhase[]): number | null {
  let sum = 0;
  for (const { status, phase, from, to, across_clocks } of stretches) {
    const wanted = phases.includes(phase);
    if (wanted && !across_clocks) sum += to - from;
    else if (wanted || (phase === "not_known" && phases.includes(phaseOf(status) ?? "not_known"))) return null;
  }
  return sum / 1e6;
}
