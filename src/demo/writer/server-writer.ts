import type { InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, julianDayFromEpoch } from "../../pynenc/time.ts";
import { inImmediateTransaction, openDatabase } from "../../stores/sqlite/file/driver.ts";
import { type Layout, type TableKey, tableKeys } from "./schema.ts";
import type { Row } from "./table-writer.ts";
import { DemoWriter } from "./writer.ts";

/** The only layout supported on servers: no published plugin has queues with names. */
export const SERVER_LAYOUT: Layout = "0.3.1";

/** Limit of queue messages read: far more than the demo ever has. */
const MAX_MESSAGES = 10_000;

/** Changes that wait to be sent to a server, in order. */
export interface Outbox {
  /** Sends them in large steps, for a story that nobody reads before it is complete. */
  flush(): Promise<void>;
  /**
   * Sends them as one step of the app, as far as the server can. If it fails they are dropped: it is not known whether they arrived, and a repetition could
   * write an entry twice.
   */
  commit(): Promise<void>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** An invocation on the server. */
export interface StoredInvocation {
  status: { status: string; runner_id: string | null; timestamp: EpochSeconds } | null;
  definition: InvocationRecord | null;
}

/** A message on the server. */
export interface StoredMessage {
  invocation_id: string;
  /** Null if the server does not store when it was added. */
  at: EpochSeconds | null;
}

/**
 * Writes the same app into a server. The rows of DemoWriter are in an in-memory database, which the app reads; each change goes to the outbox, too. Others
 * change the server as well (a rerun, a purge); `readBack` applies these changes.
 */
export abstract class ServerWriter extends DemoWriter {
  abstract readonly outbox: Outbox;

  constructor(appId: string, memory = openDatabase(":memory:", { mode: "create" })) {
    super(memory, appId, SERVER_LAYOUT);
  }

  /** A row replaces the one with the same key, if there is one. */
  protected abstract written(table: TableKey, row: Row): void;

  /** No other row has the key of this one. */
  protected inserted(table: TableKey, row: Row): void {
    this.written(table, row);
  }

  protected abstract removed(table: TableKey, row: Row): void;

  /** A row has new values. */
  protected changed(table: TableKey, row: Row): void {
    this.written(table, row);
  }

  /** Messages in the order in which they are taken. */
  protected abstract storedMessages(limit: number): Promise<StoredMessage[]>;

  protected abstract storedInvocations(ids: readonly string[]): Promise<Map<string, StoredInvocation>>;

  protected override update(table: TableKey, column: string, value: string, changes: Row): boolean {
    if (!super.update(table, column, value, changes)) return false;
    for (const row of this.rowsOf(table, column, value)) this.changed(table, row);
    return true;
  }

  override remove(table: TableKey, column: string, value: string | number): void {
    const rows = this.rowsOf(table, column, value);
    super.remove(table, column, value);
    for (const row of rows) this.removed(table, row);
  }

  protected override insert(table: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    const inserted = super.insert(table, conflict, row);
    // A row that may be there already may be on the server alone (`forget`).
    if (conflict === "ABORT") this.inserted(table, row);
    else if (conflict === "REPLACE" || inserted > 0) this.written(table, row);
    return inserted;
  }

  /** Does not keep the row in memory. */
  override add(table: TableKey, row: Row): void {
    this.inserted(table, row);
  }

  override send(): Promise<void> {
    return this.outbox.commit();
  }

  override close(): Promise<void> {
    return this.outbox.close();
  }

  /** Drops all rows from memory but keeps them on the server: bulk data are never read back. */
  forget(): void {
    for (const table of tableKeys()) this.run(`DELETE FROM $${table}`);
  }

  /**
   * Applies changes made by others on the server: added and removed messages, purged invocations, and invocations of new messages. Data lost by the
   * server are dropped in the same way.
   *
   * @throws StoreUnreachableError; then nothing was changed.
   */
  override async readBack(): Promise<void> {
    const messages = await this.storedMessages(MAX_MESSAGES);
    const open = this.all<{ id: string }>(
      "SELECT invocation_id AS id FROM $orchestrator_invocations WHERE auto_purge_timestamp IS NULL",
    );
    const ids = [...new Set([...open.map(({ id }) => id), ...messages.map((message) => message.invocation_id)])];
    const found = await this.storedInvocations(ids);
    inImmediateTransaction(this.db, () => {
      for (const [id, stored] of found) this.#follow(id, stored);
      this.#followQueue(messages, found);
    });
  }

  #follow(id: string, { status, definition }: StoredInvocation): void {
    const own = this.statusOf(id);
    if (own !== null && own.status !== status?.status) this.#forgetRow("orchestrator_invocations", id);
    if (definition === null) this.#forgetRow("state_backend_invocations", id);
    if (own !== null || status === null || definition === null) return;
    super.insert("state_backend_invocations", "REPLACE", { ...definition });
    super.insert("orchestrator_invocations", "REPLACE", {
      invocation_id: id,
      task_id_key: definition.task_id_key,
      call_id_key: definition.call_id_key,
      status: status.status,
      status_runner_id: status.runner_id,
      status_timestamp: status.timestamp,
      retry_count: 0,
      auto_purge_timestamp: null,
    });
  }

  #followQueue(messages: readonly StoredMessage[], found: ReadonlyMap<string, StoredInvocation>): void {
    const own = this.messages().map((message) => message.invocation_id);
    if (own.length === messages.length && own.every((id, i) => id === messages[i]?.invocation_id)) return;
    this.run("DELETE FROM $broker_message_queue");
    let last = 0;
    for (const { invocation_id, at } of messages) {
      // Where the time is not stored, that of the invocation's status, but not before the previous message.
      last = Math.max(last, at ?? found.get(invocation_id)?.status?.timestamp ?? 0);
      super.insert("broker_message_queue", "ABORT", { invocation_id, created_at: julianDayFromEpoch(last) });
    }
  }

  #forgetRow(table: TableKey, invocationId: string): void {
    this.run(`DELETE FROM $${table} WHERE invocation_id = ?`, invocationId);
  }

  protected rowsOf(table: TableKey, column: string, value: string | number): Row[] {
    return this.all(`SELECT * FROM $${table} WHERE ${column} = ?`, value);
  }

  protected rowOf(table: TableKey, column: string, value: string): Row | null {
    return this.rowsOf(table, column, value)[0] ?? null;
  }

  protected contextOf(runnerId: string): RunnerContextRecord | null {
    return this.rowOf("state_backend_runner_contexts", "runner_id", runnerId) as unknown as RunnerContextRecord | null;
  }
}
