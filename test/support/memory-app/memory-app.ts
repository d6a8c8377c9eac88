/**
 * An app kept in memory, for tests of services: say what it holds, then call the service.
 *
 *     const app = memoryApp()
 *       .runner("r1", { last: at(50) })
 *       .invocation("a", { task: "shop.pay", history: [[at(0), "registered"], [at(1), "pending", "r1"]] })
 *       .message("b");
 *     await dashboard(app.opened);
 *
 * The rows are written into a SQLite database in memory when they are first read, and the SQLite adapter answers.
 */
import { fileURLToPath } from "node:url";
import { type EffectiveSettings, effectiveSettings } from "../../../src/config/pynenc-sources.ts";
import type { Mutes } from "../../../src/mutes/mute-file.ts";
import { argumentsId, callKey, clientDataKey } from "../../../src/pynenc/identifiers.ts";
import type {
  AppInfoRecord,
  EventRecord,
  ExecutionRecord,
  HeartbeatRecord,
  InvocationRecord,
  InvocationStatusRecord,
  ParticipantRecord,
  RunnerContextRecord,
  TriggerRecord,
  TriggerRunRecord,
  WorkflowRunRecord,
} from "../../../src/pynenc/records.ts";
import { statusInfo } from "../../../src/pynenc/statuses.ts";
import { type EpochSeconds, toMicros } from "../../../src/pynenc/time.ts";
import { type OpenedApp, openedApp } from "../../../src/services/app/opened-app.ts";
import { rollupsHere } from "../../../src/services/rollups/rollup-source.ts";
import type { QueueLayout } from "../../../src/stores/ports/broker.ts";
import type { Capabilities } from "../../../src/stores/ports/layout.ts";
import { emptyRows, type Lists, type MemoryRows } from "./rows.ts";
import { MemoryStore } from "./store.ts";

/** 2026-01-05T12:00:00Z, a Monday. */
const START: EpochSeconds = 1_767_614_400;

/** An instant, in seconds after the start of the story that the test tells. To the microsecond, as pynenc stores it. */
export function at(seconds: number): EpochSeconds {
  return toMicros(START + seconds);
}

/**
 * A status that was entered, and the runner that did it; `client` registers and `r1` does the rest unless given. The entry is written at the
 * same instant unless given.
 */
export type Step = readonly [at: EpochSeconds, status: string, runner?: string | null, written?: EpochSeconds];

export interface InvocationGiven {
  task?: string;
  /** Name to stored string. */
  arguments?: Readonly<Record<string, string>>;
  /** Registered at the start and nothing since, unless given. */
  history?: readonly Step[];
  parent?: string;
  /** The event that it names as its parent. */
  event?: string;
  /** The workflow that it belongs to; its type is the task unless given. */
  workflow?: { id: string; type?: string; parent?: string };
  /** What the orchestrator says where it differs from the history; null when it has forgotten the invocation. */
  status?: Partial<InvocationStatusRecord> | null;
  /** Null when the state backend has no definition. */
  definition?: Partial<InvocationRecord> | null;
  /** Stored strings. */
  result?: string;
  exception?: string;
  /** Its task uses concurrency control. */
  indexed?: boolean;
}

export interface MemoryAppOptions {
  app_id?: string;
  /** The present until `app.now` is set; `at(60)` unless given. */
  now?: EpochSeconds;
  /** Settings of pynenc that differ from their defaults, by field. */
  settings?: Readonly<Record<string, unknown>>;
  readOnly?: boolean;
  mutes?: Mutes;
  capabilities?: Partial<Capabilities>;
  queue_layout?: Partial<QueueLayout>;
}

const resolved = new Map<string, EffectiveSettings>();

/** Resolved once for all apps that have the same: most have the defaults, and generated worlds are many. */
function settingsOf(config_values: Readonly<Record<string, unknown>>): EffectiveSettings {
  const key = JSON.stringify(config_values);
  const known = resolved.get(key);
  if (known !== undefined) return known;
  // A folder without a configuration file.
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const settings = effectiveSettings({ cwd, env: {}, configFile: null, appInfo: { config_values } });
  resolved.set(key, settings);
  return settings;
}

export function memoryApp(options: MemoryAppOptions = {}): MemoryApp {
  return new MemoryApp(options);
}

export class MemoryApp {
  /** The present. */
  now: EpochSeconds;
  readonly store: MemoryStore;
  /** What services take. */
  readonly opened: OpenedApp;

  constructor({
    app_id = "shop",
    now = at(60),
    settings = {},
    readOnly = false,
    mutes,
    capabilities = {},
    queue_layout = {},
  }: MemoryAppOptions) {
    this.now = now;
    const clock = () => this.now;
    const rows = emptyRows();
    Object.assign(rows.capabilities, capabilities);
    Object.assign(rows.queue_layout, queue_layout);
    this.store = new MemoryStore(app_id, rows, readOnly);
    this.opened = openedApp(this.store, settingsOf(settings), clock, {
      // No time passes while something is read, so nothing is put off, however busy the machine is.
      clock: () => 0,
      rollups: rollupsHere(this.store, clock, undefined, () => 0),
      ...(mutes === undefined ? {} : { mutes }),
    });
  }

