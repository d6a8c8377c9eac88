/** Registered conditions, and conditions that were met. */
import { NotFoundError } from "../../errors.ts";
import { describeCondition, nextCronTimes } from "../../pynenc/conditions.ts";
import type { TriggerRecord } from "../../pynenc/records.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput, requiredText } from "../input/input.ts";
import { type InvocationRow, invocationRows } from "../model/invocation-rows.ts";
import { valueReader } from "../model/stored-values.ts";
import {
  type ConditionView,
  type ContextView,
  conditionView,
  contextView,
  readValidCondition,
  storedStrings,
} from "./condition-views.ts";
import { type PendingList, type PendingTrigger, pendingByIds, pendingOf } from "./pending-conditions.ts";

/** A trigger that has a certain condition. */
export interface ConditionTrigger {
  trigger_id: string;
  task_id_key: string;
  logic_value: string;
  /** How many conditions it has. */
  conditions: number;
}

export interface ConditionDetail {
  condition: ConditionView;
  /** As stored, cut for display. */
  condition_json: string;
  /** Of a schedule. Null also right after a runner start, which registers anew. */
  last_cron_execution: string | null;
  /** Of a schedule, from now on. */
  next_times: string[];
  triggers: ConditionTrigger[];
  triggers_truncated: boolean;
  /** What met it and was not handled yet. */
  pending: PendingList;
}

const TRIGGERS_SHOWN = 200;
const PENDING_SHOWN = 20;
const JSON_SHOWN = 10_000;

/** Times of a schedule that are told in advance. */
const NEXT_TIMES = 5;

/** `/trigger-runs/condition?condition_id=`. @throws InvalidInputError, NotFoundError when it is not registered */
export function conditionDetail(app: OpenedApp, raw: RawInput): Promise<ConditionDetail> {
  const { condition_id } = parseInput({ condition_id: requiredText("the whole id of a condition") }, raw);
  // As it was given: codes inside condition ids may begin or end with a space.
  const id = raw.condition_id?.at(-1) ?? condition_id;
  return app.store.read(async (reads) => {
    const [[record], triggers, pending] = await Promise.all([
      reads.trigger.conditionsByIds([id]),
      reads.trigger.triggersOfConditions([id], TRIGGERS_SHOWN + 1),
      pendingOf(reads, [id], PENDING_SHOWN),
    ]);
    if (record === undefined) {
      throw new NotFoundError(
        "registered condition",
        id,
        "Conditions are registered by runners; a purge removes them.",
      );
    }
    const condition = conditionView(id, record);
    return {
      condition,
      condition_json: record.condition_json.slice(0, JSON_SHOWN),
      last_cron_execution: isoOrNull(record.last_cron_execution),
      next_times: nextTimes(record.condition_json, app.now()),
      triggers: triggers.slice(0, TRIGGERS_SHOWN).map(conditionTrigger),
      triggers_truncated: triggers.length > TRIGGERS_SHOWN,
      pending,
    };
  });
}

/** The next times of a schedule, or none for other conditions. */
export function nextTimes(conditionJson: string, now: number): string[] {
  const { cron_expression } = describeCondition(conditionJson);
  return cron_expression === null ? [] : nextCronTimes(cron_expression, now, NEXT_TIMES).map(isoFromEpoch);
}

export interface ValidConditionDetail {
  valid_condition_id: string;
  /** As it was when it was met; null when the stored text is not readable. */
  condition: ConditionView | null;
  context: ContextView | null;
  /** The invocation whose status, result or exception met the condition. */
  source: InvocationRow | null;
  /** The event is stored, so it has a page. */
  event_stored: boolean;
  /** Triggers that have the condition; those that have not run for it keep it from being cleared. */
  triggers: PendingTrigger[];
  triggers_truncated: boolean;
  /** Runs that used it already. */
  trigger_run_ids: string[];
  /** As stored, cut for display. */
  valid_condition_json: string;
  /** Bytes of what is stored, where that is too large to be read whole: then nothing of it is known. */
  too_large: number | null;
}

const RUNS_SHOWN = 20;

/** `/trigger-runs/valid-condition?valid_condition_id=`. @throws InvalidInputError, NotFoundError when it was cleared or never was */
export function validConditionDetail(app: OpenedApp, raw: RawInput): Promise<ValidConditionDetail> {
  const input = parseInput({ valid_condition_id: requiredText("the whole id of a valid condition") }, raw);
  const id = raw.valid_condition_id?.at(-1) ?? input.valid_condition_id;
  return app.store.read(async (reads) => {
    const [[record], [pending], runs] = await Promise.all([
      reads.trigger.validConditionsByIds([id]),
      pendingByIds(reads, [id]),
      reads.trigger.triggerRunsOf("valid_condition", [id], RUNS_SHOWN),
    ]);
    const trigger_run_ids = runs.map((run) => run.trigger_run_id);
    if (record === undefined || pending === undefined) {
      throw new NotFoundError("valid condition", id, cleared(trigger_run_ids));
    }
    const { condition_json, context } = readValidCondition(record.valid_condition_json);
    const { condition_id } = pending;
    const [[registered], events, rows, show] = await Promise.all([
      reads.trigger.conditionsByIds(condition_id === null ? [] : [condition_id]),
      reads.trigger.eventsByIds(context?.view.event_id ? [context.view.event_id] : [], 0),
      invocationRows(reads, context?.view.invocation_id ? [context.view.invocation_id] : []),
      valueReader(reads, context === null ? [] : storedStrings(context)),
    ]);
    return {
      valid_condition_id: id,
      condition: condition_json === null ? null : conditionView(condition_id ?? "", registered, condition_json),
      context: context === null ? null : contextView(context, show),
      source: rows[0] ?? null,
      event_stored: events.length > 0,
      triggers: pending.triggers,
      triggers_truncated: pending.triggers_truncated,
      trigger_run_ids,
      valid_condition_json: record.valid_condition_json.slice(0, JSON_SHOWN),
      too_large: record.whole_size ?? null,
    };
  });
}

function cleared(trigger_run_ids: readonly string[]): string {
  const [run] = trigger_run_ids;
  const why = "Valid conditions are cleared once all their triggers ran.";
  return run === undefined ? why : `${why} The trigger run ${run} used it and keeps what is left of it.`;
}

function conditionTrigger(trigger: TriggerRecord): ConditionTrigger {
  const { trigger_id, task_id_key, logic_value, condition_ids } = trigger;
  return { trigger_id, task_id_key, logic_value, conditions: condition_ids.length };
}
