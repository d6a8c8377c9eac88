/** What an auto-purge of a server does in which order: stores only read and remove (storage-format.md 5.7, 6.4, 7.3). */
import { rowsBy } from "../../pynenc/groups.ts";
import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import type { ExecutionRecord } from "../../pynenc/records.ts";
import { knownStatus, statusInfo } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { dueExecutions } from "../due-executions.ts";
import type { EventPurge, EventRetention, OrchestratorPurge, OrchestratorRetention } from "../ports/actions.ts";
import type { OrchestratorReads } from "../ports/orchestrator.ts";
import type { StateBackendReads } from "../ports/state-backend.ts";
import { inChunks } from "./chunks.ts";

/** Records removed per step, each completely. */
export const STEP = 500;

/** Executions removed, and trigger runs read, per step. */
const EXECUTION_STEP = 1_000;

/** Those of these invocations whose parent is not known to be final. */
export async function withOpenParents(
  { statusesByIds }: Pick<OrchestratorReads, "statusesByIds">,
  { invocationsByIds, historySpanOf }: Pick<StateBackendReads, "invocationsByIds" | "historySpanOf">,
  invocationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const children = await invocationsByIds(invocationIds, 0);
  const parents = [...new Set(children.flatMap(({ parent_invocation_id }) => parent_invocation_id ?? []))];
  const kept = new Map((await statusesByIds(parents)).map(({ invocation_id, status }) => [invocation_id, status]));
  const spans = await historySpanOf(parents.filter((id) => !kept.has(id)));
  const last = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
  const isOpen = (id: string | null) => id !== null && !statusInfo(knownStatus(kept.get(id), last.get(id))).final;
  return new Set(children.filter((one) => isOpen(one.parent_invocation_id)).map(({ invocation_id }) => invocation_id));
}

/** Counts of a part of all records, as estimates for all of them. */
export function estimated<Counts extends Record<string, number>>(counts: Counts, share: number): Counts {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round(count / share)])) as Counts;
}

export interface ExecutionPurge {
  /** Those with a readable record. Others are kept. */
  executions: readonly ExecutionRecord[];
  /** Records of trigger runs, the oldest first: executions that they refer to are due first. */
  runRecords(step: number): AsyncIterable<readonly (string | null)[]>;
  /** Steps of `runRecords` that are read at most: a preview of very many is an estimate. */
  maxSteps: number;
  /** Returns how many it removed. */
  remove(ids: readonly string[]): Promise<number>;
}

/** Removes executions of the atomic service. */
export async function purgeExecutions(
  { executions, runRecords, maxSteps, remove }: ExecutionPurge,
  retention: OrchestratorRetention,
): Promise<Pick<OrchestratorPurge, "executions_by_age" | "executions_by_capacity" | "executions_kept" | "exact">> {
  let due = dueExecutions(executions, retention);
  let exact = true;
  if (due.by_age.length + due.by_capacity.length > 0) {
    const referenced = new Set<string>();
    let steps = 0;
    for await (const records of runRecords(EXECUTION_STEP)) {
      if (steps++ >= maxSteps) {
        exact = false;
        break;
      }
      for (const record of records) {
        const id = objectOrNull(parsedJson(record ?? ""))?.atomic_service_run_id;
        if (typeof id === "string") referenced.add(id);
      }
    }
    due = dueExecutions(executions, retention, referenced);
  }
  const removed = async (ids: readonly string[]) => {
    let count = 0;
    for (const some of inChunks(ids, EXECUTION_STEP)) count += await remove(some);
    return count;
  };
  return {
    executions_by_age: await removed(due.by_age),
    executions_by_capacity: await removed(due.by_capacity),
    executions_kept: due.kept,
    exact,
  };
}

type Kind = "events" | "runs";
type Rule = "age" | "event" | "capacity";

