import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../ports.ts";
import { type Changes, membersOfSortedSet } from "./changes.ts";
import { inChunks, scoredOf } from "./db.ts";
import type { RedisReading } from "./reading.ts";

const STEP = 1_000;

interface Execution {
  id: string;
  start: EpochSeconds;
  end: EpochSeconds | null;
}

/** Removes executions of the atomic service by age, then by number; never one that runs or that a trigger run refers to (storage.md 6.4). */
export async function purgeExecutions(
  reading: RedisReading,
  changes: Changes,
  { executions_before, max_executions }: OrchestratorRetention,
): Promise<Pick<OrchestratorPurge, "executions_by_age" | "executions_by_capacity" | "executions_kept">> {
  const { ended, running } = await executionsOf(reading);
  const old = ended.filter(({ end }) => executions_before !== null && end !== null && end < executions_before);
  const many = max_executions > 0 && ended.length + running > max_executions;
  const referenced = old.length === 0 && !many ? new Set<string>() : await referencedIn(reading);
  const byAge = old.filter(({ id }) => !referenced.has(id));
  const goes = new Set(byAge);
  const excess = many ? ended.length + running - byAge.length - max_executions : 0;
  // Those that a trigger run refers to are passed over, and the next oldest goes instead.
  const byCapacity = ended
    .filter((execution) => !goes.has(execution) && !referenced.has(execution.id))
    .sort((a, b) => a.start - b.start)
    .slice(0, Math.max(0, excess));
  return {
    executions_by_age: await removeAll(reading, changes, byAge),
    executions_by_capacity: await removeAll(reading, changes, byCapacity),
    executions_kept: old.length - byAge.length,
  };
}

/** Executions that ended, oldest first, and how many run. What has no readable record counts as neither, and stays. */
async function executionsOf(reading: RedisReading): Promise<{ ended: Execution[]; running: number }> {
  const db = reading.db("orchestrator");
  const { keys } = reading;
  const byTime = keys.key("orchestrator", "atomic_service_executions");
  const active = await db.ask("GET", keys.key("orchestrator", "atomic_service_active_execution"));
  const length = await db.number("ZCARD", byTime);
  const ended: Execution[] = [];
  let running = 0;
  for (let start = 0; start < length; start += STEP) {
    const rows = scoredOf(await db.ask("ZRANGE", byTime, String(start), String(start + STEP - 1), "WITHSCORES"));
    const records = await db.strings(rows.map(({ member }) => keys.key("orchestrator", "atomic_service_execution", member)));
    for (const [i, { member, score }] of rows.entries()) {
      const record = objectOrNull(parsedJson(records[i] ?? ""));
      if (record === null) continue;
      if (record.status === "running" || member === active) running++;
      else ended.push({ id: member, start: instantOf(record.start_time) ?? score, end: instantOf(record.end_time) });
    }
  }
  return { ended, running };
}

/** Executions that the records of trigger runs name. */
async function referencedIn(reading: RedisReading): Promise<ReadonlySet<string>> {
  const db = reading.db("trigger");
  const { keys } = reading;
  const byTime = keys.key("trigger", "truns_by_time");
  const length = await db.number("ZCARD", byTime);
  const referenced = new Set<string>();
  for (let start = 0; start < length; start += STEP) {
    const runs = await db.texts("ZRANGE", byTime, String(start), String(start + STEP - 1));
    const records = await db.strings(runs.map((run) => keys.key("trigger", "trun_hash", run)));
    for (const record of records) {
      const id = record === null ? null : objectOrNull(parsedJson(record))?.atomic_service_run_id;
      if (typeof id === "string") referenced.add(id);
    }
  }
  return referenced;
}

async function removeAll(reading: RedisReading, changes: Changes, executions: readonly Execution[]): Promise<number> {
  const { keys } = reading;
  let removed = 0;
  for (const some of inChunks(executions, STEP)) {
    const ids = some.map(({ id }) => id);
    const [count = 0] = await changes.remove(
      "orchestrator",
      [membersOfSortedSet(keys.key("orchestrator", "atomic_service_executions"), ids)],
      [["UNLINK", ...ids.map((id) => keys.key("orchestrator", "atomic_service_execution", id))]],
    );
    removed += count;
  }
  return removed;
}

/** ISO text, or seconds: how the plugin writes it has not been seen. */
function instantOf(value: unknown): EpochSeconds | null {
  if (typeof value === "number") return value;
  return typeof value === "string" ? epochFromIso(value) : null;
}
