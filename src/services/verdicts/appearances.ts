/** When a verdict appears: alarms report that once. */
import type { Evidence, Verdict, VerdictCode } from "../../api/verdicts.ts";
import type { FoundVerdict } from "./verdicts.ts";

/** Kinds of things that last. A verdict on invocations remains the same one when it names other invocations. */
const LASTING: readonly Evidence["kind"][] = ["task", "queue", "trigger", "condition"];

/** Seconds without it after which a verdict is gone. What could not be examined in time is missing from one evaluation. */
const GONE_AFTER = 60;

/** Codes that compare with before: while the history is still being read, they may be found late. */
const COMPARING: ReadonlySet<VerdictCode> = new Set<VerdictCode>([
  "failure_rate_up",
  "retry_storm",
  "slow_run",
  "queue_grows",
  "app_silent",
]);

/** What makes a verdict the same one as before: its code, and the tasks or queues that it is about. */
export function verdictKey({ code, evidence }: Pick<Verdict, "code" | "evidence">): string {
  const [first] = evidence;
  if (first === undefined || !LASTING.includes(first.kind)) return code;
  const ids = evidence.filter(({ kind }) => kind === first.kind).map(({ id }) => id);
  return JSON.stringify([code, ...ids.sort()]);
}

export class Appearances {
  /** By key, when it was found last, in seconds of the clock. Null before the first look. */
  #known: Map<string, number> | null = null;
  readonly #started: string;

  /** @param started ISO 8601: what began before it was there already. */
  constructor(started: string) {
    this.#started = started;
  }

  /**
   * Those that have appeared since the last look: none the first time. Muted ones do not count, and appear when they are muted no more.
   *
   * @param at seconds of a clock that does not go back.
   * @param settled all of the history has been read.
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
