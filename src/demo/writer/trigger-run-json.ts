import { triggerRunId } from "../../pynenc/identifiers.ts";
import { pythonJson } from "../../pynenc/python-dump.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { ValidCondition } from "./conditions.ts";
import type { TriggerDefinition, TriggerRun } from "./operations.ts";

/** pynenc's id of a run, derived from the trigger and the conditions that were met. */
export function triggerRunIdOf(trigger: TriggerDefinition, participants: readonly ValidCondition[]): string {
  return triggerRunId(
    trigger.trigger_id,
    participants.map((valid) => valid.valid_condition_id),
  );
}

/** The record of a run as stored by pynenc (storage-format.md 5.5). */
export function triggerRunJson(trigger_run_id: string, run: TriggerRun): string {
  const { trigger, participants } = run;
  return pythonJson({
    trigger_run_id,
    trigger_id: trigger.trigger_id,
    task_id_key: trigger.task_id_key,
    logic_value: trigger.logic,
    valid_condition_ids: participants.map((valid) => valid.valid_condition_id),
    condition_ids: participants.map((valid) => valid.condition.condition_id),
    event_ids: participants.flatMap((valid) => valid.context.event_id ?? []),
    source_invocation_ids: participants.flatMap((valid) => valid.context.source_invocation_id ?? []),
    triggered_invocation_id: run.triggered_invocation_id,
    arguments_preview: {},
    claimed_at: isoFromEpoch(run.claimed_at),
    executed_at: isoFromEpoch(run.executed_at),
    participants: participants.map(({ valid_condition_id, condition, context }) => ({
      context_type: context.context_type,
      condition_id: condition.condition_id,
      valid_condition_id,
      event_id: context.event_id,
      source_invocation_id: context.source_invocation_id,
      context_timestamp: isoFromEpoch(context.timestamp),
      context_summary: context.context_summary,
    })),
    atomic_service_run_id: run.service.atomic_service_run_id,
    atomic_service_runner_id: run.service.runner_id,
  });
}
