/** A registered condition with its triggers and its recent matches. */

import type { ConditionDetail, ConditionTrigger } from "../../api/conditions.ts";
import { NotFoundError } from "../../errors.ts";
import { conditionInput } from "../../inputs/triggers.ts";
import { describeCondition, neverComes, nextCronTimes } from "../../pynenc/conditions.ts";
import type { TriggerRecord } from "../../pynenc/records.ts";
import { isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { conditionView } from "../model/condition-views.ts";
import { pendingOf } from "../model/pending-conditions.ts";

const TRIGGERS_SHOWN = 200;
const PENDING_SHOWN = 20;
const JSON_SHOWN = 10_000;

/** Number of upcoming times of a schedule. */
const NEXT_TIMES = 5;

/** `/trigger-runs/condition?condition_id=`. @throws InvalidInputError, NotFoundError if it is not registered */
export function conditionDetail(app: OpenedApp, raw: RawInput): Promise<ConditionDetail> {
  const { condition_id: id } = parseInput(conditionInput, raw);
  return app.store.read(async (reads) => {
    const [[record], triggers, pending] = await Promise.all([
      reads.trigger.conditionsByIds([id]),
      reads.trigger.triggers({ by: "condition_id", ids: [id] }, { limit: TRIGGERS_SHOWN + 1, offset: 0 }),
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
      ...nextTimes(record.condition_json, app.now()),
      triggers: triggers.slice(0, TRIGGERS_SHOWN).map(conditionTrigger),
      triggers_truncated: triggers.length > TRIGGERS_SHOWN,
      pending,
    };
  });
}

/** The next times of a schedule, or none for other conditions and unregistered ones. */
export function nextTimes(conditionJson = "", now: number): { next_times: string[]; never_due: boolean } {
  const { cron_expression } = describeCondition(conditionJson);
  if (cron_expression === null) return { next_times: [], never_due: false };
  return {
    next_times: nextCronTimes(cron_expression, now, NEXT_TIMES).map(isoFromEpoch),
    never_due: neverComes(cron_expression, now),
  };
}

function conditionTrigger(trigger: TriggerRecord): ConditionTrigger {
  const { trigger_id, task_id_key, logic_value, condition_ids } = trigger;
  return { trigger_id, task_id_key, logic_value, conditions: condition_ids.length };
}
