import type { Command, RedisConnection } from "../stores/redis/connection.ts";
import { inChunks } from "../stores/redis/db.ts";

/** Commands that go over in one round trip. */
const TOGETHER = 10_000;

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
    const commands = this.#take();
    for (const some of inChunks(commands, TOGETHER)) await this.connection.exchange(some);
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
