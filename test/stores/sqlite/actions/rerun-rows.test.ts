/**
 * The rows of a call that is registered again, against those that pynenc wrote for fresh calls from outside any runner (storage-format.md 7.4):
 * columns, storage classes, NULLs and the keys of the history entry, in order.
 */
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { externalCaller } from "../../../../src/pynenc/rerun.ts";
import type { Rerun } from "../../../../src/stores/ports/actions.ts";
import type { FixtureName } from "../../../support/fixtures.ts";
import { change, copies, gainedRows, inspect, lostRows, rowSets, withStore } from "../rows.ts";

const copyOf = copies();
const CALLER = externalCaller('vm β "quoted"', 4711);
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const TWO = "kitchen-sink.two/β";

async function rerun(path: string, appId: string, ids: readonly string[], force = false): Promise<Rerun[]> {
  return withStore(path, (store) => store.app(appId).actions.rerun(ids, { caller: CALLER, force }));
}

async function registered(path: string, appId: string, id: string): Promise<string> {
  const [one] = await rerun(path, appId, [id]);
  if (one?.new_invocation_id == null) throw new Error(`not registered: ${JSON.stringify(one?.refusal)}`);
  return one.new_invocation_id;
}

/** The invocations that code outside any runner registered. */
function calledFromOutside(path: string, prefix: string): string[] {
  return inspect(path, (db) =>
    db
      .prepare(
        `SELECT invocation_id FROM ${prefix}state_backend_history WHERE history_status = 'registered'
         AND json_extract(history_json, '$.runner_context_id') LIKE 'ExternalRunner@%'`,
      )
      .column(),
  ) as string[];
}

const ROWS: readonly [table: string, key: string][] = [
  ["state_backend_invocations", "invocation_id"],
  ["state_backend_history", "invocation_id"],
  ["orchestrator_invocations", "invocation_id"],
  ["broker_message_queue", "invocation_id"],
  ["state_backend_runner_contexts", "runner_id"],
];

/** Storage class of each column, by name and in their order, of the rows with a key. */
function shapeOf(path: string, prefix: string, table: string, where: string): Record<string, string>[] {
  return inspect(path, (db) => {
    const columns = db.prepare("SELECT name FROM pragma_table_info(?)").column(prefix + table) as string[];
    const types = columns.map((column) => `typeof("${column}") AS "${column}"`).join(", ");
    return db.prepare(`SELECT ${types} FROM ${prefix}${table} WHERE ${where}`).all() as Record<string, string>[];
  });
}

function row(path: string, table: string, id: string): Record<string, unknown> {
  return inspect(path, (db) => db.prepare(`SELECT * FROM ${P}${table} WHERE invocation_id = ?`).get(id)) as Record<
    string,
    unknown
  >;
}

const SOURCES: readonly [FixtureName, string][] = [
  ["kitchen_sink.db", APP],
  ["kitchen_sink.db", TWO],
  ["kitchen_sink_023.db", APP],
  ["kitchen_sink_023.db", TWO],
  ["queues_040.db", "queue-shop"],
];

