import { parseExecution } from "../../../pynenc/json-records.ts";
import type { ExecutionRecord } from "../../../pynenc/records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { ExecutionFilter, ExecutionReads } from "../../ports/orchestrator.ts";
import type { RedisReading } from "../keys/reading.ts";
import { entriesInOrder } from "../server/members.ts";

/** Executions read per step: all of them, unless the app keeps more than pynenc's default. */
const STEP = 1_000;

/** Seconds by which the time of an entry in the index and that in the record may differ. */
const ROUNDED = 1;

type Entries = ReturnType<typeof entriesInOrder>;

/**
 * Runs of the atomic service, in the keys of newer releases (storage-format.md 9.2). They are read newest first in steps and filtered here: the only
 * index is by start time, and pynenc keeps about a thousand besides those referenced by trigger runs.
 */
export function executionReads(reading: RedisReading): ExecutionReads {
  const { keys, endedExecutions: ended } = reading;
  const db = reading.db("orchestrator");
  const index = keys.key("orchestrator", "atomic_service_executions");
  // A page needs the latest runs, those with a status and counts, so steps are read once and cached by where they begin. Null marks the end.
  const walks = new Map<EpochSeconds, { entries: Entries; steps: Promise<ExecutionRecord[] | null>[] }>();

  async function nextStep(entries: Entries): Promise<ExecutionRecord[] | null> {
    const step = await entries.next();
    return step.done ? null : read(step.value.map(({ id }) => id));
  }

  /** Runs that started by then, and perhaps a few later ones. */
  async function* newestFirst(to: EpochSeconds = Number.POSITIVE_INFINITY): AsyncGenerator<ExecutionRecord[]> {
    const begin = to === Number.POSITIVE_INFINITY ? null : { id: "", time: to + ROUNDED };
    const walk = walks.get(to) ?? { entries: entriesInOrder(db, index, begin, STEP), steps: [] };
    walks.set(to, walk);
    const { entries, steps } = walk;
    for (let number = 0; ; number++) {
      if (number === steps.length) steps.push(nextStep(entries));
      const runs = await steps[number];
      if (runs === null || runs === undefined) return;
      yield runs;
    }
  }

  /** In the order of the ids. Ended runs are read once; later only their existence is checked. */
  async function read(runIds: readonly string[]): Promise<ExecutionRecord[]> {
    const keyOf = (id: string) => keys.key("orchestrator", "atomic_service_execution", id);
    const known = runIds.filter((id) => ended.has(id));
    const unknown = runIds.filter((id) => !ended.has(id));
    const [present, stored] = await Promise.all([db.existing(known.map(keyOf)), db.strings(unknown.map(keyOf))]);
    const kept = new Set(present);
    const runs = new Map<string, ExecutionRecord>();
    for (const id of known) {
      const run = ended.get(id);
      if (run !== undefined && kept.has(keyOf(id))) runs.set(id, run);
    }
    for (const [i, id] of unknown.entries()) {
      const run = executionOf(id, stored[i] ?? "");
      if (run !== null) runs.set(id, run);
      if (run !== null && run.end_time !== null) ended.set(id, run);
    }
    return runIds.flatMap((id) => runs.get(id) ?? []);
  }

  async function matching(filter: ExecutionFilter, limit: number): Promise<ExecutionRecord[]> {
    if (filter.ids !== undefined) {
      const runs = (await read([...new Set(filter.ids)])).filter((run) => meets(run, filter));
      return runs.sort((a, b) => b.start_time - a.start_time).slice(0, limit);
    }
    const found: ExecutionRecord[] = [];
    const { from = Number.NEGATIVE_INFINITY } = filter;
    for await (const runs of newestFirst(filter.to)) {
      found.push(...runs.filter((run) => meets(run, filter)));
      if (found.length >= limit) break;
      // A running one holds the claim or has just started, so thousands of ended ones need not be searched; nor those before a thousand of
      // which none reached into the time range.
      if (filter.status === "running" || runs.every(({ end_time }) => end_time !== null && end_time < from)) {
        const held = (await active()).filter((run) => !found.some((one) => isSame(one, run)));
        found.push(...held.filter((run) => meets(run, filter)));
        break;
      }
    }
    return found.slice(0, limit);
  }

  async function active(): Promise<ExecutionRecord[]> {
    const [id] = await db.strings([keys.key("orchestrator", "atomic_service_active_execution")]);
    return id ? read([id]) : [];
  }

  return {
    executions: async ({ limit, offset }, filter = {}) => (await matching(filter, offset + limit)).slice(offset),

    async countExecutions(filter = {}, cap = Number.POSITIVE_INFINITY) {
      const counts = new Map<string, number>();
      for (const { status } of await matching(filter, cap)) counts.set(status, (counts.get(status) ?? 0) + 1);
      return Object.fromEntries(counts);
    },
  };
}

function executionOf(atomic_service_run_id: string, json: string): ExecutionRecord | null {
  const run = parseExecution(json);
  if (run === null || run.start_time === null) return null;
  return { atomic_service_run_id, ...run, start_time: run.start_time, reason: run.reason ?? "" };
}

function isSame(one: ExecutionRecord, other: ExecutionRecord): boolean {
  return one.atomic_service_run_id === other.atomic_service_run_id;
}

function meets(run: ExecutionRecord, filter: ExecutionFilter): boolean {
  const { from, to, runner_id, status, id_prefix = "", min_seconds } = filter;
  return (
    (runner_id === undefined || run.runner_id === runner_id) &&
    (status === undefined || run.status === status) &&
    run.atomic_service_run_id.startsWith(id_prefix) &&
    (to === undefined || run.start_time <= to) &&
    (from === undefined || run.end_time === null || run.end_time >= from) &&
    (min_seconds === undefined || (run.end_time !== null && run.end_time - run.start_time >= min_seconds))
  );
}
