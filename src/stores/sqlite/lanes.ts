/**
 * A lane runs the reads of one snapshot at a time. SQLite is synchronous, so a slow query blocks its thread. `serve` uses a few lanes in worker
 * threads to keep answering other requests; a command that reads once uses one lane in its own thread, because starting a worker takes 40 ms.
 */
import type { Lane } from "../threads/lanes.ts";
import { DEADLINE_MS, OrderedThread } from "../threads/orders.ts";
import type { AnswerTo } from "../threads/port-calls.ts";
import { takeThread } from "../threads/worker-threads.ts";
import { type ActionCall, performAction } from "./actions/actions.ts";
import type { TransactionInput } from "./actions/transaction.ts";
import type { ComponentPaths } from "./file/component-paths.ts";
import { type ReadCall, type SessionReads, SqliteSession } from "./session.ts";

/** Reads snapshots of files and executes actions on them. */
export interface SqliteLane extends Lane<SessionReads> {
  /** Executes one action, outside of any snapshot. */
  act(input: TransactionInput, call: ActionCall): Promise<unknown>;
}

/** Works in the calling thread. */
export class InlineLane implements SqliteLane {
  readonly broken = false;
  readonly #paths: ComponentPaths;
  #session: SqliteSession | null = null;

  constructor(paths: ComponentPaths) {
    this.#paths = paths;
  }

  async begin(appId: string): Promise<readonly string[]> {
    this.#session ??= new SqliteSession(this.#paths);
    return this.#session.begin(appId);
  }

  async call<Call extends ReadCall>(call: Call): Promise<AnswerTo<SessionReads, Call>> {
    return this.#session?.call(call) as AnswerTo<SessionReads, Call>;
  }

  async end(): Promise<void> {
    this.#session?.end();
  }

  /** Calls are synchronous, so none can be pending. */
  abandon(): void {}

  async act(input: TransactionInput, call: ActionCall): Promise<unknown> {
    return performAction(input, call);
  }

  async close(): Promise<void> {
    this.#session?.close();
  }
}

/** Orders to the worker of a ThreadLane. */
export type Order =
  | { verb: "begin"; app_id: string; paths: ComponentPaths; snapshot: number; abandoned: AbandonedSnapshot }
  | { verb: "call"; call: ReadCall }
  | { verb: "end" }
  | { verb: "act"; input: TransactionInput; call: ActionCall }
  | { verb: "close" };

/** The number of the abandoned snapshot, in shared memory: a message would arrive only after the calls it should cancel. */
export type AbandonedSnapshot = Int32Array;

/** An action may wait for other writers and delete millions of rows. At the deadline its transaction is rolled back. */
const ACTION_DEADLINE_MS = 600_000;

/** Reads in a worker thread. */
export class ThreadLane implements SqliteLane {
  readonly #paths: ComponentPaths;
  readonly #thread = new OrderedThread<Order>(takeThread("sqlite"));
  readonly #abandoned: AbandonedSnapshot = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** Starts at 1, because 0 in `#abandoned` means that nothing is abandoned. */
  #snapshot = 0;

  constructor(paths: ComponentPaths) {
    this.#paths = paths;
  }

  get broken(): boolean {
    return this.#thread.broken;
  }

  async begin(appId: string): Promise<readonly string[]> {
    this.#snapshot++;
    const order = { app_id: appId, paths: this.#paths, snapshot: this.#snapshot, abandoned: this.#abandoned };
    return (await this.#thread.ask({ verb: "begin", ...order }, DEADLINE_MS)) as readonly string[];
  }

  abandon(): void {
    Atomics.store(this.#abandoned, 0, this.#snapshot);
  }

  call<Call extends ReadCall>(call: Call): Promise<AnswerTo<SessionReads, Call>> {
    return this.#thread.ask({ verb: "call", call }, DEADLINE_MS) as Promise<AnswerTo<SessionReads, Call>>;
  }

  async end(): Promise<void> {
    await this.#thread.ask({ verb: "end" }, DEADLINE_MS);
  }

  act(input: TransactionInput, call: ActionCall): Promise<unknown> {
    return this.#thread.ask({ verb: "act", input, call }, ACTION_DEADLINE_MS + input.lock_wait * 1000);
  }

  close(): Promise<void> {
    return this.#thread.close({ verb: "close" });
  }
}
