import { parseQueueNames } from "../../../pynenc/json-records.ts";
import type { HeartbeatRecord } from "../../../pynenc/records.ts";
import { type EpochSeconds, hasYear } from "../../../pynenc/time.ts";
import type { HeartbeatReads } from "../../ports/orchestrator.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Reply } from "../server/connection.ts";

/** Limit of heartbeats read: those of the newest runners, because heartbeats are never deleted and no index orders them by last beat. */
const SCAN_LIMIT = 10_000;

/** Ids read per step. */
const STEP = 10_000;

const FIELDS = [
  "creation_timestamp",
  "last_heartbeat",
  "can_run_atomic_service",
  "last_service_start",
  "last_service_end",
  // Expected since 0.4.
  "consumed_queues",
] as const;

/** Heartbeats of runners. If there are more than ten thousand, only the most recently started are listed; `countHeartbeats` counts all. */
export function heartbeatReads(reading: RedisReading): HeartbeatReads {
  const { keys } = reading;
  const db = reading.db("orchestrator");
  const index = keys.key("orchestrator", "runner_heartbeats");
  // A page needs the active ones, their number and the full list, so they are read once.
  let newest: Promise<HeartbeatRecord[]> | null = null;

  async function byIds(runnerIds: readonly string[]): Promise<HeartbeatRecord[]> {
    const records: HeartbeatRecord[] = [];
    for (const ids of inChunks(runnerIds, STEP)) {
      const hashes = await db.exchange(
        ids.map((id) => ["HMGET", keys.key("orchestrator", "runner_heartbeat", id), ...FIELDS]),
      );
      records.push(...ids.flatMap((id, i) => heartbeatRecord(id, hashes[i]) ?? []));
    }
    return records;
  }

  async function latestFirst(): Promise<HeartbeatRecord[]> {
    const records = await byIds(await db.texts("ZREVRANGE", index, "0", String(SCAN_LIMIT - 1)));
    return records.sort((a, b) => b.last_heartbeat - a.last_heartbeat || (a.runner_id < b.runner_id ? -1 : 1));
  }

  async function active(since: EpochSeconds | undefined): Promise<HeartbeatRecord[]> {
    newest ??= latestFirst();
    const records = await newest;
    return since === undefined ? records : records.filter(({ last_heartbeat }) => last_heartbeat >= since);
  }

  return {
    heartbeats: async ({ limit, offset }, activeSince) => (await active(activeSince)).slice(offset, offset + limit),

    countHeartbeats: async (activeSince) =>
      activeSince === undefined ? db.number("ZCARD", index) : (await active(activeSince)).length,

    async consumers(activeSince) {
      const lists = new Map<string, { queues: readonly string[] | null; runners: number }>();
      for (const { consumed_queues: queues } of await active(activeSince)) {
        const list = JSON.stringify(queues);
        lists.set(list, { queues, runners: (lists.get(list)?.runners ?? 0) + 1 });
      }
      return [...lists.values()];
    },

    heartbeatsByIds: (runnerIds) => byIds([...new Set(runnerIds)]),
  };
}

/** Null if there is no heartbeat. */
function heartbeatRecord(runner_id: string, fields: Reply | undefined): HeartbeatRecord | null {
  const [created, last, atomic, serviceStart, serviceEnd, queues] = Array.isArray(fields) ? fields : [];
  const last_heartbeat = instantOrNull(last);
  if (last_heartbeat === null) return null;
  return {
    runner_id,
    // Without a creation time, the last heartbeat is the best known value.
    creation_timestamp: instantOrNull(created) ?? last_heartbeat,
    last_heartbeat,
    allow_to_run_atomic_service: atomic === "1",
    last_service_start: instantOrNull(serviceStart),
    last_service_end: instantOrNull(serviceEnd),
    consumed_queues: parseQueueNames(queues),
  };
}

/** Fields contain Python floats as text (storage-format.md 9.2). */
function instantOrNull(field: Reply | undefined): EpochSeconds | null {
  const seconds = typeof field === "string" && field.trim() !== "" ? Number(field) : Number.NaN;
  return hasYear(seconds) ? seconds : null;
}
