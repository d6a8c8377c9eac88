import type { OrchestratorRetention } from "../../ports/actions.ts";
import { purgeExecutions } from "../../server/auto-purge.ts";
import type { RedisReading } from "../keys/reading.ts";
import { executionReads } from "../orchestrator/executions.ts";
import { type Changes, membersOfSortedSet } from "./changes.ts";

/** Removes executions of the atomic service that are old enough or too many. */
export async function purgeOldExecutions(reading: RedisReading, changes: Changes, retention: OrchestratorRetention) {
  const { keys } = reading;
  const executions = await executionReads(reading).executions({ limit: Number.MAX_SAFE_INTEGER, offset: 0 });
  const store = {
    executions,
    maxSteps: changes.maxSteps,
    runRecords: (step: number) => runRecords(reading, step),
    async remove(ids: readonly string[]) {
      const [count = 0] = await changes.remove(
        "orchestrator",
        [membersOfSortedSet(keys.key("orchestrator", "atomic_service_executions"), ids)],
        () => [["UNLINK", ...ids.map((id) => keys.key("orchestrator", "atomic_service_execution", id))]],
      );
      return count;
    },
  };
  return purgeExecutions(store, retention);
}

async function* runRecords(reading: RedisReading, step: number): AsyncGenerator<(string | null)[]> {
  const db = reading.db("trigger");
  const { keys } = reading;
  const byTime = keys.key("trigger", "truns_by_time");
  const length = await db.number("ZCARD", byTime);
  for (let start = 0; start < length; start += step) {
    const runs = await db.texts("ZRANGE", byTime, String(start), String(start + step - 1));
    yield db.strings(runs.map((run) => keys.key("trigger", "trun_hash", run)));
  }
}
