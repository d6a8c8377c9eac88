/**
 * Lanes over one session with servers. Waiting for a server does not block a thread, but decoding and filtering many rows does. So `serve` has its
 * session in a worker thread to keep answering other requests; a command that reads once has it in its own thread.
 */
import { setMaxListeners } from "node:events";
import type { Actions } from "../ports/actions.ts";
import type { AppReads } from "../ports/store.ts";
import type { Lane } from "./lanes.ts";
import { answerOrders, DEADLINE_MS, OrderedThread } from "./orders.ts";
import { type AnswerTo, answerCall, type MethodCall, type PortCall } from "./port-calls.ts";
import { takeThread } from "./worker-threads.ts";

type ReadCall = PortCall<AppReads>;

/** One action, as sent to the thread that executes it. */
export type ActionCall = MethodCall<Actions>;

/** The state of one thread: its connections and what it remembers of each app. */
export interface ServerSession {
  /** The ports of an app for one read. They send nothing more after the deadline or the abort. */
  reads(appId: string, signal: AbortSignal): AppReads;
  /** Executes one action. Without a deadline, so that a started action is finished. */
  act(appId: string, call: ActionCall): Promise<unknown>;
  /** As `AppStore.version`. */
  version(appId: string): Promise<string>;
  close(): Promise<void>;
}

/** Executes the reads and the actions of a store. */
export interface SessionThread {
  lane(): Lane;
  act(appId: string, call: ActionCall): Promise<unknown>;
  version(appId: string): Promise<string>;
  close(): Promise<void>;
  /** It no longer works and must be replaced. */
  readonly broken: boolean;
}

/** The calling thread. */
export class ThisThread implements SessionThread {
  readonly broken = false;
  readonly #session: ServerSession;

  constructor(session: ServerSession) {
    this.#session = session;
  }

  lane(): Lane {
    return new InlineLane(this.#session);
  }

  act(appId: string, call: ActionCall): Promise<unknown> {
    return this.#session.act(appId, call);
  }

  version(appId: string): Promise<string> {
    return this.#session.version(appId);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}

/** Reads in the calling thread. */
class InlineLane implements Lane {
  readonly broken = false;
  readonly #session: ServerSession;
  #wanted = new AbortController();
  #reads: AppReads | null = null;

  constructor(session: ServerSession) {
    this.#session = session;
  }

  async begin(appId: string): Promise<readonly string[]> {
    this.#wanted = new AbortController();
    // Every pending command adds a listener.
    setMaxListeners(0, this.#wanted.signal);
    this.#reads = this.#session.reads(appId, this.#wanted.signal);
    // Records are JSON documents: missing members are reported where the record is shown.
    return [];
  }

  async call<Call extends ReadCall>(call: Call): Promise<AnswerTo<AppReads, Call>> {
    if (this.#reads === null) throw new Error("a read outside a snapshot");
    return (await answerCall<AppReads>(this.#reads, call)) as AnswerTo<AppReads, Call>;
  }

  async end(): Promise<void> {
    this.#reads = null;
  }

  abandon(): void {
    this.#wanted.abort();
  }

  async close(): Promise<void> {}
}

/** Orders to the worker of a WorkerThread. Lanes are identified by number. */
export type Order =
  | { verb: "open"; plan: unknown }
  | { verb: "begin"; lane: number; app_id: string }
  | { verb: "call"; lane: number; call: ReadCall }
  | { verb: "end"; lane: number }
  | { verb: "abandon"; lane: number }
  | { verb: "act"; app_id: string; call: ActionCall }
  | { verb: "version"; app_id: string }
  | { verb: "close" };

/** A read stops at its deadline and reports it. A thread that does not report within this time is replaced. */
const BROKEN_MS = DEADLINE_MS + 10_000;

/** The longest possible timer: actions have no deadline. */
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** A worker thread with its own session. */
export class WorkerThread implements SessionThread {
  readonly #thread: OrderedThread<Order>;
  #lanes = 0;

  /** @param kind of the store. @param plan what `answerSessionOrders` opens the session with. */
  constructor(kind: string, plan: unknown) {
    this.#thread = new OrderedThread<Order>(takeThread(kind));
    // The next request receives the error.
    this.#thread.ask({ verb: "open", plan }, BROKEN_MS).catch(() => undefined);
  }

  get broken(): boolean {
    return this.#thread.broken;
  }

  lane(): Lane {
    return new WorkerLane(this.#thread, this.#lanes++);
  }

  act(appId: string, call: ActionCall): Promise<unknown> {
    return this.#thread.ask({ verb: "act", app_id: appId, call }, NO_DEADLINE_MS);
  }

  version(appId: string): Promise<string> {
    return this.#thread.ask({ verb: "version", app_id: appId }, BROKEN_MS) as Promise<string>;
  }

  close(): Promise<void> {
    return this.#thread.close({ verb: "close" });
  }
}

/** Reads in a worker thread shared with other lanes. */
class WorkerLane implements Lane {
  readonly #thread: OrderedThread<Order>;
  readonly #lane: number;

  constructor(thread: OrderedThread<Order>, lane: number) {
    this.#thread = thread;
    this.#lane = lane;
  }

  get broken(): boolean {
    return this.#thread.broken;
  }

  async begin(appId: string): Promise<readonly string[]> {
    return (await this.#ask({ verb: "begin", lane: this.#lane, app_id: appId })) as readonly string[];
  }

  call<Call extends ReadCall>(call: Call): Promise<AnswerTo<AppReads, Call>> {
    return this.#ask({ verb: "call", lane: this.#lane, call }) as Promise<AnswerTo<AppReads, Call>>;
  }

  async end(): Promise<void> {
    await this.#ask({ verb: "end", lane: this.#lane });
  }

  abandon(): void {
    this.#ask({ verb: "abandon", lane: this.#lane }).catch(() => undefined);
  }

  /** The store closes the thread. */
  async close(): Promise<void> {}

  #ask(order: Order): Promise<unknown> {
    return this.#thread.ask(order, BROKEN_MS);
  }
}

/** Runs inside the worker: executes the orders on a session. */
export function answerSessionOrders<Plan>(open: (plan: Plan) => ServerSession): void {
  let session: ServerSession | null = null;
  const lanes = new Map<number, Lane>();
  const opened = (): ServerSession => {
    if (session === null) throw new Error("an order before the session is open");
    return session;
  };
  const laneOf = (number: number): Lane => {
    const lane = lanes.get(number) ?? new InlineLane(opened());
    lanes.set(number, lane);
    return lane;
  };
  answerOrders<Order>((order) => {
    switch (order.verb) {
      case "open":
        session = open(order.plan as Plan);
        return undefined;
      case "begin":
        return laneOf(order.lane).begin(order.app_id);
      case "call":
        return laneOf(order.lane).call(order.call);
      case "end":
        return laneOf(order.lane).end();
      case "abandon":
        return laneOf(order.lane).abandon();
      case "act":
        return opened().act(order.app_id, order.call);
      case "version":
        return opened().version(order.app_id);
      case "close":
        return session?.close();
    }
  });
}
