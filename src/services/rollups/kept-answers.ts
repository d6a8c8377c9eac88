/** Answers of a rollup that are kept while nothing is folded: pages ask for the same ranges again and again, and each costs a walk over its minutes. */
import { MINUTE } from "../../rollups/buckets.ts";
import type { Answered, RequestedSpan, RollupReads } from "../../rollups/reads.ts";
import type { MethodCall } from "../../stores/threads/port-calls.ts";

/** Most answers; the oldest goes first. An answer is a few kilobytes, with hundreds of tasks some hundred. */
const MOST = 64;

/** How far a fold is, in memory that the thread that folds and the one that asks share. */
export class FoldState {
  readonly shared: SharedArrayBuffer;
  /** The number of changes, and until when new entries count as folded, in milliseconds since 1970. */
  readonly #numbers: BigInt64Array;

  /** @param shared that of the other thread. */
  constructor(shared = new SharedArrayBuffer(16)) {
    this.shared = shared;
    this.#numbers = new BigInt64Array(shared);
  }

  /** Call this after anything was folded, taken back or forgotten. */
  changed(): void {
    Atomics.add(this.#numbers, 0, 1n);
  }

  /** @param until in milliseconds since 1970; 0 if new entries may be unread. */
  current(until: number): void {
    Atomics.store(this.#numbers, 1, BigInt(Math.floor(until)));
  }

  get changes(): bigint {
    return Atomics.load(this.#numbers, 0);
  }

  get currentUntil(): number {
    return Number(Atomics.load(this.#numbers, 1));
  }
}

interface Kept {
  changes: bigint;
  /** Rejected questions are not kept. */
  answer: Promise<Answered>;
}

/**
 * @param ask asks the thread that folds.
 * @param now milliseconds since 1970, by the clock of that thread.
 */
export function keepingAnswers(
  ask: (call: MethodCall<RollupReads>) => Promise<Answered>,
  state: FoldState,
  now: () => number,
): (call: MethodCall<RollupReads>) => Promise<Answered> {
  const kept = new Map<string, Kept>();
  return (call) => {
    const [span, ...others]: [RequestedSpan, ...unknown[]] = call.args;
    const { from, to, whole = false } = span;
    // A span means its whole minutes, so a range that ends now is the same for a minute.
    const minutes: RequestedSpan = {
      ...span,
      from: Math.floor(from / MINUTE) * MINUTE,
      to: Math.ceil(to / MINUTE) * MINUTE,
    };
    const key = `${call.method} ${minutes.from} ${minutes.to} ${whole} ${JSON.stringify(others)}`;
    const { changes } = state;
    const earlier = kept.get(key);
    if (earlier?.changes === changes && now() <= state.currentUntil) return earlier.answer;
    const answer = ask({ method: call.method, args: [minutes, ...others] } as MethodCall<RollupReads>);
    const forget = () => {
      if (kept.get(key)?.answer === answer) kept.delete(key);
    };
    kept.delete(key);
    kept.set(key, { changes, answer });
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST) break;
      kept.delete(oldest);
    }
    answer.then((read) => (isLasting(read, whole) ? shared(read) : forget()), forget);
    return answer;
  };
}

/** Whether the same would be answered later: an answer that waited for reads in vain would not. */
function isLasting({ complete, reach }: Answered, whole: boolean): boolean {
  return complete && reach.since !== null && reach.until === Number.POSITIVE_INFINITY && (reach.whole || !whole);
}

/** Several callers get the same rows, so none may sort or change them. */
function shared(answer: Answered): void {
  for (const member of Object.values(Object.freeze(answer))) Object.freeze(member);
}
