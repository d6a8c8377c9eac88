/** An app with its queue in RabbitMQ and the rest in another store. */

import { errorOfStep, RefusedError, StoreUnreachableError } from "../../errors.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { MIXED } from "../mixed-store.ts";
import type { Actions, Requeue, RequeueRequest, Rerun, RerunRequest, RowCount } from "../ports/actions.ts";
import type { BrokerReads } from "../ports/broker.ts";
import type { ComponentName } from "../ports/common.ts";
import type { LayoutReads } from "../ports/layout.ts";
import type { AppReads, AppStore } from "../ports/store.ts";
import { UnqueuedError } from "../unqueued-error.ts";
import type { QueueState, RabbitQueue } from "./queue.ts";

export class QueueElsewhere implements AppStore {
  /** The queue is asked at another moment. */
  readonly isolated = false;
  readonly app_id: string;
  readonly kind: string;
  readonly location: string;
  readonly actions: Actions;
  readonly #rest: AppStore;
  readonly #queue: RabbitQueue;
  /** Requeues run one at a time, so that the second finds the message of the first in the queue. */
  #lastRequeue: Promise<unknown> = Promise.resolve();

  /** @param rest store of the other four components; its own broker, if any, is ignored. */
  constructor(rest: AppStore, queue: RabbitQueue) {
    this.app_id = rest.app_id;
    this.kind = rest.kind;
    this.location = `${rest.location}, ${queue.location}`;
    this.#rest = rest;
    this.#queue = queue;
    const { actions } = rest;
    this.actions = {
      purge: (components) => this.#purge(components),
      purgeQueue: async () => this.#emptied(0),
      autoPurgeOrchestrator: (retention) => actions.autoPurgeOrchestrator(retention),
      autoPurgeEvents: (retention) => actions.autoPurgeEvents(retention),
      rerun: (invocationIds, request) => this.#rerun(invocationIds, request),
      requeue: (invocationIds, request) => {
        const requeued = this.#lastRequeue.then(() => this.#requeue(invocationIds, request));
        this.#lastRequeue = requeued.catch(() => undefined);
        return requeued;
      },
      sweepQueue: async () => 0,
    };
  }

  get gaps(): readonly string[] {
    return this.#rest.gaps;
  }

  get loads(): AppStore["loads"] {
    return this.#rest.loads;
  }

  get readOnly(): boolean {
    return this.#rest.readOnly;
  }

  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#rest.read(
      (reads) =>
        fn({ ...reads, broker: this.#broker, layout: this.#layout(reads.layout), preview: this.#preview(reads) }),
      signal,
    );
  }

