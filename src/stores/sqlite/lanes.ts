/**
 * A lane runs the reads of one snapshot at a time. SQLite answers synchronously, so a slow query holds up its thread: the server uses a
 * few lanes in worker threads (so that other requests are answered meanwhile), a command that reads once uses one lane in its own thread
 * (a worker would cost it 40 ms).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Worker } from "node:worker_threads";
import { AbandonedError, RefusedError, StoreUnreachableError, type UnreachableReason } from "../../errors.ts";
import { type ActionCall, performAction } from "./actions/actions.ts";
import type { TransactionInput } from "./actions/transaction.ts";
import type { AnswerTo } from "./calls/port-calls.ts";
import type { ComponentPaths } from "./file/component-paths.ts";
import { takeThread } from "./lane-threads.ts";
import { type ReadCall, type SessionReads, SqliteSession } from "./session.ts";

export interface Lane {
  /** Starts a snapshot. Answers what cannot be shown of the app (`LayoutReport.gaps`). */
  begin(appId: string): Promise<readonly string[]>;
  call<Call extends ReadCall>(call: Call): Promise<AnswerTo<SessionReads, Call>>;
  end(): Promise<void>;
  /** Calls of this snapshot that are under way and have not begun are not executed: they fail with AbandonedError. */
  abandon(): void;
  /** Does one action, outside any snapshot. */
  act(input: TransactionInput, call: ActionCall): Promise<unknown>;
  close(): Promise<void>;
  /** Set when the lane can answer no more and must be replaced. */
  readonly broken: boolean;
}

/** Works in the calling thread. */
export class InlineLane implements Lane {
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

/** Answered by an `Answer` with the same id. */
export type Request = { id: number } & Order;

export type Answer = { id: number } & (
  | { ok: true; value: unknown }
  | {
      ok: false;
      /** Errors lose their class between threads: those that people are told travel in parts. */
      known: KnownFailure | null;
      /** A defect; null when `told` says it all. */
      error: unknown;
    }
);

export type KnownFailure = { message: string; hint: string | null } & (
  | { kind: "unreachable"; reason: UnreachableReason }
  | { kind: "refused"; status: 403 | 409 }
  | { kind: "abandoned" }
);

/** What a lane tells its thread without a message, which would wait behind those that it is about: the number of the snapshot that nobody wants. */
export type Unwanted = Int32Array;

/** A query that takes longer than this is given up; the thread that runs it is replaced (security.md 6). */
const DEADLINE_MS = 20_000;

/** An action may delete millions of rows, and waits for other writers before. Given up, its transaction is rolled back. */
const ACTION_DEADLINE_MS = 600_000;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
}

/** Reads in a worker thread. */
export class ThreadLane implements Lane {
  #broken = false;
  #nextId = 0;
  readonly #paths: ComponentPaths;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unwanted: Unwanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  /** From 1, which no snapshot is before anything is unwanted. */
  #snapshot = 0;

  constructor(paths: ComponentPaths) {
    this.#paths = paths;
    this.#worker = takeThread();
    this.#worker.on("message", (answer: Answer) => this.#settle(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the reading thread ended")));
  }

  get broken(): boolean {
    return this.#broken;
  }

  async begin(appId: string): Promise<readonly string[]> {
    this.#snapshot++;
    const order = { app_id: appId, paths: this.#paths, snapshot: this.#snapshot, unwanted: this.#unwanted };
    return (await this.#ask({ verb: "begin", ...order })) as readonly string[];
  }

  abandon(): void {
    Atomics.store(this.#unwanted, 0, this.#snapshot);
  }

  call<Call extends ReadCall>(call: Call): Promise<AnswerTo<SessionReads, Call>> {
    return this.#ask({ verb: "call", call }) as Promise<AnswerTo<SessionReads, Call>>;
  }

  async end(): Promise<void> {
    await this.#ask({ verb: "end" });
  }

  act(input: TransactionInput, call: ActionCall): Promise<unknown> {
    return this.#ask({ verb: "act", input, call }, ACTION_DEADLINE_MS + input.lock_wait * 1000);
  }

  async close(): Promise<void> {
    if (!this.#broken) await this.#ask({ verb: "close" }).catch(() => undefined);
    this.#broken = true;
    await this.#worker.terminate();
  }

  #ask(order: Order, deadline = DEADLINE_MS): Promise<unknown> {
    if (this.#broken) return Promise.reject(new StoreUnreachableError("failed", "The reading thread ended."));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fail(new StoreUnreachableError("timeout", `The store did not answer within ${deadline / 1000} s.`));
        void this.#worker.terminate();
      }, deadline);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#worker.postMessage({ id, ...order } satisfies Request);
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (answer.ok) waiting.resolve(answer.value);
    else waiting.reject(answer.known === null ? answer.error : errorOf(answer.known));
  }

  #fail(error: unknown): void {
    this.#broken = true;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

function errorOf(known: KnownFailure): Error {
  switch (known.kind) {
    case "refused":
      return new RefusedError(known.message, known.hint, known.status);
    case "abandoned":
      return new AbandonedError();
    case "unreachable":
      return new StoreUnreachableError(known.reason, known.message, known.hint);
  }
}

/** Somebody in line for a lane. */
type Waiter = (lane: Lane) => void;

/** The pools whose lanes the caller holds. One for all pools: Node asks every storage there ever was whenever a promise is made. */
const heldPools = new AsyncLocalStorage<readonly LanePool[]>();

/** Hands out lanes, one snapshot each; callers wait in line when all are busy. */
export class LanePool {
  readonly #makeLane: () => Lane;
  readonly #size: number;
  readonly #idle: Lane[] = [];
  readonly #queue: Waiter[] = [];
  #made = 0;
  #closed = false;

  constructor(size: number, makeLane: () => Lane) {
    this.#size = size;
    this.#makeLane = makeLane;
  }

  /** @throws AbandonedError when the signal comes while the caller waits in line; then `fn` is not called. */
  async use<T>(fn: (lane: Lane) => Promise<T>, signal?: AbortSignal): Promise<T> {
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

  async #take(signal?: AbortSignal): Promise<Lane> {
    if (signal?.aborted) throw new AbandonedError();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#made < this.#size) {
      // Making a lane can throw (no file, not a database): only a lane that exists counts.
      const lane = this.#makeLane();
      this.#made++;
      return lane;
    }
    return this.#inLine(signal);
  }

  #inLine(signal: AbortSignal | undefined): Promise<Lane> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(new AbandonedError());
      };
      const waiter: Waiter = (lane) => {
        signal?.removeEventListener("abort", leave);
        resolve(lane);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(waiter);
    });
  }

  #giveBack(lane: Lane): void {
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
