/** Conditions, triggers, and conditions that were met (storage-format.md 5.4, 5.6). */
import { validConditionId } from "../../../pynenc/identifiers.ts";
import type { ConditionRecord, TriggerRecord } from "../../../pynenc/records.ts";
import type { TriggerDefinitionReads, ValidConditionOf, ValidConditionRow } from "../../ports/trigger.ts";
import { LIST_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { bounded, boundedText, cutText, isoInstant, number, text } from "../tables/columns.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries, Values } from "../tables/queries.ts";
import type { AppTables, ReadableTable } from "../tables/tables.ts";

export function triggerDefinitionReads(handle: Queries, tables: AppTables): Sync<TriggerDefinitionReads> {
  const triggers = tables.readable("trigger", "triggers");
  const conditions = tables.readable("trigger", "conditions");
  const conditionTriggers = tables.readable("trigger", "condition_triggers");
  const sources = tables.readable("trigger", "source_task_conditions");
  const valid = tables.readable("trigger", "valid_conditions");
  const count = ({ exists, sql }: ReadableTable) => (exists ? `(SELECT count(*) FROM ${sql})` : "0");
  // The id of a valid condition starts with the id of its condition, and is the primary key.
  const validOf = `${valid.sql} k WHERE k.valid_condition_id >= j.value ->> 'from' AND k.valid_condition_id < j.value ->> 'to'
    ORDER BY k.valid_condition_id`;
  const validJson = (column: string, bytes: number = LIST_BYTES) => bounded(column, bytes, "json");
  const triggerColumns = `t.trigger_id, t.task_id_key, t.logic_value, ${bounded("t.argument_provider_json", LIST_BYTES, "provider")}`;
  const rangesOf = (conditionIds: readonly string[]) =>
    JSON.stringify(
      [...new Set(conditionIds)].map((condition_id) => ({
        condition_id,
        ...idRange(validConditionId(condition_id, "")),
      })),
    );

  const idsGiven = "IN (SELECT value FROM json_each(?))";
  const where = {
    trigger_id: `WHERE trigger_id ${idsGiven}`,
    task_id_key: `WHERE task_id_key ${idsGiven}`,
    condition_id: `WHERE trigger_id IN (SELECT trigger_id FROM ${conditionTriggers.sql} WHERE condition_id ${idsGiven})`,
  };

  /** Definitions with their conditions, by task and id. @param chosen selects rowids of the triggers table: sorting whole rows would copy their values. */
  function withConditions(chosen: string, ...values: Values): TriggerRecord[] {
    const joined = conditionTriggers.exists
      ? `LEFT JOIN ${conditionTriggers.sql} c ON c.trigger_id = t.trigger_id`
      : "LEFT JOIN (SELECT NULL AS condition_id) c ON 0";
    const rows = handle.all(
      `SELECT ${triggerColumns}, c.condition_id FROM ${triggers.sql} t ${joined}
       WHERE t.rowid IN (${chosen})
       ORDER BY t.task_id_key, t.trigger_id, c.condition_id`,
      ...values,
    );
    const found = new Map<string, TriggerRecord & { condition_ids: string[] }>();
    for (const row of rows) {
      const trigger_id = text(row.trigger_id);
      const trigger = found.get(trigger_id) ?? {
        trigger_id,
        task_id_key: text(row.task_id_key),
        logic_value: text(row.logic_value),
        argument_provider_json: cutText(row, "provider") || null,
        condition_ids: [],
      };
      found.set(trigger_id, trigger);
      if (row.condition_id !== null) trigger.condition_ids.push(text(row.condition_id));
    }
    return [...found.values()];
  }

  return {
    triggeredTasks() {
      const tasks = [
        ...(sources.exists ? [`SELECT DISTINCT task_id_key, 0 AS n FROM ${sources.sql}`] : []),
        ...(triggers.exists ? [`SELECT task_id_key, count(*) AS n FROM ${triggers.sql} GROUP BY task_id_key`] : []),
      ];
      if (tasks.length === 0) return [];
      // Started ones come last, and so their numbers count.
      const counts = new Map(
        handle.all(tasks.join(" UNION ALL ")).map((row) => [text(row.task_id_key), number(row.n)] as const),
      );
      return [...counts].map(([task_id_key, n]) => ({ task_id_key, triggers: n }));
    },

    countValidConditions: () => handle.number(`SELECT ${count(valid)}`),

    countDefinitions() {
      const counts = handle.get(`SELECT ${count(triggers)} AS triggers, ${count(conditions)} AS conditions`);
      return { triggers: number(counts?.triggers), conditions: number(counts?.conditions) };
    },

    triggers(filter, { limit, offset }) {
      const isEmpty = filter.by !== undefined && filter.ids.length === 0;
      if (!triggers.exists || isEmpty || (filter.by === "condition_id" && !conditionTriggers.exists)) return [];
      return withConditions(
        `SELECT rowid FROM ${triggers.sql} ${filter.by === undefined ? "" : where[filter.by]} ORDER BY task_id_key, trigger_id LIMIT ? OFFSET ?`,
        ...(filter.by === undefined ? [] : [JSON.stringify(filter.ids)]),
        limit,
        offset,
      );
    },

    conditionsByIds(conditionIds) {
      if (!conditions.exists || conditionIds.length === 0) return [];
      return handle
        .all(
          `SELECT condition_id, ${bounded("condition_json", LIST_BYTES, "json")}, last_cron_execution FROM ${conditions.sql}
           WHERE condition_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(conditionIds),
        )
        .map(
          (row): ConditionRecord => ({
            condition_id: text(row.condition_id),
            condition_json: cutText(row, "json"),
            last_cron_execution: isoInstant(row.last_cron_execution),
          }),
        );
    },

    validConditionsByIds(ids, bytes = VALUE_BYTES) {
      if (!valid.exists || ids.length === 0) return [];
      return handle
        .all(
          `SELECT valid_condition_id, ${validJson("valid_condition_json", bytes)} FROM ${valid.sql}
           WHERE valid_condition_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        )
        .map(validConditionRow);
    },

    listValidConditions({ limit, offset }) {
      if (!valid.exists) return [];
      return handle
        .all(
          `SELECT valid_condition_id, ${validJson("valid_condition_json")} FROM ${valid.sql} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
          limit,
          offset,
        )
        .map(validConditionRow);
    },

    validConditionsOf(conditionIds, each) {
      if (!valid.exists || conditionIds.length === 0) return [];
      return handle
        .all(
          `SELECT j.value ->> 'condition_id' AS condition_id, v.valid_condition_id, ${validJson("v.valid_condition_json")}
           FROM json_each(?) j CROSS JOIN ${valid.sql} v ON v.rowid IN (SELECT k.rowid FROM ${validOf} LIMIT ?)
           ORDER BY v.valid_condition_id`,
          rangesOf(conditionIds),
          each,
        )
        .map((row): ValidConditionOf => ({ condition_id: text(row.condition_id), ...validConditionRow(row) }));
    },

    countValidConditionsOf(conditionIds, cap) {
      if (!valid.exists || conditionIds.length === 0) return {};
      const rows = handle.all<{ condition_id: string; n: number }>(
        `SELECT j.value ->> 'condition_id' AS condition_id, (SELECT count(*) FROM (SELECT 1 FROM ${validOf} LIMIT ?)) AS n
         FROM json_each(?) j`,
        cap,
        rangesOf(conditionIds),
      );
      return Object.fromEntries(rows.flatMap((row) => (row.n > 0 ? [[row.condition_id, row.n]] : [])));
    },
  };
}

function validConditionRow(row: Row): ValidConditionRow {
  const { text: valid_condition_json, ...mark } = boundedText(row, "json");
  return { valid_condition_id: text(row.valid_condition_id), valid_condition_json, ...mark };
}
