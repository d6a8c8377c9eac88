/** Access to a server for reads and actions: batches of commands within a deadline, and walks over keys in small steps. */
import { StoreUnreachableError } from "../../../errors.ts";
import type { CutMark } from "../../../pynenc/records.ts";
import { inChunks } from "../../server/chunks.ts";
import { Requester } from "../../server/requester.ts";
import { cutToBytes } from "../../value-limit.ts";
import type { Command, RedisConnection, Reply } from "./connection.ts";

/** Keys the server scans per step of a walk: about two milliseconds, during which it serves no other client. */
const SCAN_STEP = 2_000;

/** Values requested per command. The server is blocked while it collects them. */
const VALUES_PER_COMMAND = 1_000;

/** Keys whose existence one command asks for, and how many if only some of those exist. */
const EXISTING_AT_ONCE = [VALUES_PER_COMMAND, 32, 1];

/** Commands sent per round trip. */
const COMMANDS_PER_ROUND_TRIP = 10;

/** A Redis string has at most 512 MB. */
const MAX_STRING_BYTES = 536_870_912;

export class RedisDb {
  readonly #connection: RedisConnection;
  readonly #requester: Requester;

  /** @param deadline, signal as of `Requester`. */
  constructor(connection: RedisConnection, deadline: number | null, signal?: AbortSignal) {
    this.#connection = connection;
    this.#requester = new Requester(connection.endpoint.location, deadline, signal);
  }

  get location(): string {
    return this.#connection.endpoint.location;
  }

  /** Whether both use the same connection, so that their commands can share a transaction. */
  sameServer(other: RedisDb): boolean {
    return this.#connection === other.#connection;
  }

  /**
   * Like `RedisConnection.exchange`. Never throws synchronously: among the arguments of a `Promise.all` that would leave the earlier promises
   * unhandled, and their rejection would end the process.
   *
   * @throws StoreUnreachableError, also after the deadline; AbandonedError.
   */
  async exchange(commands: readonly Command[]): Promise<Reply[]> {
    const most = this.#connection.use?.maxAtOnce ?? commands.length;
    if (commands.length <= most) return this.#throttled(commands, "exchange");
    const replies: Reply[] = [];
    for (const some of inChunks(commands, most)) replies.push(...(await this.#throttled(some, "exchange")));
    return replies;
  }

  /** Like `RedisConnection.transaction`. */
  async transaction(commands: readonly Command[]): Promise<Reply[]> {
    return this.#throttled(commands, "transaction");
  }

  /** Like `exchange`, for one step of a walk: pauses first if the server is slow. */
  async step(commands: readonly Command[]): Promise<Reply[]> {
    await this.#requester.sleep(this.#connection.pace.pause(this.#requester.inBackground ? "background" : "page"));
    return this.exchange(commands);
  }

  async ask(...command: string[]): Promise<Reply> {
    const [reply = null] = await this.exchange([command]);
    return reply;
  }

  async number(...command: string[]): Promise<number> {
    return numberOf(await this.ask(...command));
  }

  async texts(...command: string[]): Promise<string[]> {
    return textsOf(await this.ask(...command));
  }

  /** The strings at these keys in order, null for a missing key: one round trip. */
  async strings(keys: readonly string[]): Promise<(string | null)[]> {
    const replies = await this.exchange(inChunks(keys, VALUES_PER_COMMAND).map((some) => ["MGET", ...some]));
    return replies.flatMap((reply) => (reply as (string | null)[] | null) ?? []);
  }

  /** Like `strings`, but cuts texts to a maximum size. Takes a second round trip if any is cut. */
  async cutStrings(keys: readonly string[], bytes: number): Promise<(({ text: string } & CutMark) | null)[]> {
    // Requests one byte more than wanted, which shows that a text is longer. Stored texts are never empty.
    const end = String(Math.min(bytes, MAX_STRING_BYTES));
    const heads = await this.exchange(keys.map((key) => ["GETRANGE", key, "0", end]));
    const large = keys.flatMap((key, i) => {
      const head = heads[i];
      return typeof head === "string" && Buffer.byteLength(head) > bytes ? [{ key, i }] : [];
    });
    const sizes = await this.exchange(large.map(({ key }) => ["STRLEN", key]));
    const sizeAt = new Map(large.map(({ i }, at) => [i, numberOf(sizes[at])]));
    return keys.map((_, i) => {
      const [head, size] = [heads[i], sizeAt.get(i)];
      if (typeof head !== "string" || head === "") return null;
      return size === undefined ? { text: head } : { text: cutToBytes(head, bytes), whole_size: size };
    });
  }

  /** The keys that exist, in order. Usually all or none of many do, which one command shows; only where some do, fewer are asked for at a time. */
  async existing(keys: readonly string[]): Promise<string[]> {
    const present = new Set<string>();
    let open: readonly string[] = keys;
    for (const size of EXISTING_AT_ONCE) {
      // A single group has been asked for already.
      if (size > 1 && size < VALUES_PER_COMMAND && open.length <= size) continue;
      const groups = inChunks(open, size);
      const counts = await this.exchange(groups.map((group) => ["EXISTS", ...group]));
      const mixed: string[] = [];
      for (const [i, group] of groups.entries()) {
        const count = numberOf(counts[i]);
        if (count === group.length) for (const key of group) present.add(key);
        else if (count > 0) mixed.push(...group);
      }
      open = mixed;
    }
    return keys.filter((key) => present.has(key));
  }

  /** Scores of these members in order, null for those not in the sorted set. */
  async scores(key: string, members: readonly string[]): Promise<(number | null)[]> {
    return (await this.#perMember("ZMSCORE", "ZSCORE", key, members)).map(numberOrNull);
  }

  /** Whether each of these is a member of the set, in order. */
  async membership(key: string, members: readonly string[]): Promise<boolean[]> {
    return (await this.#perMember("SMISMEMBER", "SISMEMBER", key, members)).map((reply) => reply === 1);
  }

  /** Queries many members with one command, which servers before 6.2 do not have. */
  async #perMember(
    many: "ZMSCORE" | "SMISMEMBER",
    one: "ZSCORE" | "SISMEMBER",
    key: string,
    members: readonly string[],
  ): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const some of inChunks(members, VALUES_PER_COMMAND * COMMANDS_PER_ROUND_TRIP)) {
      const answered = await this.#ifSupported(inChunks(some, VALUES_PER_COMMAND).map((few) => [many, key, ...few]));
      if (answered === null) replies.push(...(await this.exchange(some.map((member) => [one, key, member]))));
      // A key of the wrong type, which counts as absent, gives a single null for all members.
      else
        replies.push(
          ...inChunks(some, VALUES_PER_COMMAND).flatMap(
            (few, i) => (answered[i] as Reply[] | null) ?? few.map(() => null),
          ),
        );
    }
    return replies;
  }

  /** Like `exchange`, for commands of one kind; null if the server does not know the command or this user may not use it. */
  async #ifSupported(commands: readonly Command[]): Promise<Reply[] | null> {
    const name = commands[0]?.[0] ?? "";
    const { unsupportedCommands } = this.#connection;
    if (unsupportedCommands.has(name)) return null;
    try {
      return await this.exchange(commands);
    } catch (error) {
      const message = error instanceof StoreUnreachableError && error.cause instanceof Error ? error.cause.message : "";
      if (!/^(ERR unknown command|NOPERM)/.test(message)) throw error;
      unsupportedCommands.add(name);
      return null;
    }
  }

