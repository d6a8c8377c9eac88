/**
 * What a monitor remembers of a store (kept rows, figures, whole pages) never outlives a change by another process: after each change, every answer
 * is that of a monitor that has just been started.
 */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { figuresRead, type Monitor, monitorAt } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";

const APP = "kitchen_sink";
const PREFIX = tablePrefix(APP);
const folder = temporaryFolder();
const path = copyFixture("kitchen_sink.db", folder.path);
let monitor: Monitor;
let addresses: string[];

/** A monitor that has read what figures over time are counted from. */
async function started(): Promise<Monitor> {
  return figuresRead(await monitorAt(path, "in process", { app: APP, stateDir: folder.path }, () => undefined));
}

beforeAll(async () => {
  vi.spyOn(Date, "now").mockReturnValue(presentOf("kitchen_sink.db") * 1000);
  // Nothing is forgotten because time goes by, and no figure is kept because it took long.
  vi.spyOn(performance, "now").mockReturnValue(0);
  monitor = await started();
  addresses = [...new Set((await pagesOf(monitor)).map((page) => page.path))];
});

afterAll(async () => {
  vi.restoreAllMocks();
  await monitor.close();
  folder.remove();
});

async function answersOf(one: Monitor): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const address of addresses) {
    const response = await one.get(address, { headers: { accept: "application/json" } });
    answers[address] = `${response.status} ${await response.text()}`;
  }
  return answers;
}

async function write(...statements: string[]): Promise<void> {
  const db = openDatabase(path, { mode: "write" });
  for (const sql of statements) db.exec(sql);
  db.close();
}

/** Another process registers an invocation again. */
async function rerun(): Promise<void> {
  const other = await started();
  const { invocations } = await other.json<InvocationList>("/invocations/?status=success");
  const done = await other.post(`/invocations/${invocations[0]?.invocation_id}/rerun`);
  expect(done.status).toBe(200);
  await other.close();
}

/** Tables with rows that pages show. Not the history and what is counted with it: figures over time outlive a purge. */
const TABLES = [
  ...["broker_message_queue", "orchestrator_invocations", "orchestrator_runner_heartbeats"],
  ...["orchestrator_atomic_service_executions", "orchestrator_blocking_edges", "state_backend_results"],
  ...["state_backend_workflows", "state_backend_workflow_data"],
  ...["client_data", "trg_conditions", "trg_triggers", "trg_condition_triggers", "trg_events", "trg_trigger_runs"],
];
const deleteNewest = (table: string) =>
  `DELETE FROM "${PREFIX}__${table}" WHERE rowid = (SELECT max(rowid) FROM "${PREFIX}__${table}")`;

it.each<[string, number, () => Promise<void>]>([
  [
    "that invocations have another status",
    10,
    () => write(`UPDATE "${PREFIX}__orchestrator_invocations" SET status = 'killed' WHERE status = 'failed'`),
  ],
  [
    "a new heartbeat",
    3,
    () =>
      write(`UPDATE "${PREFIX}__orchestrator_runner_heartbeats" SET last_heartbeat = last_heartbeat + 0.5
        WHERE last_heartbeat = (SELECT max(last_heartbeat) FROM "${PREFIX}__orchestrator_runner_heartbeats")`),
  ],
  ["an invocation that was registered again", 10, rerun],
  ["that a row of each table was deleted", 20, () => write(...TABLES.map(deleteNewest))],
])("every answer shows %s, as that of a new monitor does", { timeout: 300_000 }, async (_, least, change) => {
  const before = await answersOf(monitor);
  await change();
  const after = await answersOf(monitor);
  const fresh = await started();
  try {
    expect(after).toEqual(await answersOf(fresh));
  } finally {
    await fresh.close();
  }
  expect(addresses.filter((address) => before[address] !== after[address]).length).toBeGreaterThanOrEqual(least);
});
