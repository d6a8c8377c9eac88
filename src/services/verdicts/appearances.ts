/** Detects when a verdict newly appears and when it ends, so that alarms report each once. */
import type { Evidence, Verdict, VerdictCode } from "../../api/verdicts.ts";
import type { FoundVerdict } from "./verdicts.ts";

/** Kinds of things that persist. A verdict on invocations counts as the same one even if it names other invocations. */
const LASTING: readonly Evidence["kind"][] = ["task", "queue", "trigger", "condition"];

/** A verdict is gone after this many seconds without it. A check that ran out of time may miss a verdict once. */
const GONE_AFTER = 60;

/** Codes that compare with the past: while the history is still being read, they may be found late. */
const COMPARING: ReadonlySet<VerdictCode> = new Set<VerdictCode>([
  "failure_rate_up",
  "retries_exhausted",
  "retry_storm",
  "slow_run",
  "task_slower",
  "queue_grows",
  "app_silent",
]);

/** Identifies a verdict across checks: its code and the tasks or queues it is about. */
export function verdictKey({ code, evidence }: Pick<Verdict, "code" | "evidence">): string {
  const [first] = evidence;
  if (first === undefined || !LASTING.includes(first.kind)) return code;
  const ids = evidence.filter(({ kind }) => kind === first.kind).map(({ id }) => id);
  return JSON.stringify([code, ...ids.sort()]);
}

/** A verdict that was found, as it is kept over restarts. */
export interface KeptVerdict {
  key: string;
  verdict: FoundVerdict;
}

export interface Changes {
  appeared: FoundVerdict[];
  /** As they were found last. */
  ended: FoundVerdict[];
}

export class Appearances {
  /** What was found, with when it was found last, in seconds of the clock. Null before the first check. */
  #known: Map<string, { at: number; verdict: FoundVerdict }> | null = null;
  readonly #started: string;
  readonly #kept: readonly KeptVerdict[] | null;

  /**
   * @param started ISO 8601: problems that began earlier are not new.
   * @param kept what was known when the program ended last: what is not among it is new at the first check already. Null if nothing is kept.
   */
  constructor(started: string, kept: readonly KeptVerdict[] | null = null) {
    this.#started = started;
    this.#kept = kept;
  }

  /** What is known, to be kept. */
  get known(): KeptVerdict[] {
    return [...(this.#known ?? [])].map(([key, { verdict }]) => ({ key, verdict }));
  }

  /**
   * Verdicts that are new since the last check, and those that have ended; none are new at the first check ever. Muted verdicts are ignored: they do
   * not end, and appear once they are unmuted.
   *
   * @param at seconds of a monotonic clock.
   * @param settled the whole history has been read.
   */
  look(verdicts: readonly FoundVerdict[], at: number, settled: boolean): Changes {
    const heard = verdicts.filter(({ muted_until }) => muted_until === null);
    const known = this.#known ?? (this.#kept && new Map(this.#kept.map(({ key, verdict }) => [key, { at, verdict }])));
    const now = new Map(known ?? []);
    for (const one of verdicts) if (one.muted_until !== null) now.delete(verdictKey(one));
    const ended: FoundVerdict[] = [];
    for (const [key, { at: found, verdict }] of now) {
      // Until the history is read, what compares with it may only be missing.
      if (!settled && COMPARING.has(verdict.code)) now.set(key, { at, verdict });
      else if (at - found >= GONE_AFTER) {
        now.delete(key);
        if (!heard.some((one) => verdictKey(one) === key)) ended.push(verdict);
      }
    }
    const appeared =
      known === null ? [] : heard.filter((one) => !now.has(verdictKey(one)) && this.#isNew(one, settled));
    for (const verdict of heard) now.set(verdictKey(verdict), { at, verdict });
    this.#known = now;
    return { appeared, ended };
  }

  #isNew({ code, since }: FoundVerdict, settled: boolean): boolean {
    return settled || !COMPARING.has(code) || (since !== null && since >= this.#started);
  }
}
