import type { Command, RedisConnection } from "../../stores/redis/server/connection.ts";
import { inChunks } from "../../stores/server/chunks.ts";

/** Commands per round trip. */
const BATCH = 2_000;

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
    for (const some of inChunks(this.#take(), BATCH)) await this.connection.exchange(some);
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