describe.each(SOURCES)("a rerun of a call of %s, %s", (fixture, appId) => {
  const prefix = `${tablePrefix(appId)}__`;

  it("writes rows of the same shape as a new call's", async () => {
    const path = copyOf(fixture);
    const fresh = calledFromOutside(path, prefix);
    expect(fresh.length).toBeGreaterThan(3);
    // One that still waits has all the rows that a fresh call has, message included.
    const waiting = inspect(path, (db) =>
      db
        .prepare(
          `SELECT q.invocation_id FROM ${prefix}broker_message_queue q JOIN ${prefix}orchestrator_invocations USING (invocation_id)
           WHERE status = 'registered' AND status_runner_id LIKE 'ExternalRunner@%'`,
        )
        .value(),
    ) as string | undefined;
    const original = waiting ?? fresh[0] ?? "";
    const made = await registered(path, appId, original);
    for (const [table, key] of ROWS) {
      const ofRunners = table === "state_backend_runner_contexts";
      const [ours] = shapeOf(path, prefix, table, `${key} = '${ofRunners ? CALLER.runner_id : made}'`);
      const theirs = ofRunners
        ? shapeOf(path, prefix, table, `runner_cls = 'ExternalRunner' AND runner_id <> '${CALLER.runner_id}'`)
        : shapeOf(
            path,
            prefix,
            table,
            `${key} = '${original}'${table.endsWith("history") ? " AND history_status = 'registered'" : ""}`,
          );
      if (theirs.length === 0) continue;
      expect([table, ours, Object.keys(ours ?? {})]).toEqual([table, theirs[0], Object.keys(theirs[0] ?? {})]);
    }
  });

  it("writes a history entry with the keys of a new call's, in their order, that agrees with its other rows", async () => {
    const path = copyOf(fixture);
    const [original = ""] = calledFromOutside(path, prefix);
    const made = await registered(path, appId, original);
    const entry = (id: string) =>
      inspect(path, (db) =>
        db
          .prepare(
            `SELECT * FROM ${prefix}state_backend_history WHERE invocation_id = ? AND history_status = 'registered'`,
          )
          .get(id),
      ) as { history_json: string; history_timestamp: number };
    const theirs = entry(original).history_json;
    const ours = entry(made);
    const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
    // Byte for byte: what differs is known.
    const template = (json: string, id: string, runner: string) =>
      json
        .replaceAll(id, "<id>")
        .replaceAll(JSON.stringify(runner), '"<runner>"')
        .replaceAll(/"20[^"]+"/g, '"<time>"');
    const theirRunner = (JSON.parse(theirs) as { runner_context_id: string }).runner_context_id;
    expect(template(ours.history_json.replaceAll("\\u03b2", "β"), made, CALLER.runner_id)).toBe(
      template(theirs, original, theirRunner),
    );
    const parsed = JSON.parse(ours.history_json) as Record<string, unknown> & {
      status_record: Record<string, unknown>;
    };
    expect(parsed._timestamp).toMatch(iso);
    expect(parsed.status_record.timestamp).toBe(parsed._timestamp);
    const status = inspect(path, (db) =>
      db.prepare(`SELECT * FROM ${prefix}orchestrator_invocations WHERE invocation_id = ?`).get(made),
    ) as { status_timestamp: number };
    const message = inspect(path, (db) =>
      db
        .prepare(
          `SELECT created_at, julianday('now') AS now FROM ${prefix}broker_message_queue WHERE invocation_id = ?`,
        )
        .get(made),
    ) as { created_at: number; now: number };
    expect(ours.history_timestamp).toBe(status.status_timestamp);
    expect(Math.abs(Date.parse(String(parsed._timestamp)) / 1000 - status.status_timestamp)).toBeLessThan(0.001);
    // SQLite's own clock, in milliseconds, when the message is added after all the other rows.
    expect((message.created_at - 2440587.5) * 86_400).toBeGreaterThan(status.status_timestamp - 0.002);
    expect(message.created_at).toBeLessThanOrEqual(message.now + 1 / 86_400);
  });

  it("adds its rows, and changes neither other rows nor the schema", async () => {
    const path = copyOf(fixture);
    const [original = ""] = calledFromOutside(path, prefix);
    const before = rowSets(path);
    const made = await registered(path, appId, original);
    const after = rowSets(path);
    const lost = lostRows(before, after);
    // The number of the last message is counted on.
    expect(Object.keys(lost)).toEqual(["sqlite_sequence"]);
    expect(lost.sqlite_sequence).toHaveLength(1);
    expect(lost.sqlite_sequence?.[0]).toContain(`${prefix}broker_message_queue`);
    const gained = gainedRows(before, after);
    const index = `${prefix}orchestrator_invocation_args`;
    expect(Object.keys(gained).sort()).toEqual(
      [...ROWS.map(([table]) => prefix + table), index, "sqlite_sequence"].sort(),
    );
    const indexed = inspect(path, (db) =>
      db
        .prepare(
          `SELECT count(*) FROM ${prefix}state_backend_invocations, json_each(serialized_arguments) WHERE invocation_id = ?`,
        )
        .value(original),
    );
    expect(gained[index]).toHaveLength(Number(indexed));
    expect(gained[index]?.every((row) => row.includes(made))).toBe(true);
    expect(Object.entries(gained).every(([table, rows]) => table === index || rows.length === 1)).toBe(true);
    expect(gained[`${prefix}state_backend_invocations`]?.[0]).toContain(made);
  });
});

