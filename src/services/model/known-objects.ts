/** Short descriptions of objects of any kind by their ids, with a fixed number of reads. */
import type { ReferenceKind } from "../../log-lines/model.ts";
import { describeCondition } from "../../pynenc/conditions.ts";
import type { IdKind } from "../../pynenc/id-kinds.ts";
import type { EventRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { LIST_BYTES } from "../../stores/value-limit.ts";
import { lifeOf } from "./invocation-life.ts";

/** A task is identified by its key. */
export type ObjectKind = IdKind | ReferenceKind;

export interface ObjectFacts {
  /** For invocations, workflow runs and runs of the atomic service. */
  status: string | null;
  task_id_key: string | null;
  /** A short text: class and host of a runner, code of an event, what a condition waits for. */
  detail: string | null;
  /** When it happened, or last changed. */
  at: EpochSeconds | null;
}

export interface KnownObjects {
  /** Null if not stored. Calls are assumed to exist, because checking them takes a search. */
  facts(kind: ObjectKind, id: string): ObjectFacts | null;
  /** The stored events, without payloads. */
  events: EventRecord[];
  trigger_runs: TriggerRunRecord[];
}

/** @param taskKeys all tasks of the store. */
export async function knownObjects(
  reads: AppReads,
  idsOf: (kind: ObjectKind) => readonly string[],
  taskKeys: readonly string[],
): Promise<KnownObjects> {
  const invocationIds = idsOf("invocation");
  const workflowIds = idsOf("workflow");
  const runnerIds = idsOf("runner");
  const allOf = (kind: ObjectKind) => ({ limit: idsOf(kind).length, offset: 0 });
  const [
    statuses,
    contexts,
    heartbeats,
    workflows,
    executions,
    events,
    trigger_runs,
    triggers,
    conditions,
    valid,
    values,
  ] = await Promise.all([
    reads.orchestrator.statusesByIds([...invocationIds, ...workflowIds]),
    reads.state_backend.runnerContexts(runnerIds),
    reads.orchestrator.heartbeatsByIds(runnerIds),
    reads.state_backend.workflowRuns(allOf("workflow"), { workflow_ids: workflowIds }),
    reads.orchestrator.executions(allOf("atomic_service_run"), { ids: idsOf("atomic_service_run") }),
    reads.trigger.eventsByIds(idsOf("event"), 0),
    reads.trigger.triggerRunsByIds(idsOf("trigger_run")),
    reads.trigger.triggers({ by: "trigger_id", ids: idsOf("trigger") }, allOf("trigger")),
    reads.trigger.conditionsByIds(idsOf("condition")),
    reads.trigger.validConditionsByIds(idsOf("valid_condition"), LIST_BYTES),
    reads.client_data_store.valuesByKeys(idsOf("client_data"), 0),
  ]);
  // A status names the task too.
  const unknown = missing(invocationIds, statuses, (row) => row.invocation_id);
  const [definitions, spans] = await Promise.all([
    reads.state_backend.invocationsByIds([...unknown, ...workflowIds], 0),
    reads.state_backend.historySpanOf(unknown),
  ]);

  const statusOf = byId(statuses, (row) => row.invocation_id);
  const definitionOf = byId(definitions, (row) => row.invocation_id);
  const spanOf = byId(spans, (row) => row.invocation_id);
  const contextOf = byId(contexts, (row) => row.runner_id);
  const heartbeatOf = byId(heartbeats, (row) => row.runner_id);
  const workflowOf = byId(workflows, (row) => row.workflow_id);
  const executionOf = byId(executions, (row) => row.atomic_service_run_id);
  const eventOf = byId(events, (row) => row.event_id);
  const runOf = byId(trigger_runs, (row) => row.trigger_run_id);
  const triggerOf = byId(triggers, (row) => row.trigger_id);
  const conditionOf = byId(conditions, (row) => row.condition_id);
  const validIds = new Set(valid.map((row) => row.valid_condition_id));
  const storedValueOf = byId(values, (row) => row.data_key);
  const tasks = new Set(taskKeys);

  const known = (kind: ObjectKind, id: string): Partial<ObjectFacts> | null => {
    switch (kind) {
      case "invocation": {
        const status = statusOf.get(id);
        const definition = definitionOf.get(id);
        const span = spanOf.get(id);
        if (status === undefined && definition === undefined && span === undefined) return null;
        const life = lifeOf(status, span);
        return {
          status: life.status_source === "none" ? null : life.status,
          task_id_key: status?.task_id_key ?? definition?.task_id_key ?? null,
          at: life.changedAt,
        };
      }
      case "workflow": {
        const run = workflowOf.get(id);
        const defining = definitionOf.get(id);
        if (run === undefined && defining?.workflow_id !== id) return null;
        const status = statusOf.get(id);
        const task_id_key = run?.workflow_type_key ?? defining?.workflow_type_key ?? null;
        return { status: status?.status ?? null, task_id_key, at: status?.status_timestamp ?? null };
      }
      case "runner": {
        const context = contextOf.get(id);
        const heartbeat = heartbeatOf.get(id);
        if (context === undefined && heartbeat === undefined) return null;
        const detail = context === undefined ? null : `${context.runner_cls} ${context.hostname}:${context.pid ?? "?"}`;
        return { detail, at: heartbeat?.last_heartbeat ?? null };
      }
      case "task":
        return tasks.has(id) ? { task_id_key: id } : null;
      case "event": {
        const event = eventOf.get(id);
        return event === undefined ? null : { detail: event.event_code, at: event.timestamp };
      }
      case "trigger_run": {
        const run = runOf.get(id);
        return run === undefined ? null : { task_id_key: run.task_id_key, at: run.executed_at ?? run.claimed_at };
      }
      case "trigger": {
        const trigger = triggerOf.get(id);
        return trigger === undefined ? null : { task_id_key: trigger.task_id_key };
      }
      case "condition": {
        const condition = conditionOf.get(id);
        return condition === undefined ? null : { detail: describeCondition(condition.condition_json).sentence };
      }
      case "valid_condition":
        return validIds.has(id) ? {} : null;
      case "atomic_service_run": {
        const run = executionOf.get(id);
        return run === undefined ? null : { status: run.status, at: run.start_time };
      }
      case "client_data": {
        const value = storedValueOf.get(id);
        return value === undefined ? null : { at: value.created_at };
      }
      case "call":
        return {};
    }
  };
  return {
    facts(kind, id) {
      const found = known(kind, id);
      return found === null ? null : { status: null, task_id_key: null, detail: null, at: null, ...found };
    },
    events,
    trigger_runs,
  };
}

function byId<Row>(rows: readonly Row[], idOf: (row: Row) => string): Map<string, Row> {
  return new Map(rows.map((row) => [idOf(row), row]));
}

function missing<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): string[] {
  const there = new Set(rows.map(idOf));
  return ids.filter((id) => !there.has(id));
}
