/**
 * One connection to one server, opened by the first command and opened anew by the first one after it was lost: a page recovers as
 * soon as the server is back, and a server that stays away costs nothing between requests.
 */
import type { RedisClientType } from "@redis/client";
import { StoreUnreachableError } from "../../../errors.ts";
import { redisError } from "./failures.ts";

/** A server and the database in it. */
export interface RedisEndpoint {
  /** `redis[s]://[user[:password]@]host[:port][/database]`. Holds the password: show `location` instead. */
  url: string;
  /** The URL without what is secret. */
  location: string;
  /** Seconds until a connection must stand. */
  connectTimeout: number;
  /** Seconds until the server must have answered everything that was sent to it. */
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

export class RedisConnection {
  readonly endpoint: RedisEndpoint;
  /** What was sent since the start: for benchmarks and tests. */
  readonly traffic: Traffic = { round_trips: 0, commands: 0 };
  #client: Promise<Client> | null = null;
  /** Ends what somebody waits for. */
  readonly #waiting = new Set<(error: Error) => void>();

  constructor(endpoint: RedisEndpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Sends all commands at once and answers in their order: one round trip. A key of another type than the command wants counts as
   * absent and gives null.
   *
   * @throws StoreUnreachableError; RefusedError for a write to a replica.
   */
  async exchange(commands: readonly Command[]): Promise<Reply[]> {
    if (commands.length === 0) return [];
    const client = await this.#connected();
    this.traffic.round_trips++;
    this.traffic.commands += commands.length;
    const replies = Promise.allSettled(commands.map((command) => client.sendCommand<Reply>(command)));
    return (await this.#inTime(client, replies, this.endpoint.timeout)).map((reply) => {
      if (reply.status === "fulfilled") return reply.value;
      if (isWrongType(reply.reason)) return null;
      throw redisError(reply.reason, this.endpoint.location);
    });
  }

  /**
   * All commands or none, with nobody else's between them (MULTI, EXEC). A key of another type is as in `exchange`.
   *
   * @throws as `exchange`; then nothing was changed, unless the connection was lost while the server did it.
   */
  async transaction(commands: readonly Command[]): Promise<Reply[]> {
    if (commands.length === 0) return [];
    // They stay together because they are sent in one go over a connection that nobody else writes to meanwhile.
    const replies = await this.exchange([["MULTI"], ...commands, ["EXEC"]]);
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
    const closed = new StoreUnreachableError("failed", `The connection to ${this.endpoint.location} was closed.`);
    for (const giveUp of this.#waiting) giveUp(closed);
    await opening?.then(end).catch(() => undefined);
  }

  #connected(): Promise<Client> {
    if (this.#client === null) {
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
      // Loaded by the first use: the client takes longer to load than the rest of the program.
      const { createClient } = await import("@redis/client");
      const client = createClient({
        url,
        // Understood by every server, and all that is needed here.
        RESP: 2,
        name: "pynenc-monitor",
        disableClientInfo: true,
        maintNotifications: "disabled",
        disableOfflineQueue: true,
        // One deadline for all that is sent (`#inTime`). The client's own, a timer for each command, costs more than the command.
        commandOptions: { timeout: 0 },
        socket: { connectTimeout: connectTimeout * 1000, reconnectStrategy: false },
      }) as unknown as Client;
      // What went wrong is told to whoever waits for an answer.
      client.on("error", forget);
      client.on("end", forget);
      // Besides the connection this is greeting, password and database: commands, which a server that hangs never answers.
      await this.#inTime(client, client.connect(), connectTimeout);
      return client;
    } catch (error) {
      forget();
      throw redisError(error, location);
    }
  }

  /** @param seconds after which the connection is given up. */
  async #inTime<T>(client: Client, replies: Promise<T>, seconds: number): Promise<T> {
    const { location } = this.endpoint;
    let giveUp: (error: Error) => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = (error) => {
        reject(error);
        // Its answers would come to nobody. The connection ends, and the next command opens another.
        end(client);
      };
    });
    const late = () =>
      giveUp(
        new StoreUnreachableError(
          "timeout",
          `${location} did not answer within ${seconds} s.`,
          "Try again in a moment.",
        ),
      );
    const timer = setTimeout(late, seconds * 1000);
    this.#waiting.add(giveUp);
    try {
      return await Promise.race([replies, givenUp]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(giveUp);
    }
  }
}

/** Whatever it was doing: what waits for it fails. */
function end(client: Client): void {
  try {
    client.destroy();
  } catch {
    // It has ended already.
  }
}

function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("WRONGTYPE");
}