  /** Tells something of the rows as they are now. */
  rows<T>(look: (rows: MemoryRows) => T): T {
    return look(this.store.rows);
  }

  /** Changes the rows at will. */
  change(change: (rows: MemoryRows) => void): this {
    this.store.change(change);
    return this;
  }

  /**
   * Puts the history into the order in which a store gets it: invocations are given one by one, while those of an app live beside each other. The
   * SQLite adapter finds times by the order of rows, so what reads windows in a history of several invocations needs it.
   */
  inOrder(): this {
    return this.change((rows) => rows.history.sort((a, b) => a.written_at - b.written_at));
  }

  /** Adds records that no method here adds. */
  add(more: Partial<Lists>): this {
    this.store.add(more);
    return this;
  }

  /** Its status, definition and history. Queues no message. */
  invocation(invocation_id: string, given: InvocationGiven = {}): this {
    const { task = "shop.pay", arguments: stored = {}, history = [[at(0), "registered"]], workflow } = given;
    const arguments_id = argumentsId(stored);
    const call = { task_id_key: task, call_id_key: callKey(task, arguments_id) };
    let owner: string | null = null;
    const entries = history.map(([timestamp, status, by, written]) => {
      const runner = by === undefined ? (status === "registered" ? "client" : "r1") : by;
      owner = statusInfo(status).releases_ownership ? null : runner;
      return {
        invocation_id,
        timestamp,
        written_at: written ?? timestamp,
        status,
        status_runner_id: owner,
        runner_context_id: runner,
        registered_by_inv_id: status === "registered" ? (given.parent ?? null) : null,
      };
    });
    const last = entries.at(-1);
    const status: InvocationStatusRecord = {
      invocation_id,
      ...call,
      status: last?.status ?? "registered",
      status_runner_id: owner,
      status_timestamp: last?.timestamp ?? at(0),
      retry_count: entries.filter((entry) => entry.status === "retry").length,
      auto_purge_timestamp: last !== undefined && statusInfo(last.status).final ? last.timestamp : null,
      ...given.status,
    };
    const definition: InvocationRecord = {
      invocation_id,
      ...call,
      arguments_id,
      serialized_arguments: JSON.stringify(stored),
      parent_invocation_id: given.parent ?? null,
      parent_event_id: given.event ?? null,
      workflow_id: workflow?.id ?? null,
      workflow_type_key: workflow === undefined ? null : (workflow.type ?? task),
      parent_workflow_id: workflow?.parent ?? null,
      ...given.definition,
    };
    const indexed = given.indexed === true ? Object.entries(stored) : [];
    return this.add({
      history: entries,
      statuses: given.status === null ? [] : [status],
      definitions: given.definition === null ? [] : [definition],
      results: given.result === undefined ? [] : [{ invocation_id, stored: given.result }],
      exceptions: given.exception === undefined ? [] : [{ invocation_id, stored: given.exception }],
      indexed_arguments: indexed.map(([arg_key, arg_value]) => ({ invocation_id, arg_key, arg_value })),
    });
  }

  /** As many invocations as asked for, a second apart: `i0`, `i1`, ... */
  invocations(count: number, given: (n: number) => InvocationGiven = () => ({})): this {
    for (let n = 0; n < count; n++) this.invocation(`i${n}`, { history: [[at(n), "registered"]], ...given(n) });
    return this;
  }

  /** A message in the queue. Where queues have names (`queue_layout`), say which one it is in. */
  message(
    invocation_id: string,
    queued_at: EpochSeconds | null = at(0),
    { queue = null, priority = queue === null ? null : 0 }: { queue?: string | null; priority?: number | null } = {},
  ): this {
    return this.add({ messages: [{ invocation_id, queued_at, queue_name: queue, priority }] });
  }

  heartbeat(runner_id: string, given: Partial<HeartbeatRecord> = {}): this {
    return this.add({
      heartbeats: [
        {
          runner_id,
          creation_timestamp: at(0),
          last_heartbeat: at(60),
          allow_to_run_atomic_service: true,
          last_service_start: null,
          last_service_end: null,
          consumed_queues: null,
          ...given,
        },
      ],
    });
  }

  context(runner_id: string, given: Partial<RunnerContextRecord> = {}): this {
    return this.add({
      contexts: [
        {
          runner_id,
          runner_cls: "ThreadRunner",
          parent_ctx_id: null,
          pid: 100,
          hostname: "host",
          thread_id: 1,
          ...given,
        },
      ],
    });
  }

  /** A runner with a context and a heartbeat. */
  runner(
    runner_id: string,
    given: { last?: EpochSeconds; created?: EpochSeconds; atomic?: boolean; queues?: readonly string[] } = {},
  ): this {
    return this.context(runner_id).heartbeat(runner_id, {
      creation_timestamp: given.created ?? at(0),
      last_heartbeat: given.last ?? at(60),
      allow_to_run_atomic_service: given.atomic ?? true,
      consumed_queues: given.queues ?? null,
    });
  }

