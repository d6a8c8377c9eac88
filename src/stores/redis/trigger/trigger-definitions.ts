/** Conditions, triggers, and conditions that were met (storage-format.md 5.4, 5.6). */
import { validConditionId } from "../../../pynenc/identifiers.ts";
import { parseTrigger } from "../../../pynenc/json-records.ts";
import { ascending } from "../../../pynenc/order.ts";
import type { ConditionRecord, TriggerRecord } from "../../../pynenc/records.ts";
import { epochFromIso } from "../../../pynenc/time.ts";
import type { TriggerDefinitionReads, ValidConditionRow } from "../../ports/trigger.ts";
import { inChunks } from "../../server/chunks.ts";
import { LIST_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import { startingWith } from "../keys/names.ts";
import type { RedisReading } from "../keys/reading.ts";
import { textsOf } from "../server/db.ts";
import { likelyConditions, likelyWatchedTasks } from "./likely-conditions.ts";

/** Definitions read per step. */
const STEP = 10_000;

/** Limit of triggers read per condition. */
const MAX_TRIGGERS = 10_000;

export function triggerDefinitionReads(reading: RedisReading): TriggerDefinitionReads {
  const { catalogue } = reading;
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);

  /** As `stored`, cut to `LIST_BYTES`: a cut text ends with an ellipsis, so it is not valid JSON. */
  async function documents(family: string, ids: readonly string[]): Promise<[id: string, text: string][]> {
    const distinct = [...new Set(ids)];
    const texts = await db.cutStrings(
      distinct.map((id) => key(family, id)),
      LIST_BYTES,
    );
    return distinct.flatMap((id, i): [string, string][] => {
      const read = texts[i] ?? null;
      if (read === null) return [];
      return [[id, read.whole_size === undefined ? read.text : `${read.text}…`]];
    });
  }

  /** Stored texts of a family by id. */
  async function stored(family: string, ids: readonly string[]): Promise<[id: string, text: string][]> {
    const found: [string, string][] = [];
    for (const some of inChunks([...new Set(ids)], STEP)) {
      const texts = await db.strings(some.map((id) => key(family, id)));
      for (const [i, id] of some.entries()) {
        const text = texts[i] ?? null;
        if (text !== null) found.push([id, text]);
      }
    }
    return found;
  }

  /** By task, then id. */
  async function triggers(ids: readonly string[]): Promise<TriggerRecord[]> {
    return (await stored("trigger", ids))
      .flatMap(([trigger_id, json]) => {
        const trigger = parseTrigger(json);
        return trigger === null ? [] : [{ ...trigger, trigger_id, condition_ids: [...trigger.condition_ids].sort() }];
      })
      .sort((a, b) => ascending(a.task_id_key, b.task_id_key) || ascending(a.trigger_id, b.trigger_id));
  }

  /** Ids of the triggers in the sets of these conditions or tasks. */
  async function triggerIdsIn(family: "condition_triggers" | "task_triggers", of: readonly string[]) {
    const ids = new Set<string>();
    for (const some of inChunks(of, STEP)) {
      const sets = await db.exchange(some.map((id) => ["SRANDMEMBER", key(family, id), String(MAX_TRIGGERS)]));
      for (const id of sets.flatMap(textsOf)) ids.add(id);
    }
    return [...ids];
  }

  const idsBy = {
    trigger_id: async (ids: readonly string[]) => ids,
    task_id_key: (tasks: readonly string[]) => triggerIdsIn("task_triggers", tasks),
    condition_id: (ids: readonly string[]) => triggerIdsIn("condition_triggers", ids),
  };

  // A page needs them and their number.
  let ids: Promise<string[]> | null = null;
  let all: Promise<TriggerRecord[]> | null = null;

  /** Every trigger has a condition: pynenc registers none without. */
  async function readTriggerIds(): Promise<string[]> {
    const { names } = await catalogue.names("triggering_conditions", () => likelyConditions(reading), true);
    return triggerIdsIn("condition_triggers", names);
  }
  const allTriggerIds = () => (ids ??= readTriggerIds());
  const allTriggers = () => (all ??= allTriggerIds().then(triggers));

  const validConditionsByIds = async (ids: readonly string[], bytes: number = VALUE_BYTES) => {
    const found: ValidConditionRow[] = [];
    for (const some of inChunks([...new Set(ids)], STEP)) {
      const texts = await db.cutStrings(
        some.map((id) => key("valid_condition", id)),
        bytes,
      );
      for (const [i, valid_condition_id] of some.entries()) {
        const read = texts[i] ?? null;
        if (read === null) continue;
        const { text: valid_condition_json, ...mark } = read;
        found.push({ valid_condition_id, valid_condition_json, ...mark });
      }
    }
    return found;
  };

  /** No index lists them, so none are known until the first walk over a large server has ended. */
  const validConditionNames = () => catalogue.names("valid_conditions", async () => []);

  return {
    async triggeredTasks() {
      const [started, watched] = await Promise.all([
        allTriggers(),
        catalogue.names("watched_tasks", () => likelyWatchedTasks(reading), true),
      ]);
      const counts = new Map(watched.names.map((task) => [task, 0]));
      for (const { task_id_key } of started) counts.set(task_id_key, (counts.get(task_id_key) ?? 0) + 1);
      return [...counts].map(([task_id_key, count]) => ({ task_id_key, triggers: count }));
    },

    countValidConditions: async () => (await catalogue.names("valid_conditions")).total,

    async countDefinitions() {
      const [own, conditions] = await Promise.all([
        allTriggerIds(),
        catalogue.names("conditions", () => likelyConditions(reading), true),
      ]);
      return { triggers: own.length, conditions: conditions.total };
    },

    async triggers(filter, { limit, offset }) {
      const found = filter.by === undefined ? await allTriggers() : await triggers(await idsBy[filter.by](filter.ids));
      return found.slice(offset, offset + limit);
    },

    async conditionsByIds(conditionIds) {
      const [conditions, executions] = await Promise.all([
        documents("condition", conditionIds),
        stored("cron_last_execution", conditionIds),
      ]);
      const last = new Map(executions);
      return conditions.map(
        ([condition_id, condition_json]): ConditionRecord => ({
          condition_id,
          condition_json,
          last_cron_execution: epochFromIso(last.get(condition_id) ?? ""),
        }),
      );
    },

    validConditionsByIds,

    async listValidConditions({ limit, offset }) {
      const { names, settled } = await validConditionNames();
      return settled ? validConditionsByIds(names.slice(offset, offset + limit), LIST_BYTES) : null;
    },

    async validConditionsOf(conditionIds, each) {
      const { names, complete, settled } = await validConditionNames();
      if (!settled || !complete) return null;
      const conditionOf = new Map(
        conditionIds.flatMap((id) =>
          startingWith(names, validConditionId(id, ""))
            .slice(0, each)
            .map((name) => [name, id] as const),
        ),
      );
      return (await validConditionsByIds([...conditionOf.keys()], LIST_BYTES))
        .map((row) => ({ condition_id: conditionOf.get(row.valid_condition_id) ?? "", ...row }))
        .sort((a, b) => ascending(a.valid_condition_id, b.valid_condition_id));
    },

    async countValidConditionsOf(conditionIds, cap) {
      const { names, complete, settled } = await validConditionNames();
      if (!settled || !complete) return null;
      return Object.fromEntries(
        conditionIds.flatMap((id) => {
          const { length } = startingWith(names, validConditionId(id, ""));
          return length > 0 ? [[id, Math.min(length, cap)]] : [];
        }),
      );
    },
  };
}