  /**
   * Walks over all keys of the database and yields those that match, in no order; a key may appear twice. Never blocks the server for long, but takes
   * time proportional to all keys in the database, however few match.
   *
   * @param step keys the server examines per command.
   */
  async *scan(pattern: string, step = SCAN_STEP): AsyncGenerator<string[], void, undefined> {
    const ask = (cursor: string) => this.step([["SCAN", cursor, "MATCH", pattern, "COUNT", String(step)]]);
    for (let pending: Promise<Reply[]> | null = ask("0"); pending !== null; ) {
      const [[cursor, keys]] = (await pending) as [[string, string[]]];
      // The server continues to scan while these keys are processed.
      pending = cursor === "0" ? null : ask(cursor);
      // Errors are reported when it is awaited.
      pending?.catch(() => undefined);
      if (keys.length > 0) yield keys;
    }
  }

  /** See `Requester.inTime`. */
  inTime<T>(shared: Promise<T>): Promise<T> {
    return this.#requester.inTime(shared);
  }

  #throttled(commands: readonly Command[], how: "exchange" | "transaction"): Promise<Reply[]> {
    const connection = this.#connection;
    return this.#requester.send(connection.use, commands.length, () => connection[how](commands, commands.length));
  }
}

/** A reply that is a number or numeric text; 0 for anything else. */
export function numberOf(reply: Reply | undefined): number {
  const number = typeof reply === "string" ? Number(reply) : reply;
  return typeof number === "number" && Number.isFinite(number) ? number : 0;
}

/** Like `numberOf`, but null for a missing value. */
export function numberOrNull(reply: Reply | undefined): number | null {
  return reply === null || reply === undefined || Array.isArray(reply) ? null : numberOf(reply);
}

/** A list of strings; empty for anything else. */
export function textsOf(reply: Reply | undefined): string[] {
  return Array.isArray(reply) ? reply.filter((item) => typeof item === "string") : [];
}

/** Parses the reply of ZRANGE and related commands WITHSCORES, in the same order. */
export function scoredOf(reply: Reply | undefined): { member: string; score: number }[] {
  const flat = textsOf(reply);
  const scored: { member: string; score: number }[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) scored.push({ member: flat[i] ?? "", score: numberOf(flat[i + 1]) });
  return scored;
}
