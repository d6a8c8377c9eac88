/** Four ways to the same numbers, on the databases that real pynenc programs wrote: the list of tasks, statistics, failures, and the rows by hand. */
import { afterAll, describe, expect, test } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { FINAL_STATUSES } from "../../../src/pynenc/statuses.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { rollupsHere } from "../../../src/services/rollups/rollup-source.ts";
import { failures } from "../../../src/services/stats/failures.ts";
import { stats } from "../../../src/services/stats/stats.ts";
import { listTasks } from "../../../src/services/tasks/tasks.ts";
import { connectStore } from "../../../src/stores/connect.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { copyFixture, FACTS, FIXTURE_NAMES, factsOf, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const APPS = FIXTURE_NAMES.flatMap((fixture) => Object.keys(FACTS[fixture]).map((app_id) => ({ fixture, app_id })));

describe.each(APPS)("$app_id in $fixture", ({ fixture, app_id }) => {
  test("has the same numbers in the list of tasks, the statistics, the failures and the rows", async () => {
    const path = copyFixture(fixture, folder.path);
    const now = () => presentOf(fixture) + 60;
    const store = await connectStore(
      { kind: "sqlite", path, components: new Map() },
      { threads: 0, lockWait: 1, readOnly: true },
    );
    const rollups = rollupsHere(store.app(app_id), now, undefined, () => 0);
    const app = openedApp(store.app(app_id), memoryApp().opened.settings, now, { rollups });
    const [from, to] = factsOf(fixture, app_id).window;
    const range = { from: [isoFromEpoch(from - 60)], to: [isoFromEpoch(to + 60)] };
    const byHand = rowsByHand(path, app_id);

    const { rows, total, entries } = await stats(app, { ...range, limit: ["1000"] });
    const figures = new Map(
      rows.flatMap((row) => ("task_id_key" in row ? [[row.task_id_key ?? "", row] as const] : [])),
    );
    const { tasks } = await listTasks(app);
    const groups = await failures(app, { ...range, limit: ["500"] });
    const of = (task: string, words: readonly string[]) =>
      words.reduce((sum, word) => sum + (byHand[task]?.[word] ?? 0), 0);

    expect([...figures.keys()].sort()).toEqual(Object.keys(byHand).sort());
    for (const [task, row] of figures) {
      expect({
        registered: row.registered,
        finished: row.finished,
        failed: row.failed,
        retries: row.retries,
        reroutes: row.reroutes,
        killed: row.killed,
      }).toEqual({
        registered: of(task, ["registered"]),
        finished: of(task, FINAL_STATUSES),
        failed: of(task, ["failed"]),
        retries: of(task, ["retry"]),
        reroutes: of(task, ["rerouted"]),
        killed: of(task, ["killed"]),
      });
      const failed = groups.groups.filter((group) => group.task_id_key === task);
      expect(failed.reduce((sum, group) => sum + group.failed, 0)).toBe(of(task, ["failed"]));
      expect(failed.reduce((sum, group) => sum + group.retries, 0)).toBe(of(task, ["retry"]));
    }
    const keys = Object.keys(byHand);
    const all = (words: readonly string[]) => keys.reduce((sum, task) => sum + of(task, words), 0);
    expect(entries).toBe(factsOf(fixture, app_id).history_rows);
    expect([total.finished, total.failed, groups.total]).toEqual([
      all(FINAL_STATUSES),
      all(["failed"]),
      all(["failed", "retry"]),
    ]);

    // What the list counts is what is so now: equal where each invocation ended once.
    const compared = tasks.filter((task) => endedOnce(path, app_id, task.task_id_key));
    expect(compared.length).toBeGreaterThan(0);
    for (const { task_id_key, statuses } of compared) {
      const now_final = statuses.filter(({ status }) => FINAL_STATUSES.includes(status));
      const counted = Object.fromEntries(now_final.map(({ status, count }) => [status, count]));
      const entered = FINAL_STATUSES.flatMap((word) =>
        of(task_id_key, [word]) > 0 ? [[word, of(task_id_key, [word])]] : [],
      );
      expect(counted).toEqual(Object.fromEntries(entered));
    }
    await store.close();
  });
});

const joined = (app_id: string) => {
  const prefix = tablePrefix(app_id);
  return `${prefix}__state_backend_history h JOIN ${prefix}__state_backend_invocations i ON i.invocation_id = h.invocation_id`;
};

/** Entries by task and status. */
function rowsByHand(path: string, app_id: string): Record<string, Record<string, number>> {
  const rows = asked(
    path,
    `SELECT i.task_id_key AS task, h.history_status AS status, count(*) AS n FROM ${joined(app_id)} GROUP BY 1, 2`,
  );
  const found: Record<string, Record<string, number>> = {};
  for (const { task, status, n } of rows) {
    found[String(task)] = { ...found[String(task)], [String(status)]: Number(n) };
  }
  return found;
}

/** No invocation of the task entered a final status twice, or left one. */
function endedOnce(path: string, app_id: string, task: string): boolean {
  const words = FINAL_STATUSES.map((word) => `'${word}'`).join(", ");
  const final = `sum(h.history_status IN (${words}))`;
  const last = `(SELECT l.history_status FROM ${tablePrefix(app_id)}__state_backend_history l WHERE l.invocation_id = h.invocation_id ORDER BY l.rowid DESC LIMIT 1)`;
  const rows = asked(
    path,
    `SELECT h.invocation_id FROM ${joined(app_id)} WHERE i.task_id_key = '${task}' GROUP BY 1
     HAVING ${final} > 1 OR (${final} = 1 AND ${last} NOT IN (${words}))`,
  );
  return rows.length === 0;
}

function asked(path: string, sql: string): Record<string, unknown>[] {
  const db = openDatabase(path, { mode: "read" });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}
