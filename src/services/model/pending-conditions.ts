/**
 * Conditions that were met and are still stored: a backlog, not a log (storage-format.md 5.6). pynenc deletes one when every trigger with the
 * condition has run for it. Until then it stays: while a trigger waits for its other conditions, or while nothing runs triggers.
 */

import type { ContextView, PendingCondition, PendingList, PendingTrigger } from "../../api/conditions.ts";
import type { RunCause } from "../../api/model/trigger-objects.ts";
import type { TriggerWaiting } from "../../api/triggers.ts";
import { describeCondition } from "../../pynenc/conditions.ts";
import { contextKind } from "../../pynenc/context-summary.ts";
import { addTo } from "../../pynenc/groups.ts";
import { parseCallKey } from "../../pynenc/identifiers.ts";
import type { ConditionRecord, TriggerRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { ValidConditionRow } from "../../stores/ports/trigger.ts";
import { LIST_BYTES } from "../../stores/value-limit.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { readValidCondition } from "./condition-views.ts";
import { serviceTurns } from "./service-turns.ts";

/** Conditions read per trigger. */
const CONDITIONS_OF_TRIGGER = 100;
const MAX_TRIGGERS = 500;
const TRIGGERS_SHOWN = 10;
const MISSING_SHOWN = 5;
const MAX_RUNS = 50;

/** Cap when counting valid conditions of one condition. */
const COUNTED = 1_000;

/** All pending conditions, latest written first if the store keeps that order. */
export async function listPending(reads: AppReads, limit: number): Promise<PendingList> {
  const listed = await reads.trigger.listValidConditions({ limit, offset: 0 });
  if (listed === null) return { rows: [], total: null, capped: false };
  const [rows, total] = await Promise.all([
    pendingRows(reads, listed),
    listed.length < limit ? listed.length : reads.trigger.countValidConditions(),
  ]);
  return { rows, total, capped: false };
}

/** Pending conditions of these conditions, at most `each` per condition. */
export async function pendingOf(reads: AppReads, conditionIds: readonly string[], each: number): Promise<PendingList> {
  const [found, counts] = await Promise.all([
    reads.trigger.validConditionsOf(conditionIds, each),
    reads.trigger.countValidConditionsOf(conditionIds, COUNTED),
  ]);
  if (found === null || counts === null) return { rows: [], total: null, capped: false };
  const numbers = Object.values(counts);
  return {
    rows: await pendingRows(reads, found),
    total: numbers.reduce((sum, n) => sum + n, 0),
    capped: numbers.includes(COUNTED),
  };
}

/** The pending conditions with these ids that are still stored, in the order given. */
export async function pendingByIds(reads: AppReads, validConditionIds: readonly string[]): Promise<PendingCondition[]> {
  const stored = await reads.trigger.validConditionsByIds(validConditionIds, LIST_BYTES);
  const rowById = new Map(stored.map((row) => [row.valid_condition_id, row]));
  return pendingRows(
    reads,
    validConditionIds.flatMap((id) => rowById.get(id) ?? []),
  );
}

/** Rows in the order of the records: a fixed number of batched reads. */
async function pendingRows(reads: AppReads, records: readonly ValidConditionRow[]): Promise<PendingCondition[]> {
  if (records.length === 0) return [];
  const candidates = new Map(
    records.map((one) => [one.valid_condition_id, conditionCandidates(one.valid_condition_id)]),
  );
  const registered = await conditionMap(reads, [...candidates.values()].flat());
  const read = records.map(({ valid_condition_id, valid_condition_json }) => {
    const { condition_json, context } = readValidCondition(valid_condition_json);
    const fitting = (candidates.get(valid_condition_id) ?? []).flatMap((id) => registered.get(id) ?? []);
    const condition = fitting.find((one) => one.condition_json === condition_json) ?? fitting.at(-1);
    return { valid_condition_id, condition, condition_json, context: context?.view ?? null };
  });
  const conditionIds = [...new Set(read.flatMap(({ condition }) => condition?.condition_id ?? []))];
  const triggers = await reads.trigger.triggers(
    { by: "condition_id", ids: conditionIds },
    { limit: MAX_TRIGGERS, offset: 0 },
  );
  const needed = [...new Set(triggers.flatMap((trigger) => (needsAll(trigger) ? conditionsOf(trigger) : [])))];
  const [met, ran, words] = await Promise.all([
    reads.trigger.countValidConditionsOf(needed, 1),
    runsFor(
      reads,
      read.map((one) => one.valid_condition_id),
    ),
    conditionMap(reads, needed),
  ]);
  return read.map(({ valid_condition_id, condition, condition_json, context }) => {
    const having = triggers.filter((trigger) => condition && trigger.condition_ids.includes(condition.condition_id));
    const usedBy = usedSince(ran.get(valid_condition_id) ?? [], context);
    return {
      valid_condition_id,
      condition_id: condition?.condition_id ?? null,
      sentence: sentenceOf(condition?.condition_json ?? condition_json),
      met_at: context?.timestamp ?? null,
      met_at_is_local: context?.timestamp_is_local ?? false,
      cause: context === null ? null : causeOf(context),
      triggers: having
        .slice(0, TRIGGERS_SHOWN)
        .map((trigger) => pendingTrigger(trigger, usedBy.has(trigger.trigger_id), met, words)),
      triggers_truncated: having.length > TRIGGERS_SHOWN,
    };
  });
}

function pendingTrigger(
  trigger: TriggerRecord,
  used: boolean,
  met: Readonly<Record<string, number>> | null,
  words: ReadonlyMap<string, ConditionRecord>,
): PendingTrigger {
  const { trigger_id, task_id_key, logic_value, condition_ids } = trigger;
  const missing = needsAll(trigger) && met !== null ? conditionsOf(trigger).filter((id) => met[id] === undefined) : [];
  const checked = missing.length > 0 ? "waiting" : "ready";
  const expected = needsAll(trigger) && met === null ? "unknown" : checked;
  return {
    trigger_id,
    task_id_key,
    logic_value,
    conditions_count: condition_ids.length,
    state: used ? "ran" : expected,
    missing: used
      ? []
      : missing.slice(0, MISSING_SHOWN).map((condition_id) => ({
          condition_id,
          sentence: sentenceOf(words.get(condition_id)?.condition_json ?? null),
        })),
    missing_count: used ? 0 : missing.length,
  };
}

/**
 * Progress of a trigger towards its next run; null if nothing is pending for it.
 *
 * @param pending pending conditions of its conditions, possibly among others
 * @param turns whether an active runner takes turns in the atomic service, which runs triggers
 */
export function triggerWaiting(trigger: TriggerRecord, pending: PendingList, turns: boolean): TriggerWaiting | null {
  const own = pending.rows.flatMap((row) => {
    const state = row.triggers.find((one) => one.trigger_id === trigger.trigger_id);
    return state === undefined || state.state === "ran" ? [] : [{ row, state }];
  });
  const [first] = own;
  if (first === undefined || first.state.state === "ran") return null;
  const { state, missing, missing_count } = first.state;
  const of = trigger.condition_ids.length;
  const counted = needsAll(trigger) ? of - missing_count : conditionsAmong(own);
  const met = state === "unknown" ? null : counted;
  // With only some of the rows, the earliest time is not known.
  const times = pending.total === pending.rows.length ? own.flatMap(({ row }) => row.met_at ?? []).sort() : [];
  return {
    state,
    met,
    of,
    since: times[0] ?? null,
    missing,
    missing_count,
    sentence: waitingSentence({ state, met, of, missing, missing_count, all: needsAll(trigger) }, turns),
  };
}

function conditionsAmong(rows: readonly { row: PendingCondition }[]): number {
  return new Set(rows.map(({ row }) => row.condition_id)).size;
}

function waitingSentence(
  { state, met, of, missing, missing_count, all }: Omit<TriggerWaiting, "since" | "sentence"> & { all: boolean },
  turns: boolean,
): string {
  if (state === "unknown") return "Some of its conditions are met; which is still being checked.";
  if (state === "waiting") {
    const more = missing_count - missing.length;
    const names = missing.map(({ sentence, condition_id }) => sentence ?? `${condition_id} (not registered)`);
    return `${met} of its ${of} conditions ${met === 1 ? "is" : "are"} met. It waits for: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join("; ")}.`;
  }
  const several = all
    ? `${of === 2 ? "Both" : `All ${of}`} of its conditions are met`
    : `${met === 1 ? "One" : met} of its ${of} conditions ${met === 1 ? "is" : "are"} met, and one is enough`;
  const what = of === 1 ? "Its condition is met" : several;
  return turns
    ? `${what}: it starts its task at the next run of the atomic service.`
    : `${what}, but no active runner runs the atomic service, which would start it.`;
}

/** Whether an active runner takes turns in the atomic service. */
export async function hasServiceRunner(app: OpenedApp, reads: AppReads): Promise<boolean> {
  return (await serviceTurns(app, reads)).members.length > 0;
}

/** With a single condition, "all" and "any" are the same. */
function needsAll({ logic_value, condition_ids }: TriggerRecord): boolean {
  return logic_value.toLowerCase() !== "or" && condition_ids.length > 1;
}

function conditionsOf(trigger: TriggerRecord): string[] {
  return trigger.condition_ids.slice(0, CONDITIONS_OF_TRIGGER);
}

/** Runs that used each valid condition. */
async function runsFor(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, TriggerRunRecord[]>> {
  const links = await reads.trigger.triggerRunsOf("valid_condition", ids, { each: MAX_RUNS });
  const records = await reads.trigger.triggerRunsByIds([...new Set(links.map((link) => link.trigger_run_id))]);
  const byId = new Map(records.map((record) => [record.trigger_run_id, record]));
  const runs = new Map<string, TriggerRunRecord[]>();
  for (const { of, trigger_run_id } of links) {
    const record = byId.get(trigger_run_id);
    if (record !== undefined) addTo(runs, of, record);
  }
  return runs;
}

/** Triggers that have run for it. All exceptions of a type share one id (storage-format.md 1.5), so a run before it was met belongs to an earlier one. */
function usedSince(runs: readonly TriggerRunRecord[], context: StoredView | null): ReadonlySet<string> {
  const met = context?.timestamp == null || context.timestamp_is_local ? null : epochFromIso(context.timestamp);
  return new Set(
    runs.flatMap(({ trigger_id, executed_at, claimed_at }) => {
      const at = executed_at ?? claimed_at;
      return met !== null && at !== null && at < met ? [] : [trigger_id];
    }),
  );
}

type StoredView = Omit<ContextView, "payload" | "arguments" | "result">;

function causeOf(context: StoredView): RunCause {
  return {
    kind: contextKind(context.type),
    event_id: context.event_id,
    event_code: context.event_code,
    source_invocation_id: context.invocation_id,
    task_id_key: context.task_id_key ?? taskOf(context.call_id_key),
    status: context.status,
    exception_type: context.exception_type,
    timestamp: context.timestamp,
  };
}

/** A call key consists of the task key and the arguments id (storage-format.md 1.1). */
function taskOf(callKey: string | null): string | null {
  return callKey === null ? null : (parseCallKey(callKey)?.task_id_key ?? null);
}

function sentenceOf(conditionJson: string | null): string | null {
  return conditionJson === null ? null : describeCondition(conditionJson).sentence;
}

/** Registered conditions by id. */
export async function conditionMap(
  reads: AppReads,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ConditionRecord>> {
  const records = await reads.trigger.conditionsByIds([...new Set(ids)]);
  return new Map(records.map((record) => [record.condition_id, record]));
}

const PREFIX = "valid_condition_";
const CONTEXT_MARK = "_context_";
const MAX_CANDIDATES = 20;

/** Splits `valid_condition_<condition>_context_<context>` at each possible position, because both parts may contain the mark (storage-format.md 1.5). */
function conditionCandidates(id: string): string[] {
  if (!id.startsWith(PREFIX)) return [];
  const candidates: string[] = [];
  for (let at = id.indexOf(CONTEXT_MARK); at !== -1; at = id.indexOf(CONTEXT_MARK, at + 1)) {
    if (candidates.push(id.slice(PREFIX.length, at)) === MAX_CANDIDATES) break;
  }
  return candidates;
}
