import type { Cursor } from "../../ports/common.ts";
import {
  type InvocationListReads,
  LOOKED_THROUGH,
  type StatusFilter,
  type StatusRow,
  type StatusScan,
} from "../../ports/orchestrator.ts";
import { madeAt, text } from "../collections/fields.ts";
import { amongNewest, cursorOf, idAt, idBefore, idsStartingWith, olderThan } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";
import { STATUS_MEMBERS, statusRecord } from "./status-records.ts";

/**
 * Registrations examined first, and by how much more each further step takes: most filters are met soon. The server alone would choose by a filter of
 * before, and sort all that failed where that was met by few.
 */
const FIRST_STEP = 2_000;
const GROWTH = 10;

/** Registrations since invocations were counted, after which they are counted again. */
const RECOUNT = 10_000;

/** How many documents the server passes over in the time in which it reads and sorts one. */
const COST_OF_SORTING = 6;

/** So few invocations of a status are read by its index, whatever else they must meet. */
const FEW = 5_000;

/** Invocations by filter. Newest registration first is the order of `_id`: the documents have no time of registration. */
export function invocationList(reading: MongoReading): InvocationListReads {
  const invocations = reading.of("orchestrator", "invocations");
  const newestFirst = { sort: { _id: -1 } as const, only: STATUS_MEMBERS };

  async function scan(filter: StatusFilter, limit: number, scanLimit: number, after?: Cursor): Promise<StatusScan> {
    const { statuses, id_prefix } = filter;
    const few = async () => id_prefix !== undefined || (await invocations.count(conditionsOf({ statuses }), FEW)) < FEW;
    if (statuses === undefined ? isIndexed(filter) : await few()) return byIndex(filter, limit, after);
    const rows: StatusRow[] = [];
    let place = after;
    for (let scanned = 0, step = FIRST_STEP; ; step *= GROWTH) {
      const examined = Math.min(step, scanLimit - scanned);
      const older = place === undefined ? {} : olderThan(place);
      const last = await invocations.findOne(place === undefined ? {} : { _id: older }, {
        sort: { _id: -1 },
        skip: examined - 1,
        only: { _id: 1 },
      });
      const within = last === null ? older : { ...older, $gte: last._id };
      const where = { ...conditionsOf(filter), ...(Object.keys(within).length === 0 ? {} : { _id: within }) };
      const found = await invocations.find(where, { ...newestFirst, byId: true, limit: limit - rows.length });
      rows.push(...found.map(statusRow));
      if (rows.length >= limit || last === null) return { rows, scanned: scanned + found.length, stopped: null };
      scanned += examined;
      place = cursorOf(last);
      if (isIndexed(filter)) {
        rows.push(...(await byIndex(filter, limit - rows.length, place)).rows);
        return { rows, scanned: rows.length, stopped: null };
      }
      if (scanned >= scanLimit) {
        const [stopped] = await invocations.find({ _id: last._id }, { limit: 1, only: { invocation_id: 1 } });
        return { rows, scanned, stopped: { invocation_id: text(stopped?.invocation_id), cursor: place } };
      }
    }
  }

  async function byIndex(filter: StatusFilter, limit: number, after?: Cursor): Promise<StatusScan> {
    const rows = (await invocations.find(conditionsOf(filter, after), { ...newestFirst, limit })).map(statusRow);
    return { rows, scanned: rows.length, stopped: null };
  }

  /** Whether so many of a status are sooner met among all, newest first, than all of that status are sorted. */
  async function isSoonerById({ statuses, id_prefix }: StatusFilter, wanted: number): Promise<boolean> {
    if (statuses === undefined || id_prefix !== undefined) return false;
    const enough = Math.ceil(Math.sqrt((wanted * (await invocations.count({}))) / COST_OF_SORTING));
    return (await invocations.count(conditionsOf({ statuses }), enough)) >= enough;
  }

  /** Those of a task or a call. A walk has found them once, so only what was registered since is looked at. */
  async function newestNamed(filter: StatusFilter, limit: number): Promise<StatusRow[]> {
    const key = JSON.stringify([filter, limit]);
    const known = reading.walked(key);
    const newest = await invocations.findOne({}, { sort: { _id: -1 }, only: { _id: 1 } });
    const where = known && {
      ...conditionsOf(filter),
      $or: [{ _id: { $gt: known.upTo } }, { _id: { $in: known.found } }],
    };
    const rows = where
      ? (await invocations.find(where, { ...newestFirst, limit })).map(statusRow)
      : (await scan(filter, limit, LOOKED_THROUGH)).rows;
    const second = madeAt(newest?._id);
    if (second !== null)
      reading.remember(key, { found: rows.map(({ cursor }) => idAt(cursor)), upTo: idBefore(second) });
    return rows;
  }

  /** The number of a task or a call is remembered too, until documents have been removed: then there are fewer than before and since. */
  async function countNamed(filter: StatusFilter, cap: number): Promise<number> {
    const key = `count ${JSON.stringify(filter)}`;
    const known = reading.walked(key);
    const where = conditionsOf(filter);
    const { _id: bound } = await amongNewest(reading);
    /** Those among the newest within these ids. */
    const within = (ids: Filter) => invocations.count({ ...where, _id: { ...(bound as Filter | undefined), ...ids } });
    if (known !== undefined) {
      const [counted, all] = known.found.map(Number) as [number, number];
      const since = { _id: { $gt: known.upTo } };
      const added = await invocations.count(since, RECOUNT);
      if (added < RECOUNT && (await invocations.count({})) >= all + added)
        return Math.min(cap, counted + (await within(since._id)));
    }
    const newest = await invocations.findOne({}, { sort: { _id: -1 }, only: { _id: 1 } });
    const second = madeAt(newest?._id);
    if (second === null) return invocations.count(where, cap);
    const upTo = idBefore(second);
    const [counted, later, all, added] = await Promise.all([
      within({ $lte: upTo }),
      within({ $gt: upTo }),
      invocations.count({}),
      invocations.count({ _id: { $gt: upTo } }),
    ]);
    reading.remember(key, { found: [counted, all - added], upTo });
    return Math.min(cap, counted + later);
  }

  return {
    async listInvocations(filter, { limit, offset }, after) {
      if (offset === 0) {
        if (!isIndexed(filter) && filter.statuses === undefined && after === undefined)
          return newestNamed(filter, limit);
        return (await scan(filter, limit, LOOKED_THROUGH, after)).rows;
      }
      const byId = await isSoonerById(filter, offset + limit);
      const rows = await invocations.find(conditionsOf(filter, after), { ...newestFirst, byId, skip: offset, limit });
      return rows.map(statusRow);
    },

    isIndexed: async (filter) => isIndexed(filter),

    scanInvocations: scan,

    async countInvocations(filter, cap) {
      if (isIndexed(filter)) return invocations.count(conditionsOf(filter), cap);
      if (filter.statuses === undefined) return countNamed(filter, cap);
      return invocations.count({ ...conditionsOf(filter), ...(await amongNewest(reading)) }, cap);
    },
  };
}

/** Indexes on task and call are of fields that no longer exist. */
function isIndexed({ statuses, task_id_key, call_id_key, id_prefix }: StatusFilter): boolean {
  return statuses?.length === 0 || id_prefix !== undefined || (task_id_key === undefined && call_id_key === undefined);
}

function conditionsOf({ statuses, task_id_key, call_id_key, id_prefix }: StatusFilter, after?: Cursor): Filter {
  return {
    ...(statuses === undefined ? {} : { status: { $in: [...statuses] } }),
    ...(task_id_key === undefined ? {} : { task_id_key }),
    ...(call_id_key === undefined ? {} : { call_id_key }),
    ...(id_prefix === undefined ? {} : { invocation_id: idsStartingWith(id_prefix) }),
    ...(after === undefined ? {} : { _id: olderThan(after) }),
  };
}

function statusRow(stored: Document): StatusRow {
  return { ...statusRecord(stored), cursor: cursorOf(stored) };
}