describe("the workflow of a rerun", () => {
  const workflow = (path: string, id: string) => {
    const { workflow_id, workflow_type_key, parent_workflow_id } = row(path, "state_backend_invocations", id);
    return { workflow_id, workflow_type_key, parent_workflow_id };
  };
  const one = (path: string, where: string) =>
    String(
      inspect(path, (db) =>
        db.prepare(`SELECT invocation_id FROM ${P}state_backend_invocations WHERE ${where} LIMIT 1`).value(),
      ) ?? "",
    );
  const none = { workflow_id: null, workflow_type_key: null, parent_workflow_id: null };
  const own = (id: string, task: string) => ({ workflow_id: id, workflow_type_key: task, parent_workflow_id: null });

  it.each([
    ["an ordinary call", "task_id_key = 'tasks.add'", "tasks.add"],
    ["a member of a workflow", "workflow_id <> invocation_id AND task_id_key = 'tasks.wf_step'", "tasks.wf_step"],
    ["a sub-workflow", "workflow_id = invocation_id AND parent_workflow_id IS NOT NULL", "tasks.wf_inner"],
  ])("is its own before 0.2.4: %s", async (_, where, task) => {
    const path = copyOf("kitchen_sink_023.db");
    const made = await registered(path, APP, one(path, where));
    expect(workflow(path, made)).toEqual(own(made, task));
  });

  it("is its own in 0.2.4, and the migrated column of the event stays empty", async () => {
    const path = copyOf("kitchen_sink_023.db");
    change(path, `ALTER TABLE ${P}state_backend_invocations ADD COLUMN parent_event_id TEXT`);
    const original = one(path, "task_id_key = 'tasks.add'");
    change(path, `UPDATE ${P}state_backend_invocations SET parent_event_id = 'e' WHERE invocation_id = '${original}'`);
    const made = await registered(path, APP, original);
    expect(workflow(path, made)).toEqual(own(made, "tasks.add"));
    expect(row(path, "state_backend_invocations", made)).toMatchObject({ parent_event_id: null, parent_call_id: null });
  });

  it.each([
    ["an ordinary call has none", "workflow_id IS NULL AND task_id_key = 'tasks.add'", null],
    ["a member has none", "workflow_id <> invocation_id AND task_id_key = 'tasks.wf_step'", null],
    ["a root starts a new one", "workflow_id = invocation_id AND parent_workflow_id IS NULL", "tasks.wf_outer"],
    [
      "a sub-workflow starts a new one",
      "workflow_id = invocation_id AND parent_workflow_id IS NOT NULL",
      "tasks.wf_inner",
    ],
  ])("since 0.3 is set by the task: %s", async (_, where, task) => {
    const path = copyOf("kitchen_sink.db");
    const before = inspect(path, (db) => db.prepare(`SELECT count(*) FROM ${P}state_backend_workflows`).value());
    const original = one(path, where);
    expect(original).not.toBe("");
    const made = await registered(path, APP, original);
    expect(workflow(path, made)).toEqual(task === null ? none : own(made, task));
    // The runner writes the workflow's own row when it starts.
    expect(inspect(path, (db) => db.prepare(`SELECT count(*) FROM ${P}state_backend_workflows`).value())).toBe(before);
  });

  it("since 0.3 is new when the task of a member is a workflow type, even without any run of that type", async () => {
    const path = copyOf("kitchen_sink.db");
    const root = one(path, "workflow_id = invocation_id AND task_id_key = 'tasks.wf_inner'");
    const member = one(path, "task_id_key = 'tasks.add'");
    change(
      path,
      `UPDATE ${P}state_backend_invocations SET task_id_key = 'tasks.wf_inner', workflow_id = '${root}', workflow_type_key = 'tasks.wf_inner' WHERE invocation_id = '${member}'`,
    );
    const started = await registered(path, APP, member);
    expect(workflow(path, started)).toEqual(own(started, "tasks.wf_inner"));
    // Without a row of a run, its definitions tell.
    change(path, `DELETE FROM ${P}state_backend_workflows`);
    const defined = await registered(path, APP, member);
    expect(workflow(path, defined)).toEqual(own(defined, "tasks.wf_inner"));
  });

  it("since 0.3 is new for a workflow that never ran", async () => {
    const path = copyOf("kitchen_sink.db");
    const root = one(path, "workflow_id = invocation_id AND task_id_key = 'tasks.wf_outer'");
    change(path, `DELETE FROM ${P}state_backend_workflows`, `DELETE FROM ${P}orchestrator_invocations`);
    const made = await registered(path, APP, root);
    expect(workflow(path, made)).toEqual(own(made, "tasks.wf_outer"));
  });
});

