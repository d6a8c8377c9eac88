import type { OrchestratorRetention } from "../../ports/actions.ts";
import { purgeExecutions } from "../../server/auto-purge.ts";
import { text } from "../collections/fields.ts";
import type { MongoReading } from "../collections/reading.ts";
import { executionReads } from "../orchestrator/executions.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

/** Most executions considered: pynenc keeps a thousand. */
const MOST = 1_000_000;

/** Removes executions of the atomic service that are old enough or too many. */
export async function purgeOldExecutions(reading: MongoReading, changes: Changes, retention: OrchestratorRetention) {
  const store = {
    executions: await executionReads(reading).executions({ limit: MOST, offset: 0 }),
    maxSteps: changes.maxSteps,
    runRecords: (step: number) => runRecords(reading, step),
    remove: (ids: readonly string[]) =>
      changes.remove("orchestrator", "executions", { atomic_service_run_id: { $in: ids } }),
  };
  return purgeExecutions(store, retention);
}

async function* runRecords(reading: MongoReading, step: number): AsyncGenerator<string[]> {
  const order = { by: "sort_time", id: "trigger_run_id", only: ["payload_json"], step };
  for await (const runs of inOrder(reading.of("trigger", "trigger_runs"), {}, order)) {
    yield runs.map(({ payload_json }) => text(payload_json));
  }
}
