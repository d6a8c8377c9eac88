/** Actions while other processes write to the same file: none of them fails, and no record is left incomplete. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { externalCaller } from "../../../../src/pynenc/rerun.ts";
import type { RowCount } from "../../../../src/stores/ports/actions.ts";
import { COMPONENTS } from "../../../../src/stores/ports/common.ts";
import { act, startRunner } from "../processes.ts";
import { copies, inspect, integrity, rowSets, setJournal, withStore } from "../rows.ts";

const copyOf = copies();
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const CALLER = externalCaller("vm", 1);
const ROUNDS = 12;

function column(path: string, sql: string): string[] {
  return inspect(path, (db) => db.prepare(sql.replaceAll("@", P)).column()) as string[];
}

describe.each(["WAL", "DELETE"] as const)("with journal mode %s", (journal) => {
  it.each([0, 2])(
    "a runner keeps working while calls are registered and data is purged in a loop (%d threads)",
    async (threads) => {
      const path = copyOf("kitchen_sink.db");
      setJournal(path, journal);
      const runner = await startRunner(path, APP);
      const ids = column(path, "SELECT invocation_id FROM @state_backend_invocations WHERE task_id_key = 'tasks.add'");
      const made: string[] = [];
      await withStore(
        path,
        async (store) => {
          const { actions } = store.app(APP);
          for (let round = 0; round < ROUNDS; round++) {
            // What the auto-purge takes is what would tell that the same call may wait twice.
            const done = await actions.rerun(ids, { caller: CALLER, force: true });
            made.push(...done.flatMap((one) => one.new_invocation_id ?? []));
            await actions.autoPurgeOrchestrator({
              final_until: Date.now() / 1000,
              executions_before: null,
              max_executions: 0,
              with_open_parents: true,
            });
            if (round % 3 === 1) await actions.purge(["broker"]);
            await actions.autoPurgeEvents({ before: 0, max_events: ROUNDS - round, max_trigger_runs: 0 });
            // The runner gets a turn also where the action keeps this thread busy.
            await pause(20);
          }
        },
        { threads, lockWait: 30 },
      );
      const report = await runner.stop();
      expect({ errors: report.errors, halves: report.halves }).toEqual({ errors: [], halves: [] });
      expect(report.finished).toBe(report.taken);
      expect(report.finished).toBeGreaterThan(0);
      expect(made).toHaveLength(ROUNDS * ids.length);
      // Every registration is there as a whole, and ends in the status that its history tells.
      const defined = new Set(column(path, "SELECT invocation_id FROM @state_backend_invocations"));
      expect(made.filter((id) => !defined.has(id))).toEqual([]);
      expect(
        column(
          path,
          `SELECT i.invocation_id FROM @orchestrator_invocations i WHERE status <> (
           SELECT history_status FROM @state_backend_history h WHERE h.invocation_id = i.invocation_id ORDER BY h.rowid DESC LIMIT 1)`,
        ),
      ).toEqual([]);
      expect(
        column(
          path,
          "SELECT invocation_id FROM @broker_message_queue EXCEPT SELECT invocation_id FROM @orchestrator_invocations",
        ),
      ).toEqual([]);
      expect(integrity(path)).toBe("ok");
    },
  );
});

it("a runner survives a purge of everything, and takes calls that are registered afterwards", async () => {
  const path = copyOf("kitchen_sink.db");
  const runner = await startRunner(path, APP);
  await withStore(path, (store) => store.app(APP).actions.purge(COMPONENTS), { lockWait: 30 });
  const report = await runner.stop();
  expect({ errors: report.errors, halves: report.halves }).toEqual({ errors: [], halves: [] });
  expect(column(path, "SELECT invocation_id FROM @orchestrator_invocations")).toEqual([]);
  expect(column(path, "SELECT app_id FROM @state_backend_app_info")).toEqual([APP]);
});

it("two purges of everything at the same time count every row once", async () => {
  const path = copyOf("kitchen_sink.db");
  const before = rowSets(path);
  const answers = await Promise.all([
    act(path, APP, "purge", [COMPONENTS]).answer,
    act(path, APP, "purge", [COMPONENTS]).answer,
  ]);
  const counts = answers.map((answer) => {
    if (answer?.ok !== true) throw new Error(`not done: ${JSON.stringify(answer)}`);
    return answer.value as RowCount[];
  });
  const word = { trigger: "trg", client_data_store: "client" } as Record<string, string>;
  for (const [i, { component, name }] of (counts[0] ?? []).entries()) {
    const both = counts.map((rows) => rows[i]?.rows ?? Number.NaN);
    expect(Math.min(...both)).toBe(0);
    expect([name, Math.max(...both)]).toEqual([name, before[`${P}${word[component] ?? component}_${name}`]?.length]);
  }
  expect(integrity(path)).toBe("ok");
});

it("actions of one process run one after the other", async () => {
  const path = copyOf("kitchen_sink.db");
  await withStore(
    path,
    async (store) => {
      const [first, second] = ["kitchen_sink", "kitchen-sink.two/β"].map((id) => store.app(id).actions);
      const [id = ""] = column(
        path,
        "SELECT invocation_id FROM @state_backend_invocations WHERE task_id_key = 'tasks.add'",
      );
      const done = await Promise.all([
        first?.rerun([id], { caller: CALLER, force: false }),
        first?.purge(["state_backend"]),
        second?.purge(["broker"]),
        first?.rerun([id], { caller: CALLER, force: false }),
      ]);
      expect(done[0]?.[0]?.refusal).toBeNull();
      expect(done[3]?.[0]?.refusal).toEqual({ kind: "unknown" });
    },
    { threads: 2 },
  );
});
