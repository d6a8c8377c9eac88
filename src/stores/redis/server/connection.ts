/**
 * One connection to one server, opened by the first command and reopened by the first command after it was lost. So pages recover as soon as the
 * server is back, and a server that stays down costs nothing between requests.
 */
import { performance } from "node:perf_hooks";
import type { RedisClientType } from "@redis/client";
import { StoreUnreachableError } from "../../../errors.ts";
import { loadClient } from "./client.ts";
import { redisError } from "./failures.ts";
import { Pace } from "./pace.ts";
import { isResponding } from "./responding.ts";
import type { ServerUse } from "./use.ts";

/** A server and a database on it. */
export interface RedisEndpoint {
  /** `redis[s]://[user[:password]@]host[:port][/database]`. Holds the password: show `location` instead. */
  url: string;
  /** The URL with secrets masked. */
  location: string;
  /** Connect timeout in seconds. */
  connectTimeout: number;
  /** Response timeout in seconds. */
  timeout: number;
}

/** Name and arguments. */
export type Command = readonly string[];

export type Reply = string | number | null | Reply[];

export interface Traffic {
  round_trips: number;
  commands: number;
}

type Client = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 2>;

/** A command that takes longer than this triggers a check whether the server is hung (`isResponding`). */
const HANG_CHECK_AFTER_MS = 2_000;

/** Timeout of that check. With the time before it, users see the error within three seconds. */
const HANG_CHECK_TIMEOUT_MS = 600;

/** How long a hung server is not retried, because one page sends several commands. */
const HUNG_RETRY_MS = 300;

export class RedisConnection {
  readonly endpoint: RedisEndpoint;
  /** Totals since the start, for benchmarks and tests. */
  readonly traffic: Traffic = { round_trips: 0, commands: 0 };
  /** Optional commands that this server turned out not to support, or not to allow for this user. */
  readonly unsupportedCommands = new Set<string>();
  /** Null for an unlimited connection. */
  readonly use: ServerUse | null;
  /** Response times of the server on this connection. */
  readonly pace = new Pace();
  /** Commands of this turn of the event loop are waiting to be written. */
  #writing = false;
  /** Exchanges in progress. */
  #exchanges = 0;
  #client: Promise<Client> | null = null;
  /** The hang check in progress, shared by all callers. */
  #hangCheck: Promise<boolean> | null = null;
  /** Closed for good: abandoned commands must not reopen it, or the process would not exit. */
  #closed: StoreUnreachableError | null = null;
  /** Set if the server was found hung; `until` is on the monotonic clock. */
  #hung: { until: number; error: StoreUnreachableError } | null = null;
  /** Rejects pending commands. */
  readonly #pending = new Set<(error: Error) => void>();

  constructor(endpoint: RedisEndpoint, use: ServerUse | null = null) {
    this.endpoint = endpoint;
    this.use = use;
  }

  /**
   * Sends all commands at once and returns the replies in order: one round trip. A key of the wrong type counts as absent and gives null.
   *
   * @param reserved number of commands the caller has reserved (`ServerUse.reserve`).
   * @throws StoreUnreachableError; RefusedError for a write to a replica.
   */
  async exchange(commands: readonly Command[], reserved = 0): Promise<Reply[]> {
    if (commands.length === 0) return [];
    const client = await this.#connected();
    this.#countRoundTrip();
    this.traffic.commands += commands.length;
    const replies = await this.#repliesTo(client, commands);
    const bytes = replies.reduce((sum, reply) => sum + (reply.status === "fulfilled" ? sizeOf(reply.value) : 0), 0);
    this.use?.count({ commands: commands.length, bytes, reserved });
    return replies.map((reply) => {
      if (reply.status === "fulfilled") return reply.value;
      if (isWrongType(reply.reason)) return null;
      throw redisError(reply.reason, this.endpoint.location);
    });
  }

  /**
   * Runs all commands or none, without other clients' commands in between (MULTI, EXEC). A key of the wrong type is handled as in `exchange`.
   *
   * @throws as `exchange`; then nothing was changed, unless the connection was lost during execution.
   */
  async transaction(commands: readonly Command[], reserved = 0): Promise<Reply[]> {
    if (commands.length === 0) return [];
    // They stay together because they are sent at once over this connection.
    const replies = await this.exchange([["MULTI"], ...commands, ["EXEC"]], reserved);
    const done = replies.at(-1);
    if (!Array.isArray(done)) throw new Error(`EXEC answered ${JSON.stringify(done)}`);
    return (done as unknown[]).map((reply) => {
      if (!(reply instanceof Error)) return reply as Reply;
      if (isWrongType(reply)) return null;
      throw redisError(reply, this.endpoint.location);
    });
  }

