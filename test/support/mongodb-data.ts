/**
 * The apps of a SQLite fixture as the documents that pynenc's MongoDB plugin would hold for them (storage-format.md 11). Rows are read and names are
 * spelled here without a line of the adapter, so that a field that is wrong there cannot hide.
 */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { Binary, BSON, type Document, Double, ObjectId } from "mongodb";
import { indexesOf } from "../../src/demo/writer/mongo-collections.ts";
import { type PythonValue, pythonJson } from "../../src/pynenc/python-dump.ts";
import { epochFromIso } from "../../src/pynenc/time.ts";
import { eachAppIn, nestedContexts, type Row, registrationsOf, type Tables, text } from "./fixture-tables.ts";
import type { MongoContent } from "./mongodb-content.ts";

/** pynenc's own is 15 MB: in the fixtures nothing would be in chunks. */
const CHUNK_BYTES = 150;

const MILLISECONDS_A_DAY = 86_400_000;
const JULIAN_DAY_OF_EPOCH = 2_440_587.5;

/** The names of an app's collections begin with this. */
export function mongoPrefix(appId: string): string {
  const name = appId.replaceAll(/[^A-Za-z0-9_]/gu, "_").replace(/^(?=\d)/, "_") || "_default";
  return `${name.slice(0, 31)}_${createHash("sha256").update(appId).digest("hex").slice(0, 8)}`;
}

/** @param path of a private copy: opening a database in WAL mode writes beside it. */
export function mongoContentOf(path: string): MongoContent {
  const content: MongoContent = new Map();
  eachAppIn(path, (tables) => {
    const app = new AppDocuments(content, tables);
    for (const write of [writeBroker, writeOrchestrator, writeState, writeWorkflows, writeValues, writeTriggers])
      write(app);
    if (tables.has("trg_events")) writeEvents(app);
  });
  return content;
}

class AppDocuments {
  readonly tables: Tables;
  readonly #content: MongoContent;
  readonly #prefix: string;
  #count = 0;

  constructor(content: MongoContent, tables: Tables) {
    this.#content = content;
    this.#prefix = mongoPrefix(tables.appId);
    this.tables = tables;
  }

