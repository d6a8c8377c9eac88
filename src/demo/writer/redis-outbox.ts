import type { Command, RedisConnection } from "../../stores/redis/server/connection.ts";
import { inChunks } from "../../stores/server/chunks.ts";
import type { Outbox } from "./server-writer.ts";

/** Commands per round trip. */
const BATCH = 2_000;

/** Queued commands to a server, in order. */
export class RedisOutbox implements Outbox {
  readonly connection: RedisConnection;
  #commands: Command[] = [];

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  add(commands: readonly Command[]): void {
    for (const command of commands) this.#commands.push(command);
  }

  async flush(): Promise<void> {
    for (const some of inChunks(this.#take(), BATCH)) await this.connection.exchange(some);
  }

  /** As one transaction, so that no reader sees half a step of the app. */
  async commit(): Promise<void> {
    await this.connection.transaction(this.#take());
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #take(): Command[] {
    const commands = this.#commands;
    this.#commands = [];
    return commands;
  }
}
