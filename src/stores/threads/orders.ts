/** Orders to a worker thread and its answers. If an answer misses its deadline, the caller gets an error and the thread is replaced. */
import { parentPort, type Worker } from "node:worker_threads";
import { StoreUnreachableError } from "../../errors.ts";
import { inATurnOfItsOwn } from "../../event-loop.ts";
import { errorOf, type KnownFailure, knownFailure } from "./failures.ts";

/** Answered by an `Answer` with the same id. */
type Request<Order> = { id: number } & Order;

type Answer = { id: number } & (
  | { ok: true; value: unknown }
  | {
      ok: false;
      known: KnownFailure | null;
      /** An unexpected error; null if `known` is set. */
      error: unknown;
    }
);

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
}

/** A query that takes longer than this is aborted and its thread replaced (security.md 6). */
export const DEADLINE_MS = 20_000;

/** A worker thread that executes orders. */
export class OrderedThread<Order extends { verb: string }> {
  #broken = false;
  #nextId = 0;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  /** Orders of this turn of the event loop. They are sent together, because each message wakes a thread. */
  #unsent: Request<Order>[] = [];

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (answers: readonly Answer[]) => {
      for (const answer of answers) this.#settle(answer);
    });
    worker.on("error", (error) => this.#fail(outOfMemory(error) ?? error));
    worker.on("exit", () => this.#fail(new Error("the reading thread ended")));
  }

  /** True if it no longer works and must be replaced. */
  get broken(): boolean {
    return this.#broken;
  }

  /** @param deadline in milliseconds. */
  ask(order: Order, deadline: number): Promise<unknown> {
    if (this.#broken) return Promise.reject(new StoreUnreachableError("failed", "The reading thread ended."));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fail(new StoreUnreachableError("timeout", `The store did not answer within ${deadline / 1000} s.`));
        void this.#worker.terminate();
      }, deadline);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#unsent.push({ id, ...order });
      if (this.#unsent.length === 1) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    const orders = this.#unsent;
    this.#unsent = [];
    this.#worker.postMessage(orders);
  }

  /** @param order that makes the thread release its resources. */
  async close(order: Order): Promise<void> {
    if (!this.#broken) await this.ask(order, DEADLINE_MS).catch(() => undefined);
    this.#broken = true;
    await this.#worker.terminate();
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    // What a page makes of an answer can take tens of milliseconds.
    inATurnOfItsOwn(() => {
      if (answer.ok) waiting.resolve(answer.value);
      else waiting.reject(answer.known === null ? answer.error : errorOf(answer.known));
    });
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

/** Error for a thread that exceeded its memory limit (worker-threads.ts). The next read uses a new one. */
function outOfMemory(error: Error): StoreUnreachableError | null {
  if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_OUT_OF_MEMORY") return null;
  const hint = "Narrow the filter, or request less at once.";
  return new StoreUnreachableError("failed", "Reading this needed more memory than the monitor allows.", hint);
}

/** Runs inside the thread and answers each order. Synchronous ones of a message are answered in order, and together. */
export function answerOrders<Order>(handle: (order: Order) => unknown): void {
  parentPort?.on("message", (orders: readonly Request<Order>[]) => {
    const answers: Answer[] = [];
    for (const { id, ...order } of orders) {
      try {
        const value = handle(order as Order);
        if (value instanceof Promise) void value.then((found) => send([{ id, ok: true, value: found }]), failing(id));
        else answers.push({ id, ok: true, value });
      } catch (error) {
        answers.push(failureAnswer(id, error));
      }
    }
    if (answers.length > 0) send(answers);
  });
}

function send(answers: readonly Answer[]): void {
  parentPort?.postMessage(answers);
}

function failing(id: number): (error: unknown) => void {
  return (error) => send([failureAnswer(id, error)]);
}

function failureAnswer(id: number, error: unknown): Answer {
  const known = knownFailure(error);
  return { id, ok: false, known, error: known === null ? error : null };
}
