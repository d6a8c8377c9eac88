import type { Command, RedisConnection } from "../../stores/redis/server/connection.ts";
import { inChunks } from "../../stores/redis/server/db.ts";

/** Commands per round trip. */
const BATCH = 2_000;

/** Limit of values written per command, because the server is blocked meanwhile. */
const MAX_VALUES = 1_000;

/** Queued commands to a server, in order. */
export class RedisOutbox {
  readonly connection: RedisConnection;
  #commands: Command[] = [];

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  add(commands: readonly Command[]): void {
    for (const command of commands) this.#commands.push(command);
  }

  /** Sends the commands in large steps, for a story that nobody reads before it is complete. */
  async flush(): Promise<void> {
    for (const some of inChunks(gathered(this.#take()), BATCH)) await this.connection.exchange(some);
  }

  /**
   * Sends the commands as one transaction, so that no reader sees half a step of the app. If it fails they are dropped: it is not known whether they
   * arrived, and a repetition could write an entry twice.
   */
  async commit(): Promise<void> {
    await this.connection.transaction(this.#take());
  }

  #take(): Command[] {
    const commands = this.#commands;
    this.#commands = [];
    return commands;
  }
}

/** Merges commands that add to the same key. The order is kept for each key, but not between keys. */
function gathered(commands: readonly Command[]): Command[] {
  const ready: Command[] = [];
  const growing = new Map<string, string[]>();
  const texts = new Map<string, string>();

  const finish = (key: string) => {
    const command = growing.get(key);
    if (command !== undefined) ready.push(command);
    growing.delete(key);
    const text = texts.get(key);
    if (text !== undefined) ready.push(["SET", key, text]);
    texts.delete(key);
  };

  for (const command of commands) {
    const [verb = "", key = "", ...values] = command;
    if (verb === "SET" && values.length === 1) {
      texts.set(key, values[0] ?? "");
    } else if (verb === "SADD" || verb === "ZADD" || verb === "RPUSH") {
      const merged = growing.get(key);
      if (merged?.[0] === verb && merged.length < MAX_VALUES) {
        merged.push(...values);
      } else {
        finish(key);
        growing.set(key, [...command]);
      }
    } else {
      for (const named of verb === "DEL" ? command.slice(1) : [key]) finish(named);
      ready.push(command);
    }
  }
  for (const pairs of inChunks([...texts], MAX_VALUES)) ready.push(["MSET", ...pairs.flat()]);
  for (const command of growing.values()) ready.push(command);
  return ready;
}
