import type { Command, RedisConnection } from "../../stores/redis/server/connection.ts";
import { inChunks } from "../../stores/redis/server/db.ts";

/** Commands that go over in one round trip. */
const TOGETHER = 2_000;

/** Values that one command writes: the server does nothing else meanwhile. */
const MOST_VALUES = 1_000;

/** Commands on their way to a server, in the order in which they were given. */
export class RedisOutbox {
  readonly connection: RedisConnection;
  #commands: Command[] = [];

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  add(commands: readonly Command[]): void {
    for (const command of commands) this.#commands.push(command);
  }

  /** Sends them in large steps: for a story, which nobody reads before it is complete. */
  async flush(): Promise<void> {
    for (const some of inChunks(gathered(this.#take()), TOGETHER)) await this.connection.exchange(some);
  }

  /**
   * Sends them as one transaction: no reader sees half a step of the app. When it fails they are gone, because nobody can tell whether
   * they arrived, and to repeat them could write an entry twice.
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

/**
 * The same in far fewer commands: what several of them add to one key is added by one. Each key sees its changes in their order;
 * between keys there is none.
 */
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
      const begun = growing.get(key);
      if (begun?.[0] === verb && begun.length < MOST_VALUES) {
        begun.push(...values);
      } else {
        finish(key);
        growing.set(key, [...command]);
      }
    } else {
      for (const named of verb === "DEL" ? command.slice(1) : [key]) finish(named);
      ready.push(command);
    }
  }
  for (const pairs of inChunks([...texts], MOST_VALUES)) ready.push(["MSET", ...pairs.flat()]);
  for (const command of growing.values()) ready.push(command);
  return ready;
}