describe("the arguments of a rerun", () => {
  const argumentRows = (path: string, id: string) =>
    inspect(path, (db) =>
      db
        .prepare(`SELECT arg_key, arg_value FROM ${P}orchestrator_invocation_args WHERE invocation_id = ? ORDER BY 1`)
        .all(id),
    );
  const oneOf = (path: string, task: string) =>
    String(
      inspect(path, (db) =>
        db.prepare(`SELECT invocation_id FROM ${P}state_backend_invocations WHERE task_id_key = ?`).value(task),
      ),
    );

  it.each(["kitchen_sink.db", "kitchen_sink_023.db"] as const)(
    "are indexed in %s like pynenc's own, and even for a task without indexed arguments",
    async (fixture) => {
      const path = copyOf(fixture);
      for (const task of ["tasks.cc_keys_drop", "tasks.cc_task_reroute"]) {
        const original = oneOf(path, task);
        const made = await registered(path, APP, original);
        expect(argumentRows(path, made)).toEqual(argumentRows(path, original));
        expect(argumentRows(path, made).length).toBeGreaterThan(0);
        const types = inspect(path, (db) =>
          db.prepare(`SELECT DISTINCT typeof(arg_key), typeof(arg_value) FROM ${P}orchestrator_invocation_args`).all(),
        );
        expect(types.map((row) => Object.values(row))).toEqual([["text", "text"]]);
      }
      const add = oneOf(path, "tasks.add");
      const stored = JSON.parse(String(row(path, "state_backend_invocations", add).serialized_arguments)) as object;
      const rows = Object.entries(stored).map(([arg_key, arg_value]) => ({ arg_key, arg_value }));
      expect(rows).toHaveLength(2);
      expect(argumentRows(path, await registered(path, APP, add))).toEqual(rows);
      expect(argumentRows(path, await registered(path, APP, oneOf(path, "tasks.no_args")))).toEqual([]);
    },
  );

  it("are not indexed when the layout has no index", async () => {
    const path = copyOf("kitchen_sink.db");
    change(path, `DROP TABLE ${P}orchestrator_invocation_args`);
    const [done] = await rerun(path, APP, [oneOf(path, "tasks.add")]);
    expect(done).toMatchObject({ refusal: null, indexed_arguments: 0 });
  });

  it("are copied exactly as stored", async () => {
    const path = copyOf("kitchen_sink.db");
    const original = oneOf(path, "tasks.cc_keys_drop");
    const odd =
      '{"a\\u0000b": "x\\u0000y",  "β😀": "\\ud800", "__proto__": "1", "n": 12345678901234567890, "d": "1", "d": "2", "q\'\\"": "NaN"}';
    change(path, `DELETE FROM ${P}orchestrator_invocation_args WHERE invocation_id = '${original}'`);
    change(path, [
      `UPDATE ${P}state_backend_invocations SET serialized_arguments = ? WHERE invocation_id = ?`,
      odd,
      original,
    ]);
    const made = await registered(path, APP, original);
    const stored = (id: string) =>
      inspect(path, (db) =>
        db
          .prepare(
            `SELECT hex(serialized_arguments), call_id_key, arguments_id, task_id_key FROM ${P}state_backend_invocations WHERE invocation_id = ?`,
          )
          .get(id),
      );
    expect(stored(made)).toEqual(stored(original));
    const indexed = argumentRows(path, made) as { arg_key: string; arg_value: string }[];
    expect(Object.fromEntries(indexed.map((r) => [r.arg_key, r.arg_value]))).toMatchObject({
      d: "2",
      n: "12345678901234567890",
    });
  });

  it.each(["", "null", "[]", "not JSON", '{"a": "1"'])("are refused when they cannot be read: %j", async (stored) => {
    const path = copyOf("kitchen_sink.db");
    const original = oneOf(path, "tasks.add");
    change(path, [
      `UPDATE ${P}state_backend_invocations SET serialized_arguments = ? WHERE invocation_id = ?`,
      stored,
      original,
    ]);
    const before = rowSets(path);
    const [one] = await rerun(path, APP, [original], true);
    expect(one).toMatchObject({ new_invocation_id: null, refusal: { kind: "unreadable" } });
    expect(rowSets(path)).toEqual(before);
  });

  it("may refer to stored client data, and are refused when that is gone", async () => {
    const path = copyOf("kitchen_sink.db");
    const original = oneOf(path, "tasks.big_blob");
    await registered(path, APP, original);
    change(path, `DELETE FROM ${P}client_data`);
    const before = rowSets(path);
    const [one] = await rerun(path, APP, [original], true);
    expect(one).toMatchObject({ new_invocation_id: null, refusal: { kind: "dangling" } });
    expect(rowSets(path)).toEqual(before);
    change(path, `DROP TABLE ${P}client_data`);
    expect((await rerun(path, APP, [original], true))[0]?.refusal?.kind).toBe("dangling");
    // Calls that need no client data do not miss the table.
    await registered(path, APP, oneOf(path, "tasks.add"));
  });
});
