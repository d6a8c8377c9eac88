/**
 * A lane runs the reads of one snapshot at a time. SQLite answers synchronously, so a slow query holds up its thread: the server uses a
 * few lanes in worker threads (so that other requests are answered meanwhile), a command that reads once uses one lane in its own thread
 * (a worker would cost it 40 ms).
 */
import type { Lane } from "../threads/lanes.ts";
import { DEADLINE_MS, OrderedThread } from "../threads/orders.ts";
import type { AnswerTo } from "../threads/port-calls.ts";
import { takeThread } from "../threads/worker-threads.ts";
import { type ActionCall, performAction } from "./actions/actions.ts";
import type { TransactionInput } from "./actions/transaction.ts";
import type { ComponentPaths } from "./file/component-paths.ts";
import { type ReadCall, type SessionReads, SqliteSession } from "./session.ts";

/** Reads snapshots of files, and acts on them. */
export interface SqliteLane extends Lane<SessionReads> {
  /** Does one action, outside any snapshot. */
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

  /** A call is executed where it is made: none is under way. */
  abandon(): void {}

  async act(input: TransactionInput, call: ActionCall): Promise<unknown> {
    return performAction(input, call);
  }

  async close(): Promise<void> {
    this.#session?.close();
  }
}

/** What the worker of a ThreadLane is asked. */
export type Order =
  | { verb: "begin"; app_id: string; paths: ComponentPaths; snapshot: number; unwanted: Unwanted }
  | { verb: "call"; call: ReadCall }
  | { verb: "end" }
  | { verb: "act"; input: TransactionInput; call: ActionCall }
  | { verb: "close" };

/** The number of the abandoned snapshot, in shared memory: a message would wait behind those it is about. */
export type Unwanted = Int32Array;

/** An action may delete millions of rows, and waits for other writers before. Given up, its transaction is rolled back. */
const ACTION_DEADLINE_MS = 600_000;

/** Reads in a worker thread. */
export class ThreadLane implements SqliteLane {
  readonly #paths: ComponentPaths;
  readonly #thread = new OrderedThread<Order>(takeThread("sqlite"));
  readonly #unwanted: Unwanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** From 1, which no snapshot is before anything is unwanted. */
  #snapshot = 0;

  constructor(paths: ComponentPaths) {
    this.#paths = paths;
  }

  get broken(): boolean {
    return this.#thread.broken;
  }

  async begin(appId: string): Promise<readonly string[]> {
    this.#snapshot++;
    const order = { app_id: appId, paths: this.#paths, snapshot: this.#snapshot, unwanted: this.#unwanted };
    return (await this.#thread.ask({ verb: "begin", ...order }, DEADLINE_MS)) as readonly string[];
  }

  abandon(): void {
    Atomics.store(this.#unwanted, 0, this.#snapshot);
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
