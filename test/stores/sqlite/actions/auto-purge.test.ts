/** Auto-purges of a SQLite file, row by row (storage-format.md 5.7, 6.4, 7.3, 7.6), with the cases that the real data does not have. */
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../../src/pynenc/time.ts";
import type { EventRetention, OrchestratorRetention } from "../../../../src/stores/ports/actions.ts";
import { FACTS, FIXTURE_NAMES, factsOf } from "../../../support/fixtures.ts";
import { change, copies, inspect, integrity, lostRows, type RowSets, rowSets, rowsWhere, withStore } from "../rows.ts";

const copyOf = copies();
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const APPS = FIXTURE_NAMES.flatMap((fixture) => Object.keys(FACTS[fixture]).map((appId) => [fixture, appId] as const));
const NOTHING: OrchestratorRetention = {
  final_until: 0,
  executions_before: null,
  max_executions: 0,
  with_open_parents: true,
};
const ALL_EVENTS: EventRetention = { before: 0, max_events: 0, max_trigger_runs: 0 };

function orchestrator(path: string, retention: Partial<OrchestratorRetention>, appId = APP) {
  return withStore(path, (store) => store.app(appId).actions.autoPurgeOrchestrator({ ...NOTHING, ...retention }));
}

function events(path: string, retention: Partial<EventRetention>) {
  return withStore(path, (store) => store.app(APP).actions.autoPurgeEvents({ ...ALL_EVENTS, ...retention }));
}

/** Rows that are expected to go, without the tables of which none goes. */
function some(sets: RowSets): RowSets {
  return Object.fromEntries(Object.entries(sets).filter(([, rows]) => rows.length > 0));
}

describe.each(APPS)("an auto-purge of the orchestrator in %s of %s", (fixture, appId) => {
  const p = `${tablePrefix(appId)}__`;
  const [from, to] = factsOf(fixture, appId).window;

  it.each([0, 0.4, 1.1])(
    "up to %d of the time removes status, arguments and waits of invocations that were final by then",
    async (share) => {
      const path = copyOf(fixture);
      const until = from + (to - from) * share;
      const some_final = inspect(path, (db) =>
        db
          .prepare(`SELECT invocation_id FROM ${p}orchestrator_invocations WHERE auto_purge_timestamp IS NOT NULL`)
          .column(),
      ) as string[];
      // Everyone waits for everyone, and everyone has an argument.
      change(
        path,
        `INSERT OR IGNORE INTO ${p}orchestrator_blocking_edges SELECT '${some_final[0]}', invocation_id FROM ${p}orchestrator_invocations`,
        `INSERT OR IGNORE INTO ${p}orchestrator_blocking_edges VALUES ('nobody', 'gone long ago'), ('${some_final[0]}', 'x')`,
        `INSERT OR IGNORE INTO ${p}orchestrator_invocation_args SELECT invocation_id, 'k', '1' FROM ${p}orchestrator_invocations`,
        `INSERT INTO ${p}orchestrator_invocation_args VALUES ('gone long ago', 'k', '1')`,
      );
      const before = rowSets(path);
      const due = `(SELECT invocation_id FROM ${p}orchestrator_invocations WHERE auto_purge_timestamp <= ${until}
        AND invocation_id NOT IN (SELECT invocation_id FROM ${p}broker_message_queue))`;
      const expected = some({
        [`${p}orchestrator_invocations`]: rowsWhere(path, `${p}orchestrator_invocations`, `invocation_id IN ${due}`),
        [`${p}orchestrator_invocation_args`]: rowsWhere(
          path,
          `${p}orchestrator_invocation_args`,
          `invocation_id IN ${due}`,
        ),
        [`${p}orchestrator_blocking_edges`]: rowsWhere(path, `${p}orchestrator_blocking_edges`, `waited_id IN ${due}`),
      });
      const queued = rowsWhere(
        path,
        `${p}orchestrator_invocations`,
        `auto_purge_timestamp <= ${until} AND invocation_id IN (SELECT invocation_id FROM ${p}broker_message_queue)`,
      );
      const done = await orchestrator(path, { final_until: until }, appId);
      const after = rowSets(path);
      expect(lostRows(before, after)).toEqual(expected);
      expect(lostRows(after, before)).toEqual({});
      expect(done).toEqual({
        invocations: expected[`${p}orchestrator_invocations`]?.length ?? 0,
        invocation_args: expected[`${p}orchestrator_invocation_args`]?.length ?? 0,
        blocking_edges: expected[`${p}orchestrator_blocking_edges`]?.length ?? 0,
        invocations_kept: queued.length,
        invocations_of_open_parents: 0,
        leaked_index_entries: 0,
        exact: true,
        executions_by_age: 0,
        executions_by_capacity: 0,
        executions_kept: 0,
      });
      expect(integrity(path)).toBe("ok");
    },
  );
});