/** What is removed in one step. */
export interface EventStep {
  ids: readonly string[];
  /** The same by the rule that they are due by. */
  byRule: readonly (readonly string[])[];
}

/** How many were removed in one step. */
export interface EventsRemoved {
  byRule: readonly number[];
  /** Rows of index tables: of events their conditions and invocations, of trigger runs their conditions. */
  rows: readonly number[];
}

export interface EventPurgeSteps {
  /** Those of before an instant, by their exact times. A run that was claimed but never executed has none. */
  older(kind: Kind, before: EpochSeconds): AsyncIterable<readonly string[]>;
  count(kind: Kind): Promise<number>;
  /** All of them, the oldest first. */
  oldest(kind: Kind): AsyncIterable<readonly string[]>;
  /** Stored trigger runs that these events took part in. */
  runsOf(events: readonly string[]): Promise<readonly string[]>;
  remove(kind: Kind, step: EventStep): Promise<EventsRemoved>;
}

/**
 * Removes events and trigger runs that are too old or too many, and with an event every run it took part in. First decides what to remove, in pynenc's
 * order of rules. Runs are removed before events, so that a repeated action after an interruption finds the rest.
 */
export async function purgeEvents(
  steps: EventPurgeSteps,
  { before, max_events, max_trigger_runs }: EventRetention,
): Promise<EventPurge> {
  const [events, runs] = [new Map<string, Rule>(), new Map<string, Rule>()];
  for await (const ids of steps.older("events", before)) mark(events, ids, "age");
  for await (const ids of steps.older("runs", before)) mark(runs, ids, "age");
  await markExcess(steps, "events", max_events, events);
  for (const ids of inChunks([...events.keys()], STEP)) mark(runs, await steps.runsOf(ids), "event");
  await markExcess(steps, "runs", max_trigger_runs, runs);
  const ofRuns = await removed(steps, "runs", runs);
  const ofEvents = await removed(steps, "events", events);
  return {
    events_by_age: ofEvents.counts.age,
    events_by_capacity: ofEvents.counts.capacity,
    event_conditions: ofEvents.rows[0] ?? 0,
    event_triggered_invocations: ofEvents.rows[1] ?? 0,
    trigger_runs_by_age: ofRuns.counts.age,
    trigger_runs_of_events: ofRuns.counts.event,
    trigger_runs_by_capacity: ofRuns.counts.capacity,
    trigger_run_conditions: ofRuns.rows[0] ?? 0,
  };
}

/** The first rule that matches a record counts. */
function mark(due: Map<string, Rule>, ids: readonly string[], rule: Rule): void {
  for (const id of ids) if (!due.has(id)) due.set(id, rule);
}

/** Marks the oldest of the remaining ids that exceed the limit. 0 means no limit. */
async function markExcess(steps: EventPurgeSteps, kind: Kind, max: number, due: Map<string, Rule>): Promise<void> {
  if (max === 0) return;
  let excess = (await steps.count(kind)) - due.size - max;
  if (excess <= 0) return;
  for await (const ids of steps.oldest(kind)) {
    const some = ids.filter((id) => !due.has(id)).slice(0, excess);
    mark(due, some, "capacity");
    excess -= some.length;
    if (excess <= 0) return;
  }
}

async function removed(steps: EventPurgeSteps, kind: Kind, due: ReadonlyMap<string, Rule>) {
  const counts: Record<Rule, number> = { age: 0, event: 0, capacity: 0 };
  const rows: number[] = [];
  for (const ids of inChunks([...due.keys()], STEP)) {
    const byRule = rowsBy(ids, (id) => due.get(id));
    const step = await steps.remove(kind, { ids, byRule: [...byRule.values()] });
    for (const [i, rule] of [...byRule.keys()].entries()) counts[rule] += step.byRule[i] ?? 0;
    for (const [i, count] of step.rows.entries()) rows[i] = (rows[i] ?? 0) + count;
  }
  return { counts, rows };
}