  /**
   * Makes the collection, as the plugin does when it first uses it, and puts documents in.
   *
   * @param made the epoch second of each document's id. Ids never fall, also where processes wrote a moment out of order.
   */
  put(
    name: string,
    documents: readonly Document[],
    { made = () => 0, indexes: more = [] }: { made?: (document: Document) => number; indexes?: readonly string[] } = {},
  ): void {
    const full = `${this.#prefix}_${name}`;
    const held = this.#content.get(full) ?? { indexes: indexesOf(name, more), documents: [] };
    let latest = 0;
    for (const document of documents) {
      latest = Math.max(latest, Math.floor(made(document)));
      held.documents.push({ _id: this.#id(latest), ...document });
    }
    this.#content.set(full, held);
  }

  #id(second: number): ObjectId {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
    return new ObjectId(`${hex(second, 8)}0123456789${hex(this.#count++, 6)}`);
  }

  /** As `chunkedForm`; the chunks are put into a collection. */
  chunked(collection: string, key: string, items: Readonly<Record<string, string>>): Document {
    const { stored, chunks } = chunkedForm(key, items);
    this.put(collection, chunks);
    return stored;
  }
}

/** The form of values that may be too large for a document, and what is stored beside it. */
export function chunkedForm(
  key: string,
  items: Readonly<Record<string, string>>,
): { stored: Document; chunks: Document[] } {
  const tooLarge = (value: Document) => BSON.calculateObjectSize(value) > CHUNK_BYTES;
  if (!tooLarge(items)) return { stored: { inline: items }, chunks: [] };
  const names = Object.keys(items).filter((name) => tooLarge({ [name]: items[name] }));
  const inline = Object.fromEntries(Object.entries(items).filter(([name]) => !names.includes(name)));
  const stored = { inline, chunked: names };
  if (tooLarge(stored)) return { stored: { all_chunked: true }, chunks: chunksOf(key, JSON.stringify(items)) };
  return { stored, chunks: names.flatMap((name) => chunksOf(`${key}:${name}`, items[name] ?? "")) };
}

function chunksOf(chunk_key: string, value: string): Document[] {
  const packed = deflateSync(value);
  return Array.from({ length: Math.ceil(packed.length / CHUNK_BYTES) }, (_, seq) => ({
    chunk_key,
    seq,
    data: new Binary(packed.subarray(seq * CHUNK_BYTES, (seq + 1) * CHUNK_BYTES)),
  }));
}

function writeBroker(app: AppDocuments): void {
  const named = app.tables.has("broker_message_queue", "queue_name");
  app.put(
    "broker_message_queue",
    app.tables.rows("broker_message_queue").map((row) => ({
      invocation_id: row.invocation_id,
      ...(named && { queue_name: row.queue_name, priority: new Double(Number(row.priority)) }),
      created_at: fromJulian(row.created_at),
    })),
    named ? { indexes: ["queue_name -priority created_at"] } : {},
  );
}

function writeOrchestrator(app: AppDocuments): void {
  const { rows, has } = app.tables;
  const registered = registrationsOf(app.tables);
  const made = ({ invocation_id }: Document) => registered.get(invocation_id) ?? 0;
  app.put(
    "orchestrator_invocations",
    rows("orchestrator_invocations").map((row) => ({
      invocation_id: row.invocation_id,
      task_id_key: row.task_id_key,
      call_id_key: row.call_id_key,
      status: row.status,
      status_runner_id: row.status_runner_id,
      status_timestamp: fromEpoch(row.status_timestamp),
      retry_count: Number(row.retry_count),
      auto_purge_timestamp: double(row.auto_purge_timestamp),
      transition_lock: [],
    })),
    { made },
  );
  app.put("orchestrator_invocation_args", rows("orchestrator_invocation_args"));
  app.put("orchestrator_blocking_edges", rows("orchestrator_blocking_edges"));
  const named = has("orchestrator_runner_heartbeats", "consumed_queues");
  const service = has("orchestrator_runner_heartbeats", "last_service_start");
  app.put(
    "orchestrator_runner_heartbeats",
    rows("orchestrator_runner_heartbeats").map((row) => ({
      runner_id: row.runner_id,
      creation_timestamp: double(row.creation_timestamp),
      last_heartbeat: double(row.last_heartbeat),
      allow_to_run_atomic_service: row.allow_to_run_atomic_service === 1,
      ...(service && {
        last_service_start: fromIso(row.last_service_start),
        last_service_end: fromIso(row.last_service_end),
      }),
      ...(named && { consumed_queues: JSON.parse(text(row.consumed_queues)) }),
    })),
  );
  if (!has("orchestrator_atomic_service_executions")) return;
  const executions = rows("orchestrator_atomic_service_executions");
  app.put("orchestrator_atomic_service_executions", executions);
  const running = executions.filter((row) => row.status === "running").slice(0, 1);
  app.put(
    "orchestrator_atomic_service_active_execution",
    running.map(({ atomic_service_run_id, runner_id }) => ({ _id: "active", atomic_service_run_id, runner_id })),
  );
}

function writeState(app: AppDocuments): void {
  const { rows, has } = app.tables;
  const registered = registrationsOf(app.tables);
  const made = ({ invocation_id }: Document) => registered.get(invocation_id) ?? 0;
  const recordsEvents = has("state_backend_invocations", "parent_event_id");
  app.put("state_backend_chunks", []);
  app.put(
    "state_backend_invocations",
    rows("state_backend_invocations").map((row) => ({
      invocation_id: row.invocation_id,
      call_id_key: row.call_id_key,
      task_id_key: row.task_id_key,
      workflow_id: row.workflow_id,
      workflow_type_key: row.workflow_type_key,
      parent_workflow_id: row.parent_workflow_id,
      parent_invocation_id: row.parent_invocation_id,
      ...(recordsEvents && { parent_event_id: row.parent_event_id }),
      arguments: app.chunked(
        "state_backend_chunks",
        `${row.invocation_id}:args`,
        JSON.parse(text(row.serialized_arguments)),
      ),
    })),
    { made },
  );
  for (const [name, item] of [
    ["results", "result"],
    ["exceptions", "exception"],
  ] as const)
    app.put(
      `state_backend_${name}`,
      rows(`state_backend_${name}`).map((row) => ({
        invocation_id: row.invocation_id,
        ...app.chunked("state_backend_chunks", `${row.invocation_id}:${item}`, { [item]: text(row[`${item}_data`]) }),
      })),
    );
  app.put(
    "state_backend_history",
    rows("state_backend_history").map((row) => ({
      ...row,
      history_timestamp: fromEpoch(row.history_timestamp),
      history_json: text(row.history_json),
    })),
    { made: ({ history_timestamp }) => history_timestamp.getTime() / 1000 },
  );
  app.put(
    "state_backend_runner_contexts",
    [...nestedContexts(app.tables)].map(([runner_id, context]) => ({ runner_id, context_json: json(context) })),
  );
  app.put("state_backend_app_info", rows("state_backend_app_info"));
}

function writeWorkflows(app: AppDocuments): void {
  const { rows } = app.tables;
  app.put(
    "state_backend_workflows",
    rows("state_backend_workflows").map((row) => ({ ...row, parent_workflow_id: row.parent_workflow_id || null })),
  );
  app.put(
    "state_backend_workflow_data",
    rows("state_backend_workflow_data").map((row) => ({ ...row, data_value: text(row.data_value) })),
  );
  app.put("state_backend_workflow_sub_invocations", rows("state_backend_workflow_sub_invocations"));
}

function writeValues(app: AppDocuments): void {
  app.put("arg_cache_chunks", []);
  app.put(
    "arg_cache",
    app.tables.rows("client_data").map((row) => ({
      cache_key: row.data_key,
      created_at: fromJulian(row.created_at),
      ...app.chunked("arg_cache_chunks", text(row.data_key), { data: text(row.data_value) }),
    })),
  );
}

function writeTriggers(app: AppDocuments): void {
  const { rows } = app.tables;
  const pairs = rows("trg_condition_triggers");
  app.put(
    "trg_conditions",
    rows("trg_conditions").map((row) => ({ ...row, last_cron_execution: fromIso(row.last_cron_execution) })),
  );
  app.put(
    "trg_triggers",
    rows("trg_triggers").map(({ trigger_id, task_id_key, logic_value, argument_provider_json }) => ({
      trigger_id,
      task_id_key,
      condition_ids: pairs.filter((pair) => pair.trigger_id === trigger_id).map((pair) => pair.condition_id),
      logic_value,
      argument_provider_json,
    })),
  );
  app.put("trg_condition_triggers", pairs);
  app.put("trg_valid_conditions", rows("trg_valid_conditions"));
  app.put("trg_source_task_conditions", rows("trg_source_task_conditions"));
  for (const [name, key] of [
    ["trg_execution_claims", "claim_key"],
    ["trg_trigger_run_claims", "trigger_run_id"],
  ] as const)
    app.put(
      name,
      rows(name).map((row) => ({ [key]: row[key], expiration: fromIso(row.expiration), claimed_at: new Date(0) })),
    );
}

function writeEvents(app: AppDocuments): void {
  const { rows } = app.tables;
  const links = rows("trg_event_triggered_invocations").sort((a, b) => Number(a.linked_at) - Number(b.linked_at));
  const codes = new Map(rows("trg_events").map((row) => [text(row.event_id), text(row.event_code)]));
  app.put(
    "trg_events",
    rows("trg_events").map((row) => {
      const started = links.filter((link) => link.event_id === row.event_id).map((link) => link.invocation_id);
      return {
        event_id: row.event_id,
        event_code: row.event_code,
        timestamp: fromEpoch(row.event_timestamp),
        matched: Number(row.matched_condition_count) > 0,
        triggered: started.length > 0,
        triggered_invocation_ids: started,
        emitted_by_invocation_id: row.emitted_by_invocation_id,
        emitted_by_task_id: row.emitted_by_task_id,
        emitted_by_runner_context_id: row.emitted_by_runner_context_id,
        payload_json: text(row.event_json),
      };
    }),
  );
  app.put(
    "trg_trigger_runs",
    rows("trg_trigger_runs").map((row) => {
      const run = JSON.parse(text(row.trigger_run_json)) as {
        event_ids: string[];
        source_invocation_ids: string[];
        valid_condition_ids: string[];
        participants: { valid_condition_id: string | null }[];
      };
      const met = [...run.valid_condition_ids, ...run.participants.flatMap((one) => one.valid_condition_id ?? [])];
      return {
        trigger_run_id: row.trigger_run_id,
        trigger_id: row.trigger_id,
        task_id_key: row.task_id_key,
        logic_value: row.logic_value,
        event_ids: run.event_ids,
        event_codes: [...new Set(run.event_ids.flatMap((id) => codes.get(id) ?? []))].sort(),
        source_invocation_ids: run.source_invocation_ids,
        valid_condition_ids: [...new Set(met)].sort(),
        triggered_invocation_id: row.triggered_invocation_id,
        sort_time: fromEpoch(row.executed_at ?? row.claimed_at),
        payload_json: text(row.trigger_run_json),
      };
    }),
  );
}

function json(value: Row): string {
  return pythonJson(value as PythonValue);
}

function double(value: unknown): Double | null {
  return value === null ? null : new Double(Number(value));
}

/** Dates have milliseconds; what is finer is cut, once rounded to a microsecond. */
function fromEpoch(seconds: unknown): Date {
  return new Date(Math.floor(Number(seconds) * 1000 + 5e-4));
}

function fromIso(value: unknown): Date | null {
  return value === null ? null : fromEpoch(epochFromIso(text(value)));
}

function fromJulian(days: unknown): Date {
  return new Date(Math.round((Number(days) - JULIAN_DAY_OF_EPOCH) * MILLISECONDS_A_DAY));
}
