/**
 * One connection to one server, opened by the first command and reopened by the first command after it was lost. So pages recover as soon as the
 * server is back, and a server that stays down costs nothing between requests.
 */
import { performance } from "node:perf_hooks";
import type { RedisClientType } from "@redis/client";
import { AnswerWatch, HANG_CHECK_TIMEOUT_MS } from "../../server/answer-watch.ts";
import { isResponding } from "../../server/responding.ts";
import type { ServerConnection, ServerEndpoint, Traffic } from "../../server/servers.ts";
import type { ServerUse } from "../../server/use.ts";
import { loadClient } from "./client.ts";
import { redisError } from "./failures.ts";
import { Pace } from "./pace.ts";

/** `redis[s]://[user[:password]@]host[:port][/database]`. */
export type RedisEndpoint = ServerEndpoint;

/** Name and arguments. */
export type Command = readonly string[];

export type Reply = string | number | null | Reply[];

type Client = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 2>;

const DEFAULT_PORT = 6379;

export class RedisConnection implements ServerConnection<RedisEndpoint> {
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
  readonly #watch: AnswerWatch;

  constructor(endpoint: RedisEndpoint, use: ServerUse | null = null) {
    this.endpoint = endpoint;
    this.use = use;
    const { hostname, port } = new URL(endpoint.url);
    const greeting = {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port) || DEFAULT_PORT,
      request: "PING\r\n",
    };
    this.#watch = new AnswerWatch(endpoint.location, () => isResponding(greeting, HANG_CHECK_TIMEOUT_MS));
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
    this.#watch.close();
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
      return await this.#watch.inTime(Promise.allSettled(sent), this.endpoint.timeout, () => end(client));
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
    const { refusal } = this.#watch;
    if (this.#client === null) {
      if (refusal !== null) return Promise.reject(refusal);
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
        // The watch sets one deadline for all commands. The client's own timer per command would cost more than the command.
        commandOptions: { timeout: 0 },
        socket: { connectTimeout: connectTimeout * 1000, reconnectStrategy: false },
      }) as unknown as Client;
      // The callers waiting for an answer receive the error.
      client.on("error", forget);
      client.on("end", forget);
      // This also sends greeting, password and database selection, which a hung server never answers.
      await this.#watch.inTime(client.connect(), connectTimeout, () => end(client));
      return client;
    } catch (error) {
      forget();
      throw redisError(error, location);
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