  async close(): Promise<void> {
    const opening = this.#client;
    this.#client = null;
    // The server may never answer.
    this.#closed = new StoreUnreachableError("failed", `The connection to ${this.endpoint.location} was closed.`);
    for (const abort of this.#pending) abort(this.#closed);
    await opening?.then(end).catch(() => undefined);
  }

  async #repliesTo(client: Client, commands: readonly Command[]): Promise<PromiseSettledResult<Reply>[]> {
    const sent = commands.map((command) => client.sendCommand<Reply>(command));
    // Measured only if no earlier command is pending: otherwise the time would include the wait for its reply.
    if (this.#exchanges++ === 0) {
      const since = performance.eventLoopUtilization();
      // Only idle time of this thread counts; time it spent on other work is not the server's.
      const answered = () => this.pace.record(performance.eventLoopUtilization(since).idle);
      sent[0]?.then(answered).catch(() => undefined);
    }
    try {
      return await this.#inTime(client, Promise.allSettled(sent), this.endpoint.timeout);
    } finally {
      this.#exchanges--;
    }
  }

  /** The client writes what it is given in one turn of the event loop at once. */
  #countRoundTrip(): void {
    if (this.#writing) return;
    this.#writing = true;
    this.traffic.round_trips++;
    setImmediate(() => {
      this.#writing = false;
    });
  }

  #connected(): Promise<Client> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    if (this.#client === null) {
      if (this.#hung !== null && performance.now() < this.#hung.until) return Promise.reject(this.#hung.error);
      const opening: Promise<Client> = this.#open(() => {
        if (this.#client === opening) this.#client = null;
      });
      this.#client = opening;
    }
    return this.#client;
  }

  /** @param forget is called when the connection cannot be used any more; the next command opens another. */
  async #open(forget: () => void): Promise<Client> {
    const { url, connectTimeout, location } = this.endpoint;
    try {
      const { createClient } = await loadClient();
      const client = createClient({
        url,
        // Supported by every server and sufficient here.
        RESP: 2,
        name: "pynenc-monitor",
        disableClientInfo: true,
        maintNotifications: "disabled",
        disableOfflineQueue: true,
        // `#inTime` sets one deadline for all commands. The client's own timer per command would cost more than the command.
        commandOptions: { timeout: 0 },
        socket: { connectTimeout: connectTimeout * 1000, reconnectStrategy: false },
      }) as unknown as Client;
      // The callers waiting for an answer receive the error.
      client.on("error", forget);
      client.on("end", forget);
      // This also sends greeting, password and database selection, which a hung server never answers.
      await this.#inTime(client, client.connect(), connectTimeout);
      return client;
    } catch (error) {
      forget();
      throw redisError(error, location);
    }
  }

  #isResponding(): Promise<boolean> {
    this.#hangCheck ??= isResponding(this.endpoint.url, HANG_CHECK_TIMEOUT_MS).finally(() => {
      this.#hangCheck = null;
    });
    return this.#hangCheck;
  }

  /** @param seconds timeout after which the connection is closed; sooner if the server does not respond to a second connection either. */
  async #inTime<T>(client: Client, replies: Promise<T>, seconds: number): Promise<T> {
    const { location } = this.endpoint;
    let abort: (error: Error) => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = (error) => {
        reject(error);
        // Its replies are not read any more. Close the connection; the next command opens another.
        end(client);
      };
    });
    const late = () =>
      abort(
        new StoreUnreachableError(
          "timeout",
          `${location} did not answer within ${seconds} s.`,
          "Try again in a moment.",
        ),
      );
    const timer = setTimeout(late, seconds * 1000);
    const hangCheck = setTimeout(async () => {
      // The reply may have arrived in the meantime.
      if ((await this.#isResponding()) || !this.#pending.has(abort)) return;
      const waited = (HANG_CHECK_AFTER_MS + HANG_CHECK_TIMEOUT_MS) / 1000;
      const error = new StoreUnreachableError(
        "timeout",
        `${location} does not respond: no answer within ${waited} s, not even to a second connection.`,
        "It may be stopped, or busy with one long command. Try again in a moment.",
      );
      this.#hung = { until: performance.now() + HUNG_RETRY_MS, error };
      abort(error);
    }, HANG_CHECK_AFTER_MS);
    this.#pending.add(abort);
    try {
      return await Promise.race([replies, aborted]);
    } finally {
      clearTimeout(timer);
      clearTimeout(hangCheck);
      this.#pending.delete(abort);
    }
  }
}

/** Closes it even if it is busy; pending commands fail. */
function end(client: Client): void {
  try {
    client.destroy();
  } catch {
    // It has ended already.
  }
}

/** Approximate bytes of a reply: non-ASCII characters count as one. */
function sizeOf(reply: Reply): number {
  if (typeof reply === "string") return reply.length + 8;
  if (Array.isArray(reply)) return reply.reduce<number>((sum, one) => sum + sizeOf(one), 8);
  return 8;
}

function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("WRONGTYPE");
}
