/** Lanes: each runs the reads of one snapshot at a time, and a pool hands them out. */
import { AsyncLocalStorage } from "node:async_hooks";
import { AbandonedError } from "../../errors.ts";
import type { AppReads } from "../ports/store.ts";
import { type AnswerTo, type PortCall, portsOver } from "./port-calls.ts";

/** @typeParam Reads that it answers, by port. */
export interface Lane<Reads = AppReads> {
  /** Starts a snapshot. Answers what cannot be shown of the app (`LayoutReport.gaps`). */
  begin(appId: string): Promise<readonly string[]>;
  call<Call extends PortCall<Reads>>(call: Call): Promise<AnswerTo<Reads, Call>>;
  end(): Promise<void>;
  /** The caller of this snapshot has disconnected: calls not started yet are dropped and fail with AbandonedError. */
  abandon(): void;
  close(): Promise<void>;
  /** Set when the lane no longer works and must be replaced. */
  readonly broken: boolean;
}

/** What a pool asks of a lane. */
type Pooled = Pick<Lane, "broken" | "close">;

/** The pools whose lanes the caller holds. One for all pools: Node asks every storage there ever was whenever a promise is made. */
const heldPools = new AsyncLocalStorage<readonly object[]>();

/** Hands out lanes, one snapshot each; callers wait in line when all are busy. */
export class LanePool<L extends Pooled> {
  readonly #makeLane: () => L;
  readonly #size: number;
  readonly #idle: L[] = [];
  /** Those in line for a lane. */
  readonly #queue: ((lane: L) => void)[] = [];
  #made = 0;
  #closed = false;

  constructor(size: number, makeLane: () => L) {
    this.#size = size;
    this.#makeLane = makeLane;
  }

  /** @throws AbandonedError when the signal comes while the caller waits in line; then `fn` is not called. */
  async use<T>(fn: (lane: L) => Promise<T>, signal?: AbortSignal): Promise<T> {
    // Waiting for a second lane while holding one ends in everybody waiting for everybody: a mistake that must be loud.
    const held = heldPools.getStore() ?? [];
    if (held.includes(this)) throw new Error("a snapshot inside a snapshot");
    const lane = await this.#take(signal);
    try {
      return await heldPools.run([...held, this], () => fn(lane));
    } finally {
      this.#giveBack(lane);
    }
  }

  /** Lanes that are in use are closed when they come back: a thread that is left keeps the process alive. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map((lane) => lane.close()));
  }

  async #take(signal?: AbortSignal): Promise<L> {
    if (signal?.aborted) throw new AbandonedError();
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.broken) return idle;
      // Lanes may share a thread, which broke while another held it.
      this.#made--;
    }
    if (this.#made < this.#size) {
      // Making a lane can throw (no file, not a database): only a lane that exists counts.
      const lane = this.#makeLane();
      this.#made++;
      return lane;
    }
    return this.#inLine(signal);
  }

  #inLine(signal: AbortSignal | undefined): Promise<L> {
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

/** Runs `fn` in one snapshot of a lane. @param begun receives the answer of `Lane.begin`. */
export async function inSnapshot<L extends Pick<Lane, "begin" | "end" | "abandon" | "broken">, T>(
  lane: L,
  appId: string,
  { signal, begun }: { signal: AbortSignal | undefined; begun: (gaps: readonly string[]) => void },
  fn: (lane: L) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new AbandonedError();
  const abandon = () => lane.abandon();
  const beginning = lane.begin(appId);
  signal?.addEventListener("abort", abandon, { once: true });
  try {
    begun(await beginning);
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

/** The ports of an app, answered by a lane in its snapshot. */
export function readsThrough(lane: Lane, signal: AbortSignal | undefined): AppReads {
  return portsOver<AppReads>(Object.keys(PORTS) as (keyof AppReads)[], async (call) => {
    if (signal?.aborted) throw new AbandonedError();
    return lane.call(call);
  });
}
