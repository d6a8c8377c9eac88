import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import { text } from "../collections/fields.ts";
import { atOrBefore, findIn, GROUPS } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { STATUS_MEMBERS, statusRecord } from "./status-records.ts";

/** Invocations that have been in a status too long. */
export function overdueReads(reading: MongoReading): Pick<OrchestratorReads, "pendingSince" | "ownedByDeadRunner"> {
  const invocations = reading.of("orchestrator", "invocations");
  const heartbeats = reading.of("orchestrator", "runner_heartbeats");
  const longestFirst = (limit: number) => ({ sort: { status_timestamp: 1 } as const, limit, only: STATUS_MEMBERS });

  return {
    pendingSince: async (before, limit) =>
      (
        await invocations.find(
          { status: "pending", status_timestamp: { $lte: atOrBefore(before) } },
          longestFirst(limit),
        )
      ).map(statusRecord),

    async ownedByDeadRunner(statuses, deadBefore, each) {
      const groups = await invocations.aggregate(
        [
          { $match: { status: { $in: [...statuses] }, status_runner_id: { $ne: null } } },
          { $group: { _id: "$status_runner_id" } },
        ],
        GROUPS,
      );
      const owners = groups.map(({ _id }) => text(_id));
      const beating = await findIn(heartbeats, "runner_id", owners, {
        where: { last_heartbeat: { $gte: deadBefore } },
        only: { runner_id: 1 },
      });
      const alive = new Set(beating.map(({ runner_id }) => text(runner_id)));
      const dead = owners.filter((id) => !alive.has(id));
      const found = await Promise.all(
        statuses.map((status) => invocations.find({ status, status_runner_id: { $in: dead } }, longestFirst(each))),
      );
      return found.flat().map(statusRecord);
    },
  };
}
