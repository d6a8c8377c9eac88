import type { HeartbeatRecord } from "../../../pynenc/records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { HeartbeatReads } from "../../ports/orchestrator.ts";
import { instant, instantOrNull, number, text } from "../collections/fields.ts";
import { findIn, GROUPS } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";

/** Heartbeats of runners. */
export function heartbeatReads(reading: MongoReading): HeartbeatReads {
  const heartbeats = reading.of("orchestrator", "runner_heartbeats");
  const since = (at: EpochSeconds | undefined) => (at === undefined ? {} : { last_heartbeat: { $gte: at } });

  return {
    heartbeats: async ({ limit, offset }, activeSince) =>
      (await heartbeats.find(since(activeSince), { sort: { last_heartbeat: -1 }, skip: offset, limit }))
        .map(heartbeatRecord)
        // The index has no order for heartbeats of the same instant.
        .sort((a, b) => b.last_heartbeat - a.last_heartbeat || (a.runner_id < b.runner_id ? -1 : 1)),

    countHeartbeats: (activeSince) => heartbeats.count(since(activeSince)),

    async consumers(activeSince) {
      const groups = await heartbeats.aggregate(
        [{ $match: since(activeSince) }, { $group: { _id: "$consumed_queues", runners: { $sum: 1 } } }],
        GROUPS,
      );
      return groups
        .map(({ _id, runners }) => ({ queues: queueNames(_id), runners: number(runners) }))
        .sort((a, b) => (JSON.stringify(a.queues) < JSON.stringify(b.queues) ? -1 : 1));
    },

    heartbeatsByIds: async (runnerIds) => (await findIn(heartbeats, "runner_id", runnerIds)).map(heartbeatRecord),
  };
}

function heartbeatRecord(stored: Document): HeartbeatRecord {
  return {
    runner_id: text(stored.runner_id),
    creation_timestamp: instant(stored.creation_timestamp),
    last_heartbeat: instant(stored.last_heartbeat),
    allow_to_run_atomic_service: stored.allow_to_run_atomic_service === true,
    last_service_start: instantOrNull(stored.last_service_start),
    last_service_end: instantOrNull(stored.last_service_end),
    consumed_queues: queueNames(stored.consumed_queues),
  };
}

/** Null (not known) if it is not a list of names. */
function queueNames(stored: unknown): string[] | null {
  return Array.isArray(stored) && stored.every((name) => typeof name === "string") ? stored : null;
}
