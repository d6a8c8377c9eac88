import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import type { ExecutionRecord } from "../../../pynenc/records.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import { inChunks } from "../../server/chunks.ts";
import { dueExecutions } from "../../server/due-executions.ts";
import { text } from "../collections/fields.ts";
import type { MongoReading } from "../collections/reading.ts";
import { executionReads } from "../orchestrator/executions.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

const STEP = 1_000;

/** Most executions considered: pynenc keeps a thousand. */
const MOST = 1_000_000;

/** Removes executions of the atomic service by age, then by number, but never a running one or one referenced by a trigger run (storage-format.md 6.4). */
export async function purgeExecutions(
  reading: MongoReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<Pick<OrchestratorPurge, "executions_by_age" | "executions_by_capacity" | "executions_kept" | "exact">> {
  const executions = await executionReads(reading).executions({ limit: MOST, offset: 0 });
  const due = await dueExecutions(executions, retention, () => referencedIn(reading, changes));
  return {
    executions_by_age: await removeAll(changes, due.by_age),
    executions_by_capacity: await removeAll(changes, due.by_capacity),
    executions_kept: due.kept,
    exact: due.exact,
  };
}

/** Executions referenced by trigger runs. If there are very many, a preview only reads the oldest runs, whose executions are due first. */
async function referencedIn(
  reading: MongoReading,
  changes: Changes,
): Promise<{ referenced: ReadonlySet<string>; exact: boolean }> {
  const referenced = new Set<string>();
  let steps = 0;
  const order = { by: "sort_time", id: "trigger_run_id", only: ["payload_json"], step: STEP };
  for await (const runs of inOrder(reading.of("trigger", "trigger_runs"), {}, order)) {
    if (steps++ >= changes.maxSteps) return { referenced, exact: false };
    for (const { payload_json } of runs) {
      const id = objectOrNull(parsedJson(text(payload_json)))?.atomic_service_run_id;
      if (typeof id === "string") referenced.add(id);
    }
  }
  return { referenced, exact: true };
}

async function removeAll(changes: Changes, executions: readonly ExecutionRecord[]): Promise<number> {
  let removed = 0;
  for (const some of inChunks(executions, STEP)) {
    const ids = some.map((run) => run.atomic_service_run_id);
    removed += await changes.remove("orchestrator", "executions", { atomic_service_run_id: { $in: ids } });
  }
  return removed;
}
