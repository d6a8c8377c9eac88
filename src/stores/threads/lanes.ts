/** Lanes, each of which runs the reads of one snapshot at a time, and a pool of them. */
import { AsyncLocalStorage } from "node:async_hooks";
import { AbandonedError } from "../../errors.ts";
import type { AppReads } from "../ports/store.ts";
import { type AnswerTo, type PortCall, portsOver } from "./port-calls.ts";

/** @typeParam Reads the available ports. */
export interface Lane<Reads = AppReads> {
  /** Starts a snapshot. Returns what cannot be shown of the app (`LayoutReport.gaps`). */
  begin(appId: string): Promise<readonly string[]>;
  call<Call extends PortCall<Reads>>(call: Call): Promise<AnswerTo<Reads, Call>>;
  end(): Promise<void>;
  /** The caller of this snapshot has disconnected: calls not started yet are dropped and fail with AbandonedError. */
  abandon(): void;
  close(): Promise<void>;
  /** True if the lane no longer works and must be replaced. */
  readonly broken: boolean;
}

/** What a pool needs of a lane. */
type Pooled = Pick<Lane, "broken" | "close">;

/** The pools whose lanes the caller holds. A single storage for all pools, because Node visits every AsyncLocalStorage ever created for each new promise. */
const heldPools = new AsyncLocalStorage<readonly object[]>();

/** Hands out lanes, one snapshot each; callers wait in a queue if all are busy. */
export class LanePool<L extends Pooled> {
  readonly #makeLane: () => L;
  readonly #size: number;
  readonly #idle: L[] = [];
  /** Callers waiting for a lane. */
  readonly #queue: ((lane: L) => void)[] = [];
  #made = 0;
  #closed = false;

  constructor(size: number, makeLane: () => L) {
    this.#size = size;
    this.#makeLane = makeLane;
  }

  /** @throws AbandonedError if the signal aborts while the caller is waiting; then `fn` is not called. */
  async use<T>(fn: (lane: L) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // Waiting for a second lane while holding one can deadlock, so it is an error.
    const held = heldPools.getStore() ?? [];
    if (held.includes(this)) throw new Error("a snapshot inside a snapshot");
    const lane = await this.#take(signal);
    try {
      return await heldPools.run([...held, this], () => fn(lane));
    } finally {
      this.#giveBack(lane);
    }
  }

  /** Lanes in use are closed when they are returned, because a remaining thread keeps the process alive. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map((lane) => lane.close()));
  }

  async #take(signal?: AbortSignal): Promise<L> {
    if (signal?.aborted) throw new AbandonedError();
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.broken) return idle;
      // Lanes may share a thread, which may have broken during another lane's use.
      this.#made--;
    }
    if (this.#made < this.#size) {
      // Creating a lane can throw (no file, not a database), so count it only afterwards.
      const lane = this.#makeLane();
      this.#made++;
      return lane;
    }
    return this.#waitInQueue(signal);
  }

  #waitInQueue(signal: AbortSignal | undefined): Promise<L> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(new AbandonedError());
      };
      const waiter = (lane: L) => {
        signal?.removeEventListener("abort", leave);
        resolve(lane);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(waiter);
    });
  }

  #giveBack(lane: L): void {
    if (!lane.broken) {
      const next = this.#queue.shift();
      if (next) next(lane);
      else if (this.#closed) {
        this.#made--;
        void lane.close();
      } else this.#idle.push(lane);
      return;
    }
    this.#made--;
    const next = this.#queue.shift();
    if (next) void this.#take().then(next);
  }
}

/** Runs `fn` in one snapshot of a lane. @param onBegin receives the result of `Lane.begin`. */
export async function inSnapshot<L extends Pick<Lane, "begin" | "end" | "abandon" | "broken">, T>(
  lane: L,
  appId: string,
  { signal, onBegin }: { signal: AbortSignal | undefined; onBegin: (gaps: readonly string[]) => void },
  fn: (lane: L) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new AbandonedError();
  const abandon = () => lane.abandon();
  const starting = lane.begin(appId);
  signal?.addEventListener("abort", abandon, { once: true });
  try {
    onBegin(await starting);
    return await fn(lane);
  } finally {
    signal?.removeEventListener("abort", abandon);
    if (!lane.broken) await lane.end();
  }
}

const PORTS: Readonly<Record<keyof AppReads, true>> = {
  broker: true,
  orchestrator: true,
  state_backend: true,
  client_data_store: true,
  trigger: true,
  forgotten: true,
  ids: true,
  layout: true,
  preview: true,
};

/** The ports of an app, executed by a lane in its snapshot. */
export function readsThrough(lane: Lane, signal: AbortSignal | undefined): AppReads {
  return portsOver<AppReads>(Object.keys(PORTS) as (keyof AppReads)[], async (call) => {
    if (signal?.aborted) throw new AbandonedError();
    return lane.call(call);
  });
}
