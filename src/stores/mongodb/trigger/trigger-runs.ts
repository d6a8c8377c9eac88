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
import { MOST_KEPT, matchesIn } from "../collections/remembered-matches.ts";
import { LATEST } from "../collections/time-order.ts";
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

  /** Down to a run, those of its instant that come after it left out; null if they are many. */
  async function fewAmong(filter: TriggerRunFilter, end: Document, condition: Filter): Promise<Document[] | null> {
    const { from: _, to, ...others } = filter;
    const { task_id_key } = others;
    const low = end.sort_time as Date;
    const matched = await matchesIn(reading, runs, {
      key: `runs ${JSON.stringify([others, to])}`,
      time: "sort_time",
      ties: 1,
      low,
      high: to === undefined ? LATEST : atOrBefore(to),
      where: task_id_key === undefined ? {} : { task_id_key },
      condition,
      replaced: true,
      limit: MOST_KEPT + 1,
      only: { trigger_run_id: 1, sort_time: 1 },
    });
    if (matched.length > MOST_KEPT) return null;
    return matched.filter(({ sort_time, _id }) => (sort_time as Date) > low || text(_id) <= text(end._id));
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
      const candidates = (await runs.count(from.where, from.skip + scanLimit + 1)) - from.skip;
      const scanned = Math.min(candidates, scanLimit);
      const looked = { scanned, complete: candidates <= scanLimit };
      if (others === null) {
        const limits = { sort: NEWEST_FIRST, skip: from.skip + offset, limit: Math.min(limit, scanLimit - offset) };
        const found = await runs.find(from.where, limits);
        return { ...looked, runs: found.map((stored) => runOf(stored)), matching: scanned, last_scanned: null };
      }
      if (scanned === 0) return { ...looked, runs: [], matching: 0, last_scanned: null };
      const end = await runs.findOne(from.where, {
        sort: NEWEST_FIRST,
        skip: from.skip + scanned - 1,
        only: { trigger_run_id: 1, sort_time: 1 },
      });
      const last_scanned = end === null ? null : text(end.trigger_run_id);
      const few =
        filter.after === undefined && end?.sort_time instanceof Date ? await fewAmong(filter, end, others) : null;
      if (few !== null) {
        const found = await inThisOrder(few.slice(offset, offset + limit));
        return { ...looked, runs: found.map((stored) => runOf(stored)), matching: few.length, last_scanned };
      }
      const among = [...newestOf(from), { $limit: scanned }, { $match: others }];
      const [found, [counted]] = await Promise.all([
        runs.aggregate([...among, { $skip: offset }], limit),
        runs.aggregate([...among, COUNT], 1),
      ]);
      const matching = number(counted?.n ?? 0);
      return { ...looked, runs: found.map((stored) => runOf(stored)), matching, last_scanned };
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