  /** `waiter_id` waits for the result of `waited_id`. */
  edge(waiter_id: string, waited_id: string): this {
    return this.add({ edges: [{ waiter_id, waited_id }] });
  }

  execution(atomic_service_run_id: string, given: Partial<ExecutionRecord> = {}): this {
    return this.add({
      executions: [
        {
          atomic_service_run_id,
          runner_id: "r1",
          start_time: at(0),
          end_time: at(1),
          status: "completed",
          reason: "",
          ...given,
        },
      ],
    });
  }

  /** A run of a workflow that started; `members` ran inside it. */
  workflow(
    workflow_id: string,
    given: Partial<WorkflowRunRecord> & { members?: readonly string[]; data?: Readonly<Record<string, string>> } = {},
  ): this {
    const { members = [], data = {}, ...run } = given;
    return this.add({
      workflows: [{ workflow_id, workflow_type_key: "shop.order", parent_workflow_id: null, ...run }],
      members: members.map((invocation_id) => ({ workflow_id, invocation_id })),
      workflow_data: Object.entries(data).map(([data_key, data_value]) => ({ workflow_id, data_key, data_value })),
    });
  }

  appInfo(given: Partial<AppInfoRecord> = {}): this {
    return this.change((rows) => {
      rows.app_info = {
        app_id: this.store.app_id,
        module: "shop.app",
        module_filepath: "/srv/shop/app.py",
        app_variable: "app",
        config_filepath: null,
        config_values: null,
        ...given,
      };
    });
  }

  /** An externalised value under the reference that its text has. */
  value(text: string, created_at: EpochSeconds | null = at(0)): this {
    return this.add({ values: [{ data_key: clientDataKey(text), text, created_at }] });
  }

  /** @param condition its stored JSON, as a value. */
  condition(condition_id: string, condition: unknown, last_cron_execution: EpochSeconds | null = null): this {
    return this.add({
      conditions: [{ condition_id, condition_json: JSON.stringify(condition), last_cron_execution }],
    });
  }

  /** @param json what was met, as a value. */
  validCondition(valid_condition_id: string, json: unknown = {}): this {
    return this.add({ valid_conditions: [{ valid_condition_id, valid_condition_json: JSON.stringify(json) }] });
  }

  trigger(trigger_id: string, given: Partial<TriggerRecord> = {}): this {
    const trigger = { task_id_key: "shop.pay", logic_value: "or", argument_provider_json: null, condition_ids: [] };
    return this.add({ triggers: [{ trigger_id, ...trigger, ...given }] });
  }

  event(event_id: string, given: Partial<EventRecord> = {}): this {
    return this.add({
      events: [
        {
          event_id,
          event_code: "order.created",
          timestamp: at(0),
          matched_condition_ids: [],
          valid_condition_ids: [],
          payload: {},
          emitted_by_invocation_id: null,
          emitted_by_task_id: null,
          emitted_by_runner_context_id: null,
          ...given,
        },
      ],
    });
  }

  /** The index says that the event helped to start the invocation; `triggerRun` writes such rows itself. */
  link(event_id: string, invocation_id: string, trigger_run_id: string | null = null, linked_at = at(0)): this {
    return this.add({ links: [{ event_id, invocation_id, trigger_run_id, linked_at }] });
  }

  /** A trigger that fired. Its lists of ids are those of its participants, and its events are linked to what they started. */
  triggerRun(
    trigger_run_id: string,
    given: Partial<Omit<TriggerRunRecord, "participants">> & {
      participants?: readonly Partial<ParticipantRecord>[];
    } = {},
  ): this {
    const participants = (given.participants ?? []).map(
      (participant): ParticipantRecord => ({
        context_type: participant.event_id ? "EventContext" : participant.source_invocation_id ? "StatusContext" : null,
        condition_id: null,
        valid_condition_id: null,
        event_id: null,
        source_invocation_id: null,
        context_timestamp: null,
        context_summary: null,
        ...participant,
      }),
    );
    const ids = (member: "valid_condition_id" | "condition_id" | "event_id" | "source_invocation_id") =>
      participants.flatMap((participant) => participant[member] ?? []);
    const run: TriggerRunRecord = {
      trigger_run_id,
      trigger_id: "t1",
      task_id_key: "shop.pay",
      logic_value: "or",
      claimed_at: at(0),
      executed_at: at(0),
      triggered_invocation_id: null,
      valid_condition_ids: ids("valid_condition_id"),
      condition_ids: ids("condition_id"),
      event_ids: ids("event_id"),
      source_invocation_ids: ids("source_invocation_id"),
      atomic_service_run_id: null,
      atomic_service_runner_id: null,
      ...given,
      participants,
    };
    this.add({ runs: [run] });
    if (run.triggered_invocation_id !== null)
      for (const event_id of run.event_ids)
        this.link(event_id, run.triggered_invocation_id, trigger_run_id, run.executed_at ?? at(0));
    return this;
  }
}
