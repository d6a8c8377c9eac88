import type { Cursor } from "../../ports/common.ts";
import type { InvocationListReads, StatusFilter, StatusRow } from "../../ports/orchestrator.ts";
import { cursorOf, idsStartingWith, olderThan } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";
import { STATUS_MEMBERS, statusRecord } from "./status-records.ts";

/** Invocations by filter. Newest registration first is the order of `_id`: the documents have no time of registration. */
export function invocationList(reading: MongoReading): InvocationListReads {
  const invocations = reading.of("orchestrator", "invocations");
  const newestFirst = { sort: { _id: -1 } as const, only: STATUS_MEMBERS };

  return {
    listInvocations: async (filter, { limit, offset }, after) =>
      (await invocations.find(conditionsOf(filter, after), { ...newestFirst, skip: offset, limit })).map(statusRow),

    isIndexed: async (filter) => isIndexed(filter),

    async scanInvocations(filter, limit, scanLimit, after) {
      if (isIndexed(filter)) {
        const rows = await invocations.find(conditionsOf(filter, after), { ...newestFirst, limit });
        return { rows: rows.map(statusRow), scanned: rows.length, stopped: null };
      }
      const sort = { _id: -1 } as const;
      const older = after === undefined ? {} : olderThan(after);
      const place = after === undefined ? {} : { _id: older };
      const last = await invocations.findOne(place, { sort, skip: scanLimit - 1, only: { invocation_id: 1 } });
      const within = last === null ? {} : { _id: { ...older, $gte: last._id } };
      const rows = await invocations.find({ ...conditionsOf(filter, after), ...within }, { ...newestFirst, limit });
      const stopped = rows.length < limit && last !== null ? statusRow(last) : null;
      return {
        rows: rows.map(statusRow),
        scanned: stopped === null ? rows.length : scanLimit,
        stopped: stopped && { invocation_id: stopped.invocation_id, cursor: stopped.cursor },
      };
    },

    countInvocations: (filter, cap) => invocations.count(conditionsOf(filter), cap),
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
