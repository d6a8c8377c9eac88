/** A rollup that a separate thread keeps up to date while the server runs. */
import { StoreUnreachableError } from "../../errors.ts";
import type { Answered, RollupReads } from "../../rollups/reads.ts";
import type { StoreAddress } from "../../stores/connect.ts";
import { OrderedThread } from "../../stores/threads/orders.ts";
import { type MethodCall, portOver } from "../../stores/threads/port-calls.ts";
import { takeThread } from "../../stores/threads/worker-threads.ts";
import { FoldState, keepingAnswers } from "./kept-answers.ts";

export interface FollowedApp {
  address: StoreAddress;
  app_id: string;
  /** As in `ConnectOptions`. */
  max_commands: number | null;
  /** Folder of the cache for the next start; null for no cache. */
  cache_folder: string | null;
}

export type RollupOrder =
  /** @param state shared memory of a FoldState. */
  | ({ verb: "follow"; state: SharedArrayBuffer } & FollowedApp)
  | { verb: "ask"; call: MethodCall<RollupReads> }
  | { verb: "close" };

/** Milliseconds. An answer walks some thousand buckets, after the batch that is being read. */
const DEADLINE = 20_000;

/** A thread that follows one app. It is started by `start` or the first query, and restarted if it broke. */
export class RollupThread {
  readonly #state = new FoldState();
  readonly reads: RollupReads = portOver<RollupReads>(
    keepingAnswers(
      async (call) => (await this.#started().ask({ verb: "ask", call }, DEADLINE)) as Answered,
      this.#state,
      () => Date.now(),
    ),
  );
  readonly #followed: FollowedApp;
  #thread: OrderedThread<RollupOrder> | null = null;
  #closed = false;

  constructor(followed: FollowedApp) {
    this.#followed = followed;
  }

  start(): void {
    if (!this.#closed) this.#started();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close({ verb: "close" });
  }

  /** @throws StoreUnreachableError once closed: whoever still asks must not start a thread that nobody ends. */
  #started(): OrderedThread<RollupOrder> {
    if (this.#closed) throw new StoreUnreachableError("failed", "The figures over time are closed.");
    if (this.#thread !== null && !this.#thread.broken) return this.#thread;
    const thread = new OrderedThread<RollupOrder>(takeThread(`${this.#followed.address.kind} rollups`));
    this.#thread = thread;
    this.#state.changed();
    // An error here occurs again with the query, where it is reported.
    thread.ask({ verb: "follow", state: this.#state.shared, ...this.#followed }, DEADLINE).catch(() => undefined);
    return thread;
  }
}
