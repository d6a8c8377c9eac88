/** Conditions, triggers, and conditions that were met (storage-format.md 5.4, 5.6). */
import { validConditionId } from "../../../pynenc/identifiers.ts";
import type { TriggerRecord } from "../../../pynenc/records.ts";
import type { TriggerDefinitionReads, ValidConditionRow } from "../../ports/trigger.ts";
import { LIST_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import { instantOrNull, number, text, texts } from "../collections/fields.ts";
import { boundedText, cutText, distinctTexts, findIn, GROUPS, idsStartingWith } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";

const FIELDS = { trigger_id: "trigger_id", task_id_key: "task_id_key", condition_id: "condition_ids" } as const;

export function triggerDefinitionReads(reading: MongoReading): TriggerDefinitionReads {
  const triggers = reading.of("trigger", "triggers");
  const conditions = reading.of("trigger", "conditions");
  const sources = reading.of("trigger", "source_task_conditions");
  const valid = reading.of("trigger", "valid_conditions");
  /** The id of a valid condition starts with the id of its condition. */
  const ofCondition = (id: string) => ({ valid_condition_id: idsStartingWith(validConditionId(id, "")) });

  return {
    async triggeredTasks() {
      const [watched, started] = await Promise.all([
        distinctTexts(sources, "task_id_key"),
        triggers.aggregate([{ $group: { _id: "$task_id_key", n: { $sum: 1 } } }], GROUPS),
      ]);
      const counts = new Map(watched.map((task) => [task, 0]));
      for (const { _id, n } of started) counts.set(text(_id), number(n));
      return [...counts].map(([task_id_key, n]) => ({ task_id_key, triggers: n }));
    },

    countValidConditions: () => valid.count({}),

    async countDefinitions() {
      const [own, all] = await Promise.all([triggers.count({}), conditions.count({})]);
      return { triggers: own, conditions: all };
    },

    async triggers(filter, { limit, offset }) {
      const where = filter.by === undefined ? {} : { [FIELDS[filter.by]]: { $in: [...filter.ids] } };
      const sort = { task_id_key: 1, trigger_id: 1 } as const;
      return (await triggers.find(where, { sort, skip: offset, limit })).map(triggerRecord);
    },

    conditionsByIds: async (conditionIds) =>
      (await findIn(conditions, "condition_id", conditionIds)).map((stored) => ({
        condition_id: text(stored.condition_id),
        condition_json: cutText(stored.condition_json, LIST_BYTES),
        last_cron_execution: instantOrNull(stored.last_cron_execution),
      })),

    validConditionsByIds: async (ids, bytes = VALUE_BYTES) =>
      (await findIn(valid, "valid_condition_id", ids)).map((stored) => validConditionRow(stored, bytes)),

    listValidConditions: async ({ limit, offset }) =>
      (await valid.find({}, { sort: { _id: -1 }, skip: offset, limit })).map((stored) =>
        validConditionRow(stored, LIST_BYTES),
      ),

    async validConditionsOf(conditionIds, each) {
      const found = await Promise.all(
        [...new Set(conditionIds)].map(async (condition_id) =>
          (await valid.find(ofCondition(condition_id), { sort: { valid_condition_id: 1 }, limit: each })).map(
            (stored) => ({ condition_id, ...validConditionRow(stored, LIST_BYTES) }),
          ),
        ),
      );
      return found.flat().sort((a, b) => (a.valid_condition_id < b.valid_condition_id ? -1 : 1));
    },

    async countValidConditionsOf(conditionIds, cap) {
      const counts = await Promise.all(
        [...new Set(conditionIds)].map(async (id) => [id, await valid.count(ofCondition(id), cap)] as const),
      );
      return Object.fromEntries(counts.filter(([, n]) => n > 0));
    },
  };
}

function triggerRecord(stored: Document): TriggerRecord {
  return {
    trigger_id: text(stored.trigger_id),
    task_id_key: text(stored.task_id_key),
    logic_value: text(stored.logic_value),
    argument_provider_json: cutText(stored.argument_provider_json, LIST_BYTES) || null,
    condition_ids: texts(stored.condition_ids).sort(),
  };
}

function validConditionRow(stored: Document, bytes: number): ValidConditionRow {
  const { text: valid_condition_json, ...mark } = boundedText(stored.valid_condition_json, bytes);
  return { valid_condition_id: text(stored.valid_condition_id), valid_condition_json, ...mark };
}
