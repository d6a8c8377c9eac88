/** Detects when a verdict newly appears, so that alarms report it once. */
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

export class Appearances {
  /** When each key was last found, in seconds of the clock. Null before the first check. */
  #known: Map<string, number> | null = null;
  readonly #started: string;

  /** @param started ISO 8601: problems that began earlier are not new. */
  constructor(started: string) {
    this.#started = started;
  }

  /**
   * Verdicts that are new since the last check; none at the first one. Muted verdicts are ignored and appear once they are unmuted.
   *
   * @param at seconds of a monotonic clock.
   * @param settled the whole history has been read.
   */
  look(verdicts: readonly FoundVerdict[], at: number, settled: boolean): FoundVerdict[] {
    const heard = verdicts.filter(({ muted_until }) => muted_until === null);
    const known = this.#known;
    const now = new Map([...(known ?? [])].filter(([, found]) => at - found < GONE_AFTER));
    const appeared =
      known === null ? [] : heard.filter((one) => !now.has(verdictKey(one)) && this.#isNew(one, settled));
    for (const one of heard) now.set(verdictKey(one), at);
    this.#known = now;
    return appeared;
  }

  #isNew({ code, since }: FoundVerdict, settled: boolean): boolean {
    return settled || !COMPARING.has(code) || (since !== null && since >= this.#started);
  }
}
