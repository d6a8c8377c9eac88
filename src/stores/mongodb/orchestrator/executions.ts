import type { ExecutionRecord } from "../../../pynenc/records.ts";
import { type EpochSeconds, hasYear, isoFromEpoch } from "../../../pynenc/time.ts";
import type { ExecutionFilter, ExecutionReads } from "../../ports/orchestrator.ts";
import { instant, instantOrNull, number, text } from "../collections/fields.ts";
import { GROUPS, idsStartingWith } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { matchesIn } from "../collections/remembered-matches.ts";
import type { Document, Filter } from "../server/db.ts";

/** Documents read per step where a condition is checked here. */
const STEP = 1_000;

/** No time is later than this text. */
const LAST = "\u{10ffff}";

/** Runs of the atomic service. Both times and the runner are indexed; runs that began at the same instant are in no order of their own. */
export function executionReads(reading: MongoReading): ExecutionReads {
  const executions = reading.of("orchestrator", "executions");
  const sort = { start_time: -1 } as const;

  async function longEnough(filter: ExecutionFilter, seconds: number, limit: number): Promise<ExecutionRecord[]> {
    const found: ExecutionRecord[] = [];
    for (let skip = 0; found.length < limit; skip += STEP) {
      const some = await executions.find(conditionsOf(filter), { sort, skip, limit: STEP });
      found.push(
        ...some.map(executionRecord).filter((run) => run.end_time !== null && run.end_time - run.start_time >= seconds),
      );
      if (some.length < STEP) break;
    }
    return found.slice(0, limit);
  }

  return {
    async executions({ limit, offset }, filter = {}) {
      if (filter.min_seconds !== undefined)
        return (await longEnough(filter, filter.min_seconds, offset + limit)).slice(offset);
      const { status, ...others } = filter;
      // They are few among many, and written once, at their end.
      if (status === "blocked" && Object.keys(others).length === 0) {
        const search = { key: `blocked ${offset + limit}`, time: "start_time", ties: -1, low: "", high: LAST } as const;
        const found = await matchesIn(reading, executions, { ...search, condition: { status }, limit: offset + limit });
        return found.slice(offset).map(executionRecord);
      }
      return (await executions.find(conditionsOf(filter), { sort, skip: offset, limit })).map(executionRecord);
    },

    async countExecutions(filter = {}, cap) {
      if (filter.min_seconds !== undefined) {
        const counts = new Map<string, number>();
        for (const { status } of await longEnough(filter, filter.min_seconds, cap ?? Number.MAX_SAFE_INTEGER))
          counts.set(status, (counts.get(status) ?? 0) + 1);
        return Object.fromEntries(counts);
      }
      const groups = await executions.aggregate(
        [
          { $match: conditionsOf(filter) },
          ...(cap === undefined ? [] : [{ $limit: cap }]),
          { $group: { _id: "$status", n: { $sum: 1 } } },
        ],
        GROUPS,
      );
      return Object.fromEntries(groups.map(({ _id, n }) => [text(_id), number(n)]));
    },
  };
}

/** Without `min_seconds`, because times are stored as text. */
function conditionsOf({ ids, from, to, runner_id, status, id_prefix }: ExecutionFilter): Filter {
  const all: Filter[] = [];
  if (ids !== undefined) all.push({ atomic_service_run_id: { $in: [...ids] } });
  if (id_prefix !== undefined) all.push({ atomic_service_run_id: idsStartingWith(id_prefix) });
  if (runner_id !== undefined) all.push({ runner_id });
  // The status has no index. Only a run that goes on has no end.
  if (status !== undefined) all.push(status === "running" ? { status, end_time: null } : { status });
  if (to !== undefined && hasYear(to)) all.push({ start_time: { $lte: pythonIso(to) } });
  if (from !== undefined && hasYear(from))
    all.push({ $or: [{ end_time: null }, { end_time: { $gte: pythonIso(from) } }] });
  return all.length === 0 ? {} : { $and: all };
}

/** Python omits a zero fraction. Texts with the same offset sort by time nevertheless, because "+" comes before ".". */
function pythonIso(at: EpochSeconds): string {
  return isoFromEpoch(at).replace(".000000+", "+");
}

function executionRecord(stored: Document): ExecutionRecord {
  return {
    atomic_service_run_id: text(stored.atomic_service_run_id),
    runner_id: text(stored.runner_id),
    start_time: instant(stored.start_time),
    end_time: instantOrNull(stored.end_time),
    status: text(stored.status),
    reason: text(stored.reason),
  };
}
