import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { TaskSpec } from "../../src/demo/story/app.ts";
import { type TableKey, tableColumns, tableKeys } from "../../src/demo/writer/schema.ts";
import type { DemoWriter } from "../../src/demo/writer/writer.ts";
import { isPossibleInHistory } from "../../src/pynenc/transitions.ts";
import type { Connection } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

export const NOW = 1_795_221_429.5;

/** A directory of its own for the running test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "pynenc-demo-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A copy of a real database; opening the fixture itself would leave WAL files beside it. */
export function openFixture(name: string): Connection {
  const path = join(temporaryDirectory(), name);
  copyFileSync(new URL(`../fixtures/${name}`, import.meta.url), path);
  const db = openDatabase(path, { mode: "write" });
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function memoryDatabase(): Connection {
  return openDatabase(":memory:", { mode: "create" });
}

export type Row = Record<string, string | number | null>;

export function rows<T = Row>(writer: DemoWriter, table: TableKey, rest = ""): T[] {
  return writer.db.prepare(`SELECT * FROM ${writer.table(table)} ${rest}`).all() as T[];
}

/** Every row of every table of the writer's app, in order of insertion. */
export function wholeApp(writer: DemoWriter): Record<string, Row[]> {
  const present = tableKeys().filter((key) => tableColumns(key, writer.layout).length > 0);
  return Object.fromEntries(present.map((key) => [key, rows(writer, key, "ORDER BY rowid")]));
}

interface HistoryRow {
  invocation_id: string;
  history_timestamp: number;
  history_status: string;
  history_json: string;
}

interface StatusRow {
  invocation_id: string;
  status: string;
  status_runner_id: string | null;
  status_timestamp: number;
  retry_count: number;
  auto_purge_timestamp: number | null;
}

/** Everything that is wrong with the histories of an app: forbidden moves, wrong ends, disorder. Empty when all is well. */
export function historyProblems(writer: DemoWriter): string[] {
  const problems: string[] = [];
  const byInvocation = new Map<string, HistoryRow[]>();
  let previous = 0;
  for (const row of rows<HistoryRow>(writer, "state_backend_history", "ORDER BY rowid")) {
    if (row.history_timestamp < previous)
      problems.push(`${row.invocation_id}: ${row.history_status} is out of time order`);
    previous = row.history_timestamp;
    byInvocation.set(row.invocation_id, [...(byInvocation.get(row.invocation_id) ?? []), row]);
  }
  for (const status of rows<StatusRow>(writer, "orchestrator_invocations")) {
    const history = byInvocation.get(status.invocation_id) ?? [];
    problems.push(...lifeProblems(status, history).map((problem) => `${status.invocation_id}: ${problem}`));
  }
  return problems;
}

function lifeProblems(current: StatusRow, history: HistoryRow[]): string[] {
  const problems: string[] = [];
  let from: string | null = null;
  let owner: string | null = null;
  for (const { history_status: to, history_json } of history) {
    const json = JSON.parse(history_json);
    if (!isPossibleInHistory(from, to)) problems.push(`${from} -> ${to}`);
    if (json.status_record.status !== to) problems.push(`the JSON of ${to} says ${json.status_record.status}`);
    const owned = from === "pending" || from === "running" || from === "paused";
    if (owned && !to.endsWith("_recovery") && json.runner_context_id !== owner) problems.push(`${to} by a stranger`);
    from = to;
    owner = json.status_record.runner_id;
  }
  if (from !== current.status) problems.push(`ends with ${from}, but is ${current.status}`);
  if (owner !== current.status_runner_id) problems.push(`owner ${owner}, but ${current.status_runner_id}`);
  const retries = history.filter((row) => row.history_status === "retry").length;
  if (retries !== current.retry_count) problems.push(`${retries} retries, but counts ${current.retry_count}`);
  const final = ["success", "failed", "concurrency_controlled_final"].includes(current.status);
  if (final !== (current.auto_purge_timestamp !== null)) problems.push("retention clock is wrong");
  return problems;
}

/** What runners took since an instant although none of their queues is that of the task, as `task by queues`. */
export function takenFromOthers(writer: DemoWriter, tasks: readonly TaskSpec[], since = 0): string[] {
  const parents = new Map(
    rows<{ runner_id: string; parent_ctx_id: string | null }>(writer, "state_backend_runner_contexts").map((row) => [
      row.runner_id,
      row.parent_ctx_id ?? row.runner_id,
    ]),
  );
  const consumed = new Map(
    rows<{ runner_id: string; consumed_queues: string }>(writer, "orchestrator_runner_heartbeats").map((row) => [
      row.runner_id,
      JSON.parse(row.consumed_queues) as string[],
    ]),
  );
  const queues = new Map(tasks.map((task) => [task.key, task.queue ?? "default"]));
  const taskOf = new Map(
    rows(writer, "orchestrator_invocations").map((row) => [row.invocation_id, String(row.task_id_key)]),
  );
  const taken = rows<HistoryRow>(
    writer,
    "state_backend_history",
    `WHERE history_status = 'pending' AND history_timestamp >= ${since}`,
  );
  expect(taken.length).toBeGreaterThan(0);
  return taken.flatMap(({ invocation_id, history_json }) => {
    const owner = parents.get(JSON.parse(history_json).status_record.runner_id) ?? "";
    const own = consumed.get(owner) ?? [];
    const task = taskOf.get(invocation_id) ?? "";
    return own.length === 0 || own.includes(queues.get(task) ?? "") ? [] : [`${task} by ${own}`];
  });
}

/** Ids that a column holds. */
export function idsOf(writer: DemoWriter, table: TableKey, column: string): Set<string> {
  return new Set(rows(writer, table).map((row) => String(row[column])));
}
