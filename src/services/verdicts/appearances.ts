/** Detects when a verdict appears and when it ends, so that alarms report each once. */
import type { KnownVerdict } from "../../alarms/alarm-file.ts";
import type { Evidence, Verdict, VerdictCode } from "../../api/verdicts.ts";
import { type FoundVerdict, isExplainedBy } from "./verdicts.ts";

/** Kinds of things that persist. A verdict on invocations counts as the same one even if it names other invocations. */
const LASTING: readonly Evidence["kind"][] = ["task", "queue", "trigger", "condition"];

/** A verdict is over if checks have not found it for this many seconds. A check that ran out of time may miss a verdict once. */
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

/** What one check of the app found. */
export interface Look {
  verdicts: readonly FoundVerdict[];
  /** As in `VerdictList`. */
  not_looked_at: readonly string[];
  /** Seconds of a monotonic clock. */
  at: number;
  /** The whole history has been read. */
  settled: boolean;
}

export class Appearances {
  /** By key. Null before the first check, unless an earlier run left its record. */
  #known: Map<string, KnownVerdict & { missed: number | null }> | null;
  readonly #started: string;

  /**
   * @param started ISO 8601: problems that compare with the past and began earlier are not new while the history is still being read.
   * @param recorded what was known when an earlier run ended; null if that is not known.
   */
  constructor(started: string, recorded: readonly KnownVerdict[] | null = null) {
    this.#started = started;
    this.#known = recorded && new Map(recorded.map((one) => [one.key, { ...one, missed: null }]));
  }

  /** What there was at the last check. */
  get known(): KnownVerdict[] {
    return [...(this.#known?.values() ?? [])].map(({ missed: _missed, ...one }) => one);
  }

  /**
   * The verdicts that are new since the last check, and those that are over; none at the first one. Muted verdicts are ignored, and appear when they are
   * unmuted.
   */
  look(look: Look): { appeared: FoundVerdict[]; ended: KnownVerdict["verdict"][] } {
    const { at, settled } = look;
    const heard = new Map(
      look.verdicts.filter(({ muted_until }) => muted_until === null).map((verdict) => [verdictKey(verdict), verdict]),
    );
    const known = this.#known;
    const appeared = [...heard].flatMap(([key, verdict]) =>
      known === null || known.has(key) || !this.#isNew(verdict, settled) ? [] : verdict,
    );
    const [now, ended]: [NonNullable<typeof known>, KnownVerdict["verdict"][]] = [new Map(), []];
    for (const [key, one] of known ?? []) {
      if (heard.has(key) || isReplaced(one.verdict, look.verdicts)) continue;
      const missed = isExamined(one, look) ? (one.missed ?? at) : null;
      if (missed === null || at - missed < GONE_AFTER) now.set(key, { ...one, missed });
      else ended.push(one.verdict);
    }
    const not_looked_at = [...look.not_looked_at];
    for (const [key, verdict] of heard) now.set(key, { key, verdict, not_looked_at, missed: null });
    this.#known = now;
    return { appeared, ended };
  }

  #isNew({ code, since }: FoundVerdict, settled: boolean): boolean {
    return settled || !COMPARING.has(code) || (since !== null && since >= this.#started);
  }
}

/** The same verdict is muted, or names other tasks or queues beside these. */
function isReplaced(known: KnownVerdict["verdict"], verdicts: readonly FoundVerdict[]): boolean {
  const lasting = (one: FoundVerdict) => one.evidence.filter(({ kind }) => LASTING.includes(kind)).map(({ id }) => id);
  const ids = lasting(known);
  return verdicts.some(
    (one) => one.code === known.code && (ids.length === 0 || lasting(one).some((id) => ids.includes(id))),
  );
}

/** Whether this check would have found the verdict again: nothing was left out that was examined then, and no other verdict explains it. */
function isExamined({ verdict, not_looked_at }: KnownVerdict, look: Look): boolean {
  if (look.not_looked_at.some((words) => !not_looked_at.includes(words))) return false;
  if (!look.settled && COMPARING.has(verdict.code)) return false;
  return !look.verdicts.some(({ code }) => isExplainedBy(verdict.code, code));
}
