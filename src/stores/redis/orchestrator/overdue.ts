import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf } from "../server/db.ts";
import { membersInSteps } from "../server/members.ts";
import { type FoundStatus, foundStatuses, recordsOf } from "./status-records.ts";

/** Invocations that have been in a status too long. The status sets give candidates; the stored status of each decides. */
export function overdueReads(reading: RedisReading): Pick<OrchestratorReads, "pendingSince" | "ownedByDeadRunner"> {
  const { keys } = reading;
  const db = reading.db("orchestrator");

  /** Invocations in this status that `test` accepts, longest in it first. */
  async function inStatus(
    status: string,
    test: (found: readonly FoundStatus[]) => Promise<FoundStatus[]>,
    limit: number,
  ) {
    let longest: FoundStatus[] = [];
    // A set that changes during the walk may return an id twice.
    const seen = new Set<string>();
    for await (const ids of membersInSteps(db, [keys.key("orchestrator", "status", status)])) {
      const fresh = ids.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      const accepted = await test(await foundStatuses(reading, fresh, [status]));
      longest = [...longest, ...accepted].sort((a, b) => a.current.timestamp - b.current.timestamp).slice(0, limit);
    }
    return recordsOf(reading, longest);
  }

  /** Those of these runners without a heartbeat since then. */
  async function deadAmong(runnerIds: readonly string[], deadBefore: EpochSeconds): Promise<Set<string>> {
    const heartbeats = await db.exchange(
      runnerIds.map((id) => ["HGET", keys.key("orchestrator", "runner_heartbeat", id), "last_heartbeat"]),
    );
    return new Set(
      runnerIds.filter((_, i) => {
        const last = heartbeats[i];
        return typeof last !== "string" || !(numberOf(last) >= deadBefore);
      }),
    );
  }

  return {
    pendingSince: (before, limit) =>
      inStatus("pending", async (found) => found.filter(({ current }) => current.timestamp <= before), limit),

    async ownedByDeadRunner(statuses, deadBefore, each) {
      const isLost = async (found: readonly FoundStatus[]) => {
        const owners = new Set(found.flatMap(({ current }) => current.runner_id ?? []));
        const dead = await deadAmong([...owners], deadBefore);
        return found.filter(({ current }) => current.runner_id !== null && dead.has(current.runner_id));
      };
      return (await Promise.all(statuses.map((status) => inStatus(status, isLost, each)))).flat();
    },
  };
}
