import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import type { ExecutionRecord } from "../../../pynenc/records.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import { inChunks } from "../../server/chunks.ts";
import { dueExecutions } from "../../server/due-executions.ts";
import type { RedisReading } from "../keys/reading.ts";
import { executionReads } from "../orchestrator/executions.ts";
import { type Changes, membersOfSortedSet } from "./changes.ts";

const STEP = 1_000;

/** Removes executions of the atomic service by age, then by number, but never a running one or one referenced by a trigger run (storage-format.md 6.4). */
export async function purgeExecutions(
  reading: RedisReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<Pick<OrchestratorPurge, "executions_by_age" | "executions_by_capacity" | "executions_kept" | "exact">> {
  // Executions without a readable record are not listed, and are kept.
  const executions = await executionReads(reading).executions({ limit: Number.MAX_SAFE_INTEGER, offset: 0 });
  const due = await dueExecutions(executions, retention, () => referencedIn(reading, changes));
  return {
    executions_by_age: await removeAll(reading, changes, due.by_age),
    executions_by_capacity: await removeAll(reading, changes, due.by_capacity),
    executions_kept: due.kept,
    exact: due.exact,
  };
}

/** Executions referenced by trigger runs. If there are very many, a preview only reads the oldest runs, whose executions are due first. */
async function referencedIn(
  reading: RedisReading,
  changes: Changes,
): Promise<{ referenced: ReadonlySet<string>; exact: boolean }> {
  const db = reading.db("trigger");
  const { keys } = reading;
  const byTime = keys.key("trigger", "truns_by_time");
  const length = await db.number("ZCARD", byTime);
  const scanned = Math.min(length, changes.maxSteps * STEP);
  const referenced = new Set<string>();
  for (let start = 0; start < scanned; start += STEP) {
    const runs = await db.texts("ZRANGE", byTime, String(start), String(start + STEP - 1));
    const records = await db.strings(runs.map((run) => keys.key("trigger", "trun_hash", run)));
    for (const record of records) {
      const id = record === null ? null : objectOrNull(parsedJson(record))?.atomic_service_run_id;
      if (typeof id === "string") referenced.add(id);
    }
  }
  return { referenced, exact: scanned === length };
}

async function removeAll(
  reading: RedisReading,
  changes: Changes,
  executions: readonly ExecutionRecord[],
): Promise<number> {
  const { keys } = reading;
  let removed = 0;
  for (const some of inChunks(executions, STEP)) {
    const ids = some.map((run) => run.atomic_service_run_id);
    const [count = 0] = await changes.remove(
      "orchestrator",
      [membersOfSortedSet(keys.key("orchestrator", "atomic_service_executions"), ids)],
      () => [["UNLINK", ...ids.map((id) => keys.key("orchestrator", "atomic_service_execution", id))]],
    );
    removed += count;
  }
  return removed;
}