describe("an auto-purge of the orchestrator", () => {
  it("keeps invocations that are not final whatever their time, and those with an unknown status", async () => {
    const path = copyOf("kitchen_sink.db");
    change(
      path,
      `DELETE FROM ${P}orchestrator_invocations`,
      ...["success", "failed", "concurrency_controlled_final", "running", "SUCCESS", "a newer word", ""].map(
        (status, n) =>
          `INSERT INTO ${P}orchestrator_invocations VALUES ('i${n}', 't', 'c', '${status}', NULL, 1, 0, 1)`,
      ),
      `INSERT INTO ${P}orchestrator_invocations VALUES ('no clock', 't', 'c', 'success', NULL, 1, 0, NULL)`,
    );
    expect(await orchestrator(path, { final_until: 1 })).toMatchObject({ invocations: 3 });
    const left = inspect(path, (db) => db.prepare(`SELECT invocation_id FROM ${P}orchestrator_invocations`).column());
    expect(left).toEqual(["i3", "i4", "i5", "i6", "no clock"]);
  });

  it("keeps children of open parents, however many parents there are", async () => {
    const path = copyOf("kitchen_sink.db");
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11000)";
    const status = (id: string, word: string, clock: string) =>
      `INSERT INTO ${P}orchestrator_invocations ${numbers} SELECT ${id}, 't', 'c', '${word}', NULL, 1, 0, ${clock} FROM n`;
    change(
      path,
      `DELETE FROM ${P}orchestrator_invocations`,
      `DELETE FROM ${P}state_backend_invocations`,
      `DELETE FROM ${P}broker_message_queue`,
      status("printf('p%05d', i)", "running", "NULL"),
      status("printf('c%05d', i)", "success", "1"),
      `INSERT INTO ${P}state_backend_invocations (invocation_id, call_id_key, task_id_key, arguments_id, serialized_arguments, parent_invocation_id)
       ${numbers} SELECT printf('c%05d', i), 'c', 't', 'a', '{}', printf('p%05d', i) FROM n`,
      // The last parents are over.
      `UPDATE ${P}orchestrator_invocations SET status = 'failed' WHERE invocation_id > 'p10997'`,
    );
    const kept = { final_until: 1, with_open_parents: false };
    expect(await orchestrator(path, kept)).toMatchObject({ invocations: 3, invocations_of_open_parents: 10_997 });
    expect(await orchestrator(path, { final_until: 1, with_open_parents: true })).toMatchObject({
      invocations: 10_997,
    });
  });

  const execution = (id: string, start: string, end: string | null, status = "completed") =>
    `INSERT INTO ${P}orchestrator_atomic_service_executions VALUES ('r', '${start}', ${end === null ? "NULL" : `'${end}'`}, '${id}', '${status}', '')`;
  const left = (path: string) =>
    inspect(path, (db) =>
      db.prepare(`SELECT atomic_service_run_id FROM ${P}orchestrator_atomic_service_executions ORDER BY 1`).column(),
    );
  const run = (id: string, json: string) =>
    `INSERT INTO ${P}trg_trigger_runs VALUES ('${id}', 't', 'k', 'or', 1, 1, NULL, '${json}')`;
  function executions(...statements: string[]): string {
    const path = copyOf("kitchen_sink.db");
    change(
      path,
      `DELETE FROM ${P}orchestrator_atomic_service_executions`,
      `DELETE FROM ${P}trg_trigger_runs`,
      ...statements,
    );
    return path;
  }
  const T = 1_795_221_429;

  it("compares times to the microsecond, with or without a fraction", async () => {
    const at = (seconds: number) => isoFromEpoch(seconds);
    const whole = at(T).replace(".000000", "");
    const path = executions(
      execution("a: a microsecond before", at(T - 1), at(T - 0.000001)),
      execution("b: the instant, no fraction", at(T - 1), whole),
      execution("c: the instant", at(T - 1), at(T)),
      execution("d: a microsecond after", at(T - 1), at(T + 0.000001)),
      execution("e: no end", at(T - 100), null, "abandoned"),
      execution("f: no time at all", "yesterday", "yesterday"),
    );
    expect(await orchestrator(path, { executions_before: T })).toMatchObject({ executions_by_age: 1 });
    expect(left(path)).toEqual([
      "b: the instant, no fraction",
      "c: the instant",
      "d: a microsecond after",
      "e: no end",
      "f: no time at all",
    ]);
  });

  it("counts service executions from the newest start, with or without a fraction", async () => {
    const whole = isoFromEpoch(T).replace(".000000", "");
    const path = executions(
      execution("2", isoFromEpoch(T + 0.0004), isoFromEpoch(T + 9)),
      execution("1", whole, isoFromEpoch(T + 9)),
      execution("3", isoFromEpoch(T + 0.0005), isoFromEpoch(T + 1)),
      execution("0", isoFromEpoch(T - 0.000001), isoFromEpoch(T + 9)),
    );
    expect(await orchestrator(path, { max_executions: 2 })).toMatchObject({ executions_by_capacity: 2 });
    expect(left(path)).toEqual(["2", "3"]);
  });

  it("keeps running service executions and those of a trigger run, and removes the next oldest instead", async () => {
    const old = isoFromEpoch(T - 1000);
    const path = executions(
      execution("a running", old, null, "running"),
      execution("b referenced", isoFromEpoch(T - 900), old),
      execution("c blocked", isoFromEpoch(T - 800), old, "blocked"),
      execution("d abandoned", isoFromEpoch(T - 700), isoFromEpoch(T), "abandoned"),
      execution("e newest", isoFromEpoch(T - 600), isoFromEpoch(T)),
      run("1", '{"atomic_service_run_id": "b referenced"}'),
      run("2", '{"atomic_service_run_id": null}'),
      run("3", '{"atomic_service_run_id": 7}'),
      run("4", "not JSON at all"),
      run("5", '{"atomic_service_run_id": "not stored"}'),
    );
    expect(await orchestrator(path, { executions_before: T - 1, max_executions: 3, with_open_parents: true })).toEqual({
      invocations: 0,
      invocation_args: 0,
      blocking_edges: 0,
      invocations_kept: 0,
      invocations_of_open_parents: 0,
      leaked_index_entries: 0,
      exact: true,
      executions_by_age: 1,
      executions_by_capacity: 1,
      executions_kept: 1,
    });
    expect(left(path)).toEqual(["a running", "b referenced", "e newest"]);
    // Nothing more can go, however small the limit is.
    expect(await orchestrator(path, { max_executions: 1 })).toMatchObject({ executions_by_capacity: 1 });
    expect(await orchestrator(path, { max_executions: 1 })).toMatchObject({ executions_by_capacity: 0 });
    expect(left(path)).toEqual(["a running", "b referenced"]);
  });
});

