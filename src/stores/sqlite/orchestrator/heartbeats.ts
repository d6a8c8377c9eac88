import { parseQueueNames } from "../../../pynenc/json-records.ts";
import type { HeartbeatRecord } from "../../../pynenc/records.ts";
import type { HeartbeatReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { instant, isoInstant, number, text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Heartbeats of runners. */
export function heartbeatReads(handle: Queries, tables: AppTables): Sync<HeartbeatReads> {
  const heartbeats = tables.readable("orchestrator", "runner_heartbeats");
  const heartbeatColumns = [
    "runner_id, creation_timestamp, last_heartbeat, allow_to_run_atomic_service",
    // Layouts up to 0.2.3 have the service times, those since 0.4 the queues.
    ...(tables.has("orchestrator", "runner_heartbeats", "last_service_start")
      ? ["last_service_start, last_service_end"]
      : []),
    ...(tables.has("orchestrator", "runner_heartbeats", "consumed_queues") ? ["consumed_queues"] : []),
  ].join(", ");

  return {
    heartbeats({ limit, offset }, activeSince) {
      if (!heartbeats.exists) return [];
      return handle
        .all(
          `SELECT ${heartbeatColumns} FROM ${heartbeats.sql} WHERE last_heartbeat >= ?
           ORDER BY last_heartbeat DESC, runner_id LIMIT ? OFFSET ?`,
          activeSince ?? Number.MIN_SAFE_INTEGER,
          limit,
          offset,
        )
        .map(heartbeatRecord);
    },

    countHeartbeats(activeSince) {
      if (!heartbeats.exists) return 0;
      return handle.number(
        `SELECT count(*) FROM ${heartbeats.sql} WHERE last_heartbeat >= ?`,
        activeSince ?? Number.MIN_SAFE_INTEGER,
      );
    },

    consumers(activeSince) {
      if (!heartbeats.exists) return null;
      const queues = tables.has("orchestrator", "runner_heartbeats", "consumed_queues") ? "consumed_queues" : "NULL";
      return handle
        .all(
          `SELECT ${queues} AS queues, count(*) AS n FROM ${heartbeats.sql} WHERE last_heartbeat >= ? GROUP BY 1 ORDER BY 1`,
          activeSince,
        )
        .map((row) => ({ queues: parseQueueNames(row.queues), runners: number(row.n) }));
    },

    heartbeatsByIds(runnerIds) {
      if (!heartbeats.exists || runnerIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${heartbeatColumns} FROM ${heartbeats.sql} WHERE runner_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(runnerIds),
        )
        .map(heartbeatRecord);
    },
  };
}

function heartbeatRecord(row: Row): HeartbeatRecord {
  return {
    runner_id: text(row.runner_id),
    creation_timestamp: instant(row.creation_timestamp),
    last_heartbeat: instant(row.last_heartbeat),
    allow_to_run_atomic_service: row.allow_to_run_atomic_service === 1,
    last_service_start: isoInstant(row.last_service_start),
    last_service_end: isoInstant(row.last_service_end),
    consumed_queues: parseQueueNames(row.consumed_queues),
  };
}
