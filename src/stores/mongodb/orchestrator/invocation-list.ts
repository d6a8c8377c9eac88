import type { Cursor } from "../../ports/common.ts";
import type { InvocationListReads, StatusFilter, StatusRow, StatusScan } from "../../ports/orchestrator.ts";
import { amongNewest, cursorOf, idsStartingWith, LOOKED_THROUGH, olderThan } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";
import { STATUS_MEMBERS, statusRecord } from "./status-records.ts";

/** Registrations examined first for a filter that no index serves: most filters are met by these. */
const FIRST_STEP = 2_000;

/** Invocations by filter. Newest registration first is the order of `_id`: the documents have no time of registration. */
export function invocationList(reading: MongoReading): InvocationListReads {
  const invocations = reading.of("orchestrator", "invocations");
  const newestFirst = { sort: { _id: -1 } as const, only: STATUS_MEMBERS };

  async function scan(filter: StatusFilter, limit: number, scanLimit: number, after?: Cursor): Promise<StatusScan> {
    const rows: StatusRow[] = [];
    let place = after;
    for (let scanned = 0, step = FIRST_STEP; ; step = scanLimit) {
      const examined = Math.min(step, scanLimit - scanned);
      const older = place === undefined ? {} : olderThan(place);
      const last = await invocations.findOne(place === undefined ? {} : { _id: older }, {
        sort: { _id: -1 },
        skip: examined - 1,
        only: { invocation_id: 1 },
      });
      const within = last === null ? older : { ...older, $gte: last._id };
      const where = { ...conditionsOf(filter), ...(Object.keys(within).length === 0 ? {} : { _id: within }) };
      const found = await invocations.find(where, { ...newestFirst, limit: limit - rows.length });
      rows.push(...found.map(statusRow));
      if (rows.length >= limit || last === null) return { rows, scanned: scanned + found.length, stopped: null };
      scanned += examined;
      place = cursorOf(last);
      if (scanned >= scanLimit)
        return { rows, scanned, stopped: { invocation_id: statusRow(last).invocation_id, cursor: place } };
    }
  }

  return {
    async listInvocations(filter, { limit, offset }, after) {
      // Whoever asks for a page further on has seen those before it.
      if (!isIndexed(filter) && offset === 0) return (await scan(filter, limit, LOOKED_THROUGH, after)).rows;
      const rows = await invocations.find(conditionsOf(filter, after), { ...newestFirst, skip: offset, limit });
      return rows.map(statusRow);
    },

    isIndexed: async (filter) => isIndexed(filter),

    async scanInvocations(filter, limit, scanLimit, after) {
      if (!isIndexed(filter)) return scan(filter, limit, scanLimit, after);
      const rows = await invocations.find(conditionsOf(filter, after), { ...newestFirst, limit });
      return { rows: rows.map(statusRow), scanned: rows.length, stopped: null };
    },

    async countInvocations(filter, cap) {
      const newest = isIndexed(filter) ? {} : await amongNewest(invocations);
      return invocations.count({ ...conditionsOf(filter), ...newest }, cap);
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