describe("an auto-purge of events", () => {
  it("removes events, their index and every trigger run they took part in, and nothing else", async () => {
    const path = copyOf("kitchen_sink.db");
    const [oldest, later] = inspect(path, (db) =>
      db
        .prepare(`SELECT event_timestamp FROM ${P}trg_events ORDER BY 1 LIMIT 1 OFFSET 6`)
        .column()
        .concat(db.prepare(`SELECT max(event_timestamp) FROM ${P}trg_events`).column()),
    ) as [number, number];
    expect(later).toBeGreaterThan(oldest);
    const before = rowSets(path);
    const due = `(SELECT event_id FROM ${P}trg_events WHERE event_timestamp < ${oldest})`;
    const dueRuns = `(SELECT trigger_run_id FROM ${P}trg_trigger_runs WHERE executed_at < ${oldest}
      UNION SELECT trigger_run_id FROM ${P}trg_trigger_run_conditions WHERE event_id IN ${due})`;
    const expected = some({
      [`${P}trg_events`]: rowsWhere(path, `${P}trg_events`, `event_id IN ${due}`),
      [`${P}trg_event_conditions`]: rowsWhere(path, `${P}trg_event_conditions`, `event_id IN ${due}`),
      [`${P}trg_event_triggered_invocations`]: rowsWhere(
        path,
        `${P}trg_event_triggered_invocations`,
        `event_id IN ${due}`,
      ),
      [`${P}trg_trigger_runs`]: rowsWhere(path, `${P}trg_trigger_runs`, `trigger_run_id IN ${dueRuns}`),
      [`${P}trg_trigger_run_conditions`]: rowsWhere(
        path,
        `${P}trg_trigger_run_conditions`,
        `trigger_run_id IN ${dueRuns}`,
      ),
    });
    expect(Object.keys(expected)).toHaveLength(5);
    const done = await events(path, { before: oldest });
    const after = rowSets(path);
    expect(lostRows(before, after)).toEqual(expected);
    expect(lostRows(after, before)).toEqual({});
    expect(done.events_by_age).toBe(expected[`${P}trg_events`]?.length);
    expect(done.trigger_runs_of_events).toBeGreaterThan(0);
    expect(done.trigger_runs_by_age + done.trigger_runs_of_events).toBe(expected[`${P}trg_trigger_runs`]?.length);
    expect(integrity(path)).toBe("ok");
  });

  it("removes a run that was claimed but never executed only together with its event, or if there are too many runs", async () => {
    const path = copyOf("kitchen_sink.db");
    const claimed = (id: string, at: number | null) =>
      `INSERT INTO ${P}trg_trigger_runs VALUES ('${id}', 't', 'k', 'or', ${at}, NULL, NULL, '{}')`;
    change(
      path,
      ...["events", "trigger_runs", "trigger_run_conditions"].map((table) => `DELETE FROM ${P}trg_${table}`),
      claimed("old claim", 10),
      claimed("new claim", 99),
      claimed("no time", null),
      `INSERT INTO ${P}trg_trigger_runs VALUES ('executed', 't', 'k', 'or', 1, 50, NULL, '{}')`,
      `INSERT INTO ${P}trg_trigger_runs VALUES ('of a lost event', 't', 'k', 'or', 1, NULL, NULL, '{}')`,
      `INSERT INTO ${P}trg_trigger_run_conditions VALUES ('of a lost event', 'EventContext', 'c', 'v', 'e', NULL)`,
      `INSERT INTO ${P}trg_trigger_run_conditions VALUES ('a run that is gone', 'EventContext', 'c', 'v', 'e', NULL)`,
      `INSERT INTO ${P}trg_events VALUES ('e', 'code', 5, '{}', 0, 0, NULL, NULL, NULL)`,
    );
    const left = () =>
      inspect(path, (db) => db.prepare(`SELECT trigger_run_id FROM ${P}trg_trigger_runs ORDER BY 1`).column());
    expect(await events(path, { before: 40 })).toMatchObject({
      events_by_age: 1,
      trigger_runs_by_age: 0,
      trigger_runs_of_events: 1,
      trigger_run_conditions: 2,
    });
    expect(left()).toEqual(["executed", "new claim", "no time", "old claim"]);
    expect(await events(path, { max_trigger_runs: 3 })).toMatchObject({ trigger_runs_by_capacity: 1 });
    expect(left()).toEqual(["executed", "new claim", "old claim"]);
    expect(await events(path, { before: 51, max_trigger_runs: 1 })).toMatchObject({
      trigger_runs_by_age: 1,
      trigger_runs_by_capacity: 1,
    });
    expect(left()).toEqual(["new claim"]);
  });

  it("keeps the later of two events of the same instant by order of arrival", async () => {
    const path = copyOf("kitchen_sink.db");
    change(
      path,
      `DELETE FROM ${P}trg_events`,
      ...[1, 2, 3, 4].map(
        (n) => `INSERT INTO ${P}trg_events VALUES ('e${n}', 'code', 5, '{}', 0, 0, NULL, NULL, NULL)`,
      ),
    );
    expect(await events(path, { max_events: 2 })).toMatchObject({ events_by_capacity: 2 });
    expect(rowsWhere(path, `${P}trg_events`, "1").map((row) => row.slice(1, 3))).toEqual(["e3", "e4"]);
  });
});

