import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import { pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { FINAL_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, toMicros } from "../../pynenc/time.ts";
import { AppKeys } from "../../stores/redis/keys/keys.ts";
import { statusCommands } from "../../stores/redis/keys/registration.ts";
import { RedisDb } from "../../stores/redis/server/db.ts";
import type { Connection } from "../../stores/sqlite/file/connection.ts";
import type { RedisOutbox } from "./redis-outbox.ts";
import { type OtherRows, releaseCommands, removedRow, statusRecord, writtenRow } from "./redis-rows.ts";
import { type TableKey, tableColumns } from "./schema.ts";
import { SERVER_LAYOUT, ServerWriter, type StoredInvocation, type StoredMessage } from "./server-writer.ts";
import type { Row } from "./table-writer.ts";

/** Each change of a row becomes commands in the outbox. */
export class RedisWriter extends ServerWriter {
  override readonly brokerClass = "RedisBroker";
  readonly outbox: RedisOutbox;
  readonly #keys: AppKeys;
  readonly #others: OtherRows;
  #lastRegistration: EpochSeconds = 0;

  constructor(outbox: RedisOutbox, appId: string, memory?: Connection) {
    super(appId, memory);
    this.outbox = outbox;
    this.#keys = new AppKeys(appId);
    this.#others = {
      taskOf: (invocationId) => this.definitionOf(invocationId)?.task_id_key ?? null,
      contextOf: (runnerId) => this.contextOf(runnerId),
      waits: (invocationId) => this.rowOf("orchestrator_blocking_edges", "waiter_id", invocationId) !== null,
    };
  }

  override forApp(appId: string): RedisWriter {
    return new RedisWriter(this.outbox, appId, this.db);
  }

  override moveStatus(invocationId: string, to: string, runnerId: string, at: EpochSeconds): void {
    const from = this.statusOf(invocationId)?.status ?? "";
    const waiters = this.rowsOf("orchestrator_blocking_edges", "waited_id", invocationId);
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

  protected override written(table: TableKey, row: Row): void {
    this.outbox.add(writtenRow(this.#keys, table, row, this.#others));
  }

  protected override removed(table: TableKey, row: Row): void {
    this.outbox.add(removedRow(this.#keys, table, row, this.#others));
  }

  /** Of a status only what changes: its registration keeps its time. */
  protected override changed(table: TableKey, row: Row): void {
    if (table === "orchestrator_invocations") this.outbox.add(statusCommands(this.#keys, statusRecord(row)));
    else this.written(table, row);
  }

  protected override insert(table: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    return super.insert(
      table,
      conflict,
      table === "orchestrator_invocations" ? { ...row, ...this.#registered(row) } : row,
    );
  }

  /** Calls made in one step have the same time in the demo. Their scores are a microsecond apart to keep their order. */
  #registered({ status_timestamp }: Row): Row {
    this.#lastRegistration = Math.max(Number(status_timestamp), toMicros(this.#lastRegistration + 1e-6));
    return { registered_at: this.#lastRegistration };
  }

  protected override async storedMessages(limit: number): Promise<StoredMessage[]> {
    const db = new RedisDb(this.outbox.connection, null);
    const ids = await db.texts("LRANGE", this.#keys.key("broker", "default_queue"), "0", String(limit - 1));
    return ids.map((invocation_id) => ({ invocation_id, at: null }));
  }

  protected override async storedInvocations(ids: readonly string[]): Promise<Map<string, StoredInvocation>> {
    const db = new RedisDb(this.outbox.connection, null);
    const texts = await db.strings(
      ids.flatMap((id) => [
        this.#keys.key("orchestrator", "invocation_status", id),
        this.#keys.key("state_backend", "invocation", id),
      ]),
    );
    const read = (text: string | null | undefined) => (text ? objectOrNull(parsedJson(text)) : null);
    return new Map(
      ids.map((id, i) => {
        const [status, definition] = [read(texts[2 * i]), read(texts[2 * i + 1])];
        return [id, { status: status && statusOf(status), definition: definition && recordOf(definition) }];
      }),
    );
  }
}

function statusOf(stored: Record<string, unknown>): StoredInvocation["status"] {
  return {
    status: String(stored.status),
    runner_id: textOrNull(stored.runner_id),
    timestamp: epochFromIso(String(stored.timestamp)) ?? 0,
  };
}

function recordOf(definition: Record<string, unknown>): InvocationRecord {
  const names = tableColumns("state_backend_invocations", SERVER_LAYOUT);
  const columns = Object.fromEntries(names.map((name) => [name, textOrNull(definition[name])]));
  const stored = objectOrNull(definition.serialized_arguments) ?? {};
  return {
    ...(columns as unknown as InvocationRecord),
    serialized_arguments: pythonJson(stored as Record<string, string>),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
