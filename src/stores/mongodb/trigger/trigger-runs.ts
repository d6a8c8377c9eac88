/** Trigger runs (storage-format.md 5.5). */
import { parseTriggerRun } from "../../../pynenc/json-records.ts";
import { pythonJson } from "../../../pynenc/python-dump.ts";
import type { TriggerRunRecord } from "../../../pynenc/records.ts";
import { triggerRunRecord } from "../../../pynenc/trigger-records.ts";
import type { Slice } from "../../ports/common.ts";
import type { TriggerRunFilter, TriggerRunReads } from "../../ports/trigger.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import { number, text, textOrNull, texts } from "../collections/fields.ts";
import { atOrAfter, atOrBefore, containing, findIn, findPerValue } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";
import { continuedAfter } from "./continued-after.ts";

/** Indexed field for each kind of participant. */
const RUN_LINKS = {
  event: "event_ids",
  source_invocation: "source_invocation_ids",
  valid_condition: "valid_condition_ids",
  triggered_invocation: "triggered_invocation_id",
} as const;

const NEWEST_FIRST = { sort_time: -1 } as const;

const COUNT = { $group: { _id: null, n: { $sum: 1 } } };

export function triggerRunReads(reading: MongoReading): TriggerRunReads {
  const runs = reading.of("trigger", "trigger_runs");

  /** Where the list of the indexed conditions continues; null if `after` is no longer stored. */
  async function start({ after, ...filter }: TriggerRunFilter): Promise<{ where: Filter; skip: number } | null> {
    const where = indexedConditions(filter);
    if (after === undefined) return { where, skip: 0 };
    const run = await runs.findOne({ trigger_run_id: after }, { only: { sort_time: 1 } });
    return run === null
      ? null
      : continuedAfter(runs, where, { time: "sort_time", id: "trigger_run_id" }, run.sort_time, after);
  }

  async function select(filter: TriggerRunFilter, { limit, offset }: Slice): Promise<TriggerRunRecord[]> {
    const from = await start(filter);
    if (from === null) return [];
    const others = otherConditions(filter);
    if (others === null)
      return (await runs.find(from.where, { sort: NEWEST_FIRST, skip: from.skip + offset, limit })).map((stored) =>
        runOf(stored),
      );
    return (await runs.aggregate([...newestOf(from), { $match: others }, { $skip: offset }], limit)).map((stored) =>
      runOf(stored),
    );
  }

  /** Whole documents of which only the ids were read. */
  async function inThisOrder(listed: readonly Document[]): Promise<Document[]> {
    const ids = listed.map(({ trigger_run_id }) => text(trigger_run_id));
    const whole = await findIn(runs, "trigger_run_id", ids);
    const byId = new Map(whole.map((stored) => [text(stored.trigger_run_id), stored]));
    return ids.map((id) => byId.get(id)).filter((stored) => stored !== undefined);
  }

  return {
    triggerRunsByIds: async (ids, bytes) =>
      (await findIn(runs, "trigger_run_id", ids)).map((stored) => runOf(stored, bytes)),

    async triggerRunsOf(kind, ids, limit) {
      const field = RUN_LINKS[kind];
      return findPerValue(
        runs,
        field,
        ids,
        limit,
        { sort: { sort_time: 1 }, only: { trigger_run_id: 1, [field]: 1 } },
        (stored) =>
          (Array.isArray(stored[field]) ? texts(stored[field]) : [text(stored[field])]).map((of) => ({
            of,
            row: { trigger_run_id: text(stored.trigger_run_id), of },
          })),
      );
    },

    listTriggerRuns: select,

    async countTriggerRuns(filter, cap) {
      const from = await start(filter);
      if (from === null) return 0;
      const others = otherConditions(filter);
      if (others === null) return (await runs.count(from.where, from.skip + cap)) - from.skip;
      const [counted] = await runs.aggregate([...newestOf(from), { $match: others }, { $limit: cap }, COUNT], 1);
      return number(counted?.n ?? 0);
    },

    async searchTriggerRuns(filter, slice, scanLimit) {
      const from = await start(filter);
      if (from === null) return { runs: [], matching: 0, scanned: 0, complete: true, last_scanned: null };
      const others = otherConditions(filter);
      const { limit, offset } = slice;
      const [matched, scanned] = await Promise.all([
        others === null
          ? runs.find(from.where, {
              sort: NEWEST_FIRST,
              skip: from.skip + offset,
              limit: Math.min(limit, scanLimit - offset),
            })
          : runs.aggregate(
              [...newestOf(from), { $limit: scanLimit }, { $match: others }, { $project: { trigger_run_id: 1 } }],
              scanLimit,
            ),
        runs.count(from.where, from.skip + scanLimit + 1),
      ]);
      const found = others === null ? matched : await inThisOrder(matched.slice(offset, offset + limit));
      const candidates = scanned - from.skip;
      const last = Math.min(candidates, scanLimit);
      const end =
        others === null || last === 0
          ? null
          : await runs.findOne(from.where, {
              sort: NEWEST_FIRST,
              skip: from.skip + last - 1,
              only: { trigger_run_id: 1 },
            });
      return {
        runs: found.map((stored) => runOf(stored)),
        matching: others === null ? last : matched.length,
        scanned: last,
        complete: candidates <= scanLimit,
        last_scanned: end === null ? null : text(end.trigger_run_id),
      };
    },
  };
}

function newestOf({ where, skip }: { where: Filter; skip: number }): Document[] {
  return [{ $match: where }, { $sort: NEWEST_FIRST }, ...(skip === 0 ? [] : [{ $skip: skip }])];
}

function indexedConditions({ task_id_key, from, to }: TriggerRunFilter): Filter {
  return {
    ...(task_id_key === undefined ? {} : { task_id_key }),
    ...(from === undefined && to === undefined
      ? {}
      : {
          sort_time: {
            ...(from === undefined ? {} : { $gte: atOrAfter(from) }),
            ...(to === undefined ? {} : { $lte: atOrBefore(to) }),
          },
        }),
  };
}

/** Conditions without an index; null if there are none. Members of the record are found in its text. */
function otherConditions({ trigger_id, context_type, atomic_service_run_id }: TriggerRunFilter): Filter | null {
  const members = Object.entries({ context_type, atomic_service_run_id }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ payload_json: containing(`"${name}": ${pythonJson(value)}`) }],
  );
  const all: Filter[] = [...(trigger_id === undefined ? [] : [{ trigger_id }]), ...members];
  return all.length === 0 ? null : { $and: all };
}

/** @param bytes a record whose document is larger has no lists. */
function runOf(stored: Document, bytes = LIST_BYTES): TriggerRunRecord {
  const json = text(stored.payload_json);
  const details = Buffer.byteLength(json) > bytes ? null : parseTriggerRun(json);
  return triggerRunRecord(
    {
      trigger_run_id: text(stored.trigger_run_id),
      trigger_id: text(stored.trigger_id),
      task_id_key: text(stored.task_id_key),
      logic_value: text(stored.logic_value),
      claimed_at: details?.claimed_at ?? null,
      executed_at: details?.executed_at ?? null,
      triggered_invocation_id: textOrNull(stored.triggered_invocation_id),
    },
    details,
  );
}
