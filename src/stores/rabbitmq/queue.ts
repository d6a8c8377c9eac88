/**
 * The queue of an app in RabbitMQ (storage-format.md 10). It can be counted, emptied and added to. It is never declared, because the first process to
 * declare a queue decides its arguments, and never consumed: reading messages would take them, and returning them changes their order.
 */
import { StoreUnreachableError } from "../../errors.ts";
import { type RabbitAddress, RabbitConnection } from "./connection.ts";
import { isAbsentQueue } from "./failures.ts";

export interface QueueState {
  /** pynenc declares the queue on first use. */
  exists: boolean;
  messages: number;
}

/** Messages that did not reach the queue, or may not have. */
interface Undelivered {
  invocation_ids: string[];
  reason: StoreUnreachableError;
}

/** How long a count is reused, because a page needs it several times. */
const FRESH_MS = 1_000;

/** How long a missing queue is not queried again, because servers log every such query as an error. */
const ABSENT_MS = 5_000;

/** A failure is reused for this multiple of its duration: refused connections cost nothing, but waiting for a silent host does. */
const REUSE_FAILURE_FOR_COSTS = 5;

interface Answer {
  state: Promise<QueueState>;
  /** Milliseconds on the monotonic clock. */
  until: number;
  failed: boolean;
}

export class RabbitQueue {
  readonly name: string;
  /** For display: the server, without user and password. */
  readonly location: string;
  readonly #connection: RabbitConnection;
  readonly #clock: () => number;
  #latest: Answer | null = null;
  #pending: Promise<QueueState> | null = null;

  constructor(address: RabbitAddress, clock: () => number = () => performance.now()) {
    this.#connection = new RabbitConnection(address);
    this.#clock = clock;
    this.name = address.queue;
    this.location = this.#connection.location;
  }

  /** Slightly outdated state. @throws StoreUnreachableError */
  state(): Promise<QueueState> {
    const latest = this.#latest;
    if (latest !== null && this.#clock() < latest.until) return latest.state;
    if (this.#pending === null) return this.#ask();
    // One caller checks whether the server is back; the others do not wait for it.
    return latest?.failed ? latest.state : this.#pending;
  }

  /** Current state, for actions. @throws StoreUnreachableError */
  stateNow(): Promise<QueueState> {
    this.#forget();
    return this.#ask();
  }

  /** Changes with `state`. Never fails. */
  async token(): Promise<string> {
    try {
      const { exists, messages } = await this.state();
      return exists ? String(messages) : "absent";
    } catch {
      return "unreachable";
    }
  }

  /** Deletes all messages and returns how many. Unacknowledged messages of consumers are kept. @throws StoreUnreachableError */
  async purge(): Promise<number> {
    try {
      return await this.#connection.use(async (channel) => (await channel.purgeQueue(this.name)).messageCount);
    } catch (error) {
      if (isAbsentQueue(error)) return 0;
      throw error;
    } finally {
      this.#forget();
    }
  }

  /** Adds a persistent message for each of these invocations. Null if the server has confirmed all. */
  async publish(invocationIds: readonly string[]): Promise<Undelivered | null> {
    const arrived = new Set<string>();
    try {
      await this.#connection.use(async (channel) => {
        // Without this queue the server confirms and drops the message, unless `mandatory` makes it return it.
        const returned = new Set<string>();
        channel.on("return", ({ content }) => returned.add(content.toString()));
        const options = { persistent: true, mandatory: true };
        const confirmed = (id: string) =>
          new Promise<void>((resolve, reject) => {
            channel.publish("", this.name, Buffer.from(id), options, (error) => {
              if (error) reject(error);
              else resolve();
              // A message is returned before it is confirmed.
              if (!error && !returned.has(id)) arrived.add(id);
            });
          });
        // Waits for all: the first rejection says nothing about the others.
        const answers = await Promise.allSettled(invocationIds.map(confirmed));
        for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
        if (returned.size > 0) throw this.absent();
      });
      return null;
    } catch (error) {
      const invocation_ids = invocationIds.filter((id) => !arrived.has(id));
      if (invocation_ids.length === 0) return null;
      return { invocation_ids, reason: asUnreachable(error, this.location) };
    } finally {
      this.#forget();
    }
  }

  absent(): StoreUnreachableError {
    return new StoreUnreachableError(
      "missing",
      `There is no queue ${this.name} at ${this.location}.`,
      "pynenc creates it when the app or a runner first uses it.",
    );
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #ask(): Promise<QueueState> {
    const startedAt = this.#clock();
    const pending = this.#count();
    this.#pending = pending;
    const keep = (failed: boolean, span: number) => {
      if (this.#pending !== pending) return;
      this.#pending = null;
      this.#latest = { state: pending, until: this.#clock() + span, failed };
    };
    pending.then(
      ({ exists }) => keep(false, exists ? FRESH_MS : ABSENT_MS),
      () => keep(true, Math.max(FRESH_MS, (this.#clock() - startedAt) * REUSE_FAILURE_FOR_COSTS)),
    );
    return pending;
  }

  async #count(): Promise<QueueState> {
    try {
      const { messageCount } = await this.#connection.use((channel) => channel.checkQueue(this.name));
      return { exists: true, messages: messageCount };
    } catch (error) {
      if (isAbsentQueue(error)) return { exists: false, messages: 0 };
      throw error;
    }
  }

  /** A query in progress may return the state before the change. */
  #forget(): void {
    this.#latest = null;
    this.#pending = null;
  }
}

function asUnreachable(error: unknown, location: string): StoreUnreachableError {
  if (error instanceof StoreUnreachableError) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new StoreUnreachableError("failed", `${location} did not accept the message: ${words}`, null, {
    cause: error,
  });
}
