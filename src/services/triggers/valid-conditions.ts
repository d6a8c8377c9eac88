/** A valid condition: a condition that was met, what met it, and which triggers have yet to handle it. */

import type { ValidConditionDetail } from "../../api/conditions.ts";
import { NotFoundError } from "../../errors.ts";
import { validConditionInput } from "../../inputs/triggers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { conditionView, contextView, readValidCondition, storedStrings } from "../model/condition-views.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { pendingByIds } from "../model/pending-conditions.ts";
import { valueReader } from "../model/stored-values.ts";

const RUNS_SHOWN = 20;
const JSON_SHOWN = 10_000;

/** `/trigger-runs/valid-condition?valid_condition_id=`. @throws InvalidInputError, NotFoundError if it was cleared or never existed */
export function validConditionDetail(app: OpenedApp, raw: RawInput): Promise<ValidConditionDetail> {
  const { valid_condition_id: id } = parseInput(validConditionInput, raw);
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
  const why = "A valid condition is cleared once all its triggers have run.";
  return run === undefined ? why : `${why} Trigger run ${run} used it.`;
}
