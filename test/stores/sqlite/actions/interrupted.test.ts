/** A process that is killed in the middle of an action: afterwards everything is as it was before. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { externalCaller } from "../../../../src/pynenc/rerun.ts";
import type { Actions } from "../../../../src/stores/ports/actions.ts";
import { COMPONENTS } from "../../../../src/stores/ports/common.ts";
import { factsOf } from "../../../support/fixtures.ts";
import { act, lockTaken } from "../processes.ts";
import { change, copies, inspect, integrity, rowSets, setJournal, withStore } from "../rows.ts";

const copyOf = copies();
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const ALL_DUE = {
  final_until: Number.MAX_VALUE,
  executions_before: Number.MAX_VALUE,
  max_executions: 1,
  with_open_parents: true,
};
const ALL_EVENTS = { before: Number.MAX_VALUE, max_events: 0, max_trigger_runs: 0 };

/** Makes a statement of an action take for ever: the kill then falls behind those before it and in front of those after it. */
function slowDown(path: string, when: string): void {
  change(
    path,
    `CREATE TRIGGER slow ${when} BEGIN SELECT count(*) FROM (
       WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 1e12) SELECT x FROM n); END`,
  );
}

const someIds = (path: string) =>
  inspect(path, (db) =>
    db.prepare(`SELECT invocation_id FROM ${P}state_backend_invocations WHERE task_id_key = 'tasks.add'`).column(),
  ) as string[];

const CASES: readonly [string, string, keyof Actions, (path: string) => readonly unknown[]][] = [
  ["a purge of everything, at its last tables", "AFTER DELETE ON @trg_trigger_runs", "purge", () => [COMPONENTS]],
  [
    "a purge of everything, in its middle",
    "AFTER DELETE ON @state_backend_runner_contexts",
    "purge",
    () => [COMPONENTS],
  ],
  [
    "an auto-purge of the orchestrator, at the executions",
    "AFTER DELETE ON @orchestrator_atomic_service_executions",
    "autoPurgeOrchestrator",
    () => [ALL_DUE],
  ],
  ["an auto-purge of events, at the runs", "AFTER DELETE ON @trg_trigger_runs", "autoPurgeEvents", () => [ALL_EVENTS]],
  [
    "a registration, before its message",
    "BEFORE INSERT ON @broker_message_queue",
    "rerun",
    (path) => [someIds(path), { caller: externalCaller("vm", 1), force: false }],
  ],
];

describe.each(["WAL", "DELETE"] as const)("kill -9 of the monitor with journal mode %s", (journal) => {
  it.each(CASES)("during %s leaves all of the action or nothing", async (_, when, method, argsFor) => {
    const path = copyOf("kitchen_sink.db");
    setJournal(path, journal);
    slowDown(path, when.replace("@", P));
    const before = rowSets(path);
    const { child, answer } = act(path, APP, method, argsFor(path));
    await lockTaken(path);
    // The statements before the slow one take some milliseconds.
    await pause(400);
    child.kill("SIGKILL");
    expect(await answer).toBeNull();
    expect(child.signalCode).toBe("SIGKILL");

    // The monitor reads what was there, without anybody to clean up first.
    const statuses = withStore(path, (store) => store.app(APP).read((reads) => reads.orchestrator.countByStatus()));
    expect(await statuses).toEqual(factsOf("kitchen_sink.db", APP).statuses);
    change(path, "DROP TRIGGER slow");
    const { sqlite_schema: _schema, ...rows } = rowSets(path);
    const { sqlite_schema: _slow, ...expected } = before;
    expect(rows).toEqual(expected);
    expect(integrity(path)).toBe("ok");
    // Nobody holds a lock any more, and the same action does what it says.
    await withStore(path, async (store) => {
      const app = store.app(APP);
      const action = app.actions[method] as (...args: readonly unknown[]) => Promise<unknown>;
      const done = await action(...argsFor(path));
      expect(done).not.toEqual([]);
      expect(rowSets(path)).not.toEqual({ ...expected, sqlite_schema: rowSets(path).sqlite_schema });
    });
    expect(integrity(path)).toBe("ok");
  });
});