  async version(): Promise<string> {
    const [rest, queue] = await Promise.all([this.#rest.version(), this.#queue.token()]);
    return `${rest}-${queue}`;
  }

  readonly #broker: BrokerReads = {
    layout: async () => ({ named: false, complete: true, note: null }),
    countMessages: async (queueName) => (queueName === undefined ? (await this.#queue.state()).messages : 0),
    queues: async () => {
      const { messages } = await this.#queue.state();
      return messages === 0 ? [] : [{ queue_name: null, messages, oldest: null }];
    },
    // Only `queue_peek` distinguishes these from an empty queue.
    peekMessages: async () => [],
    messagesOf: async () => [],
  };

  #layout(rest: LayoutReads): LayoutReads {
    const { name, location } = this.#queue;
    return {
      async report() {
        const report = await rest.report();
        return { ...report, evidence: [...report.evidence, `the queue is ${name} at ${location}`] };
      },
      async capabilities() {
        const capabilities = await rest.capabilities();
        const components = { ...capabilities.components, broker: true };
        return { ...capabilities, components, queue_peek: false, queue_shared: true };
      },
      figures: async () => {
        const [figures, messages] = await Promise.all([rest.figures(), this.#messagesIfReachable()]);
        const others = figures.filter(({ component }) => component !== "broker");
        if (messages === null) return others;
        return [{ name, component: "broker", rows: messages, exact: true, bytes: null }, ...others];
      },
      async files() {
        const files = await rest.files();
        return files
          .map((file) => ({ ...file, components: withoutBroker(file.components) }))
          .filter(({ components }) => components.length > 0);
      },
    };
  }

  /** Null if the server is unreachable, so that the figures of the rest can still be shown. */
  async #messagesIfReachable(): Promise<number | null> {
    try {
      return (await this.#queue.state()).messages;
    } catch (error) {
      if (error instanceof StoreUnreachableError) return null;
      throw error;
    }
  }

  #preview({ preview: rest, orchestrator }: AppReads): Actions {
    return {
      purge: async (components) => {
        const others = await rest.purge(withoutBroker(components));
        if (!components.includes("broker")) return others;
        return [this.#emptied((await this.#queue.state()).messages), ...others];
      },
      purgeQueue: async () => this.#emptied(0),
      autoPurgeOrchestrator: (retention) => rest.autoPurgeOrchestrator(retention),
      autoPurgeEvents: (retention) => rest.autoPurgeEvents(retention),
      rerun: async (invocationIds, request) => {
        this.#assertQueue(await this.#queue.state(), "Nothing was registered");
        return rest.rerun(invocationIds, { ...request, enqueue: false });
      },
      requeue: async (invocationIds, request) => {
        const state = await this.#queue.state();
        this.#assertQueue(state, NO_MESSAGE);
        const waiting = await rest.requeue(invocationIds, { ...request, enqueue: false });
        const runners = await orchestrator.countHeartbeats(request.active_since);
        return ifNotQueued(waiting, request, state.messages, runners);
      },
      sweepQueue: async () => 0,
    };
  }

  /** Empties the queue first: a runner that takes a message without records may stop working. */
  async #purge(components: readonly ComponentName[]): Promise<RowCount[]> {
    const others = withoutBroker(components);
    if (!components.includes("broker")) return this.#rest.actions.purge(others);
    // An empty purge is refused if changes are refused, so that this is known before the queue is emptied.
    await this.#rest.actions.purge([]);
    // Several stores together may refuse a purge of theirs.
    if (this.#rest.kind === MIXED) await this.#rest.read(({ preview }) => preview.purge(others));
    const emptied = this.#emptied(await this.#queue.purge());
    if (others.length === 0) return [emptied];
    try {
      return [emptied, ...(await this.#rest.actions.purge(others))];
    } catch (error) {
      throw afterQueueEmptied(error, emptied);
    }
  }

  #emptied(rows: number): RowCount {
    return { component: "broker", name: this.#queue.name, rows, exact: true };
  }

  /** Sends the messages after everything else is committed: before that, a runner would find no records. */
  async #rerun(invocationIds: readonly string[], request: RerunRequest): Promise<Rerun[]> {
    if (!this.readOnly) this.#assertQueue(await this.#queue.stateNow(), "Nothing was registered");
    const reruns = await this.#rest.actions.rerun(invocationIds, { ...request, enqueue: false });
    const made = reruns.flatMap(({ new_invocation_id }) => new_invocation_id ?? []);
    const undelivered = made.length === 0 ? null : await this.#queue.publish(made);
    if (undelivered !== null) throw new UnqueuedError(reruns, undelivered.invocation_ids, undelivered.reason);
    return reruns;
  }

  /** The queue cannot be searched. The only proof that a message is missing is an empty queue and no runner that could just have taken it. */
  async #requeue(invocationIds: readonly string[], request: RequeueRequest): Promise<Requeue[]> {
    const waiting = await this.#rest.actions.requeue(invocationIds, { ...request, enqueue: false });
    const runners = await this.#rest.read(({ orchestrator }) => orchestrator.countHeartbeats(request.active_since));
    const state = await this.#queue.stateNow();
    this.#assertQueue(state, NO_MESSAGE);
    const answers = ifNotQueued(waiting, request, state.messages, runners);
    const lost = answers.flatMap(({ invocation_id, refusal }) => (refusal === null ? [invocation_id] : []));
    const undelivered = lost.length === 0 ? null : await this.#queue.publish(lost);
    if (undelivered === null) return answers;
    if (undelivered.invocation_ids.length === lost.length) throw undelivered.reason;
    const { reason } = errorOfStep(undelivered.reason);
    return answers.map((answer) =>
      undelivered.invocation_ids.includes(answer.invocation_id)
        ? { ...answer, refusal: { kind: "undelivered", reason } }
        : answer,
    );
  }

  /** @throws RefusedError if the queue does not exist. */
  #assertQueue({ exists }: QueueState, unchanged: string): void {
    if (exists) return;
    const { message, hint } = this.#queue.absent();
    throw new RefusedError(`${unchanged}: ${message}`, hint, 409);
  }
}

const NO_MESSAGE = "No message was put into the queue";

/** Refuses all waiting invocations if the queue may contain their messages, unless forced. */
function ifNotQueued(
  waiting: readonly Requeue[],
  { force }: RequeueRequest,
  messages: number,
  runners: number,
): Requeue[] {
  if (force || (messages === 0 && runners === 0)) return [...waiting];
  return waiting.map(({ invocation_id, refusal }) => ({
    invocation_id,
    refusal: refusal ?? { kind: "unlisted", messages, runners },
    route: null,
  }));
}

function withoutBroker(components: readonly ComponentName[]): ComponentName[] {
  return components.filter((component) => component !== "broker");
}

/** Error for a failure after the queue was emptied. */
function afterQueueEmptied(error: unknown, { rows }: RowCount): unknown {
  if (!(error instanceof RefusedError || error instanceof StoreUnreachableError)) return error;
  const { reason, unchanged } = errorOfStep(error);
  return new StoreUnreachableError(
    error instanceof StoreUnreachableError ? error.reason : "failed",
    `The queue was emptied (${grouped(rows)} messages deleted). The rest${unchanged ? " was not deleted" : ""}: ${reason}`,
    error.hint,
    { cause: error },
  );
}