describe("a preview of an auto-purge", () => {
  it("that fails does not make the next one fail", async () => {
    const path = copyOf("kitchen_sink.db");
    await withStore(path, async (store) => {
      const preview = (max: number) =>
        store
          .app(APP)
          .read((reads) =>
            Promise.all([
              reads.preview.autoPurgeEvents({ ...ALL_EVENTS, max_events: max }),
              reads.preview.autoPurgeOrchestrator({ ...NOTHING, max_executions: max }),
            ]),
          );
      const whole = await preview(2);
      // SQLite takes no fraction of a row for a limit.
      await expect(preview(1.5)).rejects.toThrow("SQLITE_MISMATCH");
      await expect(preview(1.5)).rejects.toThrow("SQLITE_MISMATCH");
      expect(await preview(2)).toEqual(whole);
    });
  });
});

it("an auto-purge of the orchestrator works without the tables of waits and arguments", async () => {
  const path = copyOf("kitchen_sink.db");
  const { statuses } = factsOf("kitchen_sink.db", APP);
  change(path, `DROP TABLE ${P}orchestrator_blocking_edges`, `DROP TABLE ${P}orchestrator_invocation_args`);
  const done = await orchestrator(path, { final_until: Number.MAX_SAFE_INTEGER });
  expect(done).toMatchObject({ blocking_edges: 0, invocation_args: 0 });
  expect(done.invocations + done.invocations_kept).toBe(
    (statuses.success ?? 0) + (statuses.failed ?? 0) + (statuses.concurrency_controlled_final ?? 0),
  );
});
