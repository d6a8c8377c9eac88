import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import { pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { FINAL_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, julianDayFromEpoch, toMicros } from "../../pynenc/time.ts";
import { AppKeys } from "../../stores/redis/keys/keys.ts";
import { statusCommands } from "../../stores/redis/keys/registration.ts";
import { RedisDb } from "../../stores/redis/server/db.ts";
import { inImmediateTransaction, openDatabase } from "../../stores/sqlite/file/driver.ts";
import type { RedisOutbox } from "./redis-outbox.ts";
import { type OtherRows, releaseCommands, removedRow, statusRecord, writtenRow } from "./redis-rows.ts";
import { type Layout, type TableKey, tableColumns, tableKeys } from "./schema.ts";
import type { Row } from "./table-writer.ts";
import { DemoWriter } from "./writer.ts";

/** The only layout supported for Redis. */
export const REDIS_LAYOUT: Layout = "0.3.1";

/** Limit of queue messages read: far more than the demo ever has. */
const MAX_MESSAGES = 10_000;

/** An invocation on the server. */
interface StoredInvocation {
  status: Record<string, unknown> | null;
  definition: Record<string, unknown> | null;
}

/**
 * Writes the same app into a Redis server. The rows of DemoWriter are in an in-memory database, which the app reads; each change becomes commands in
 * the outbox. Others change the server too (a rerun, a purge); `readBack` applies these changes.
 */
export class RedisWriter extends DemoWriter {
  override readonly brokerClass = "RedisBroker";
  readonly outbox: RedisOutbox;
  readonly #keys: AppKeys;
  readonly #others: OtherRows;
  #lastRegistration: EpochSeconds = 0;

  constructor(outbox: RedisOutbox, appId: string, memory = openDatabase(":memory:", { mode: "create" })) {
    // The plugin's published versions have one queue without a name.
    super(memory, appId, REDIS_LAYOUT);
    this.outbox = outbox;
    this.#keys = new AppKeys(appId);
    this.#others = {
      taskOf: (invocationId) => this.definitionOf(invocationId)?.task_id_key ?? null,
      contextOf: (runnerId) =>
        this.#row("state_backend_runner_contexts", "runner_id", runnerId) as unknown as RunnerContextRecord | null,
      waits: (invocationId) => this.#row("orchestrator_blocking_edges", "waiter_id", invocationId) !== null,
    };
  }

  override forApp(appId: string): RedisWriter {
    return new RedisWriter(this.outbox, appId, this.db);
  }

  override moveStatus(invocationId: string, to: string, runnerId: string, at: EpochSeconds): void {
    const from = this.statusOf(invocationId)?.status ?? "";
    const waiters = this.#rows("orchestrator_blocking_edges", "waited_id", invocationId);
    super.moveStatus(invocationId, to, runnerId, at);
    this.outbox.add([["SREM", this.#keys.key("orchestrator", "status", from), invocationId]]);
    if (!FINAL_STATUSES.includes(to)) return;
    const waiterIds = waiters.map(({ waiter_id }) => String(waiter_id));
    this.outbox.add(releaseCommands(this.#keys, invocationId, waiterIds, at));
  }

  /** Never externalised in Redis, however large (storage-format.md 9.2). */
  override setWorkflowData(workflowId: string, key: string, text: string): void {
    this.insert("state_backend_workflow_data", "REPLACE", { workflow_id: workflowId, data_key: key, data_value: text });
  }

  protected override update(table: TableKey, column: string, value: string, changes: Row): boolean {
    if (!super.update(table, column, value, changes)) return false;
    for (const row of this.#rows(table, column, value)) {
      // Of a status only what changes: its registration keeps its time.
      if (table === "orchestrator_invocations") this.outbox.add(statusCommands(this.#keys, statusRecord(row)));
      else this.add(table, row);
    }
    return true;
  }

  override remove(table: TableKey, column: string, value: string | number): void {
    const rows = this.#rows(table, column, value);
    super.remove(table, column, value);
    for (const row of rows) this.outbox.add(removedRow(this.#keys, table, row, this.#others));
  }

  protected override insert(table: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    const inserted = super.insert(table, conflict, row);
    if (inserted > 0)
      this.add(table, table === "orchestrator_invocations" ? { ...row, ...this.#registered(row) } : row);
    return inserted;
  }

  /** Calls made in one step have the same time in the demo. Their scores are a microsecond apart to keep their order. */
  #registered({ status_timestamp }: Row): Row {
    this.#lastRegistration = Math.max(Number(status_timestamp), toMicros(this.#lastRegistration + 1e-6));
    return { registered_at: this.#lastRegistration };
  }

  /** Does not keep the row in memory. */
  override add(table: TableKey, row: Row): void {
    this.outbox.add(writtenRow(this.#keys, table, row, this.#others));
  }

  override send(): Promise<void> {
    return this.outbox.commit();
  }

  override close(): Promise<void> {
    return this.outbox.connection.close();
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
    const db = new RedisDb(this.outbox.connection, null);
    const queue = this.#keys.key("broker", "default_queue");
    const messages = await db.texts("LRANGE", queue, "0", String(MAX_MESSAGES - 1));
    const open = this.all<{ id: string }>(
      "SELECT invocation_id AS id FROM $orchestrator_invocations WHERE auto_purge_timestamp IS NULL",
    );
    const ids = [...new Set([...open.map(({ id }) => id), ...messages])];
    const texts = await db.strings(
      ids.flatMap((id) => [
        this.#keys.key("orchestrator", "invocation_status", id),
        this.#keys.key("state_backend", "invocation", id),
      ]),
    );
    const found = new Map(
      ids.map((id, i): [string, StoredInvocation] => {
        const read = (text: string | null | undefined) => (text ? objectOrNull(parsedJson(text)) : null);
        return [id, { status: read(texts[2 * i]), definition: read(texts[2 * i + 1]) }];
      }),
    );
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
    const record = recordOf(definition);
    super.insert("state_backend_invocations", "REPLACE", { ...record });
    super.insert("orchestrator_invocations", "REPLACE", {
      invocation_id: id,
      task_id_key: record.task_id_key,
      call_id_key: record.call_id_key,
      status: String(status.status),
      status_runner_id: textOrNull(status.runner_id),
      status_timestamp: timeOf(status),
      retry_count: 0,
      auto_purge_timestamp: null,
    });
  }

  #followQueue(messages: readonly string[], found: ReadonlyMap<string, StoredInvocation>): void {
    const own = this.messages().map((message) => message.invocation_id);
    if (own.length === messages.length && own.every((id, i) => id === messages[i])) return;
    this.run("DELETE FROM $broker_message_queue");
    let last = 0;
    for (const invocation_id of messages) {
      // The server does not store when a message was added. Use the time of the invocation's status, but not before the previous message.
      const status = found.get(invocation_id)?.status ?? null;
      last = Math.max(last, status === null ? 0 : timeOf(status));
      super.insert("broker_message_queue", "ABORT", { invocation_id, created_at: julianDayFromEpoch(last) });
    }
  }

  #forgetRow(table: TableKey, invocationId: string): void {
    this.run(`DELETE FROM $${table} WHERE invocation_id = ?`, invocationId);
  }

  #rows(table: TableKey, column: string, value: string | number): Row[] {
    return this.all(`SELECT * FROM $${table} WHERE ${column} = ?`, value);
  }

  #row(table: TableKey, column: string, value: string): Row | null {
    return this.#rows(table, column, value)[0] ?? null;
  }
}

function recordOf(definition: Record<string, unknown>): InvocationRecord {
  const names = tableColumns("state_backend_invocations", REDIS_LAYOUT);
  const columns = Object.fromEntries(names.map((name) => [name, textOrNull(definition[name])]));
  const stored = objectOrNull(definition.serialized_arguments) ?? {};
  return {
    ...(columns as unknown as InvocationRecord),
    serialized_arguments: pythonJson(stored as Record<string, string>),
  };
}

function timeOf(status: Record<string, unknown>): EpochSeconds {
  return epochFromIso(String(status.timestamp)) ?? 0;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
