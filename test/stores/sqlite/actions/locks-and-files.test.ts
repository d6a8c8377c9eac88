/** What keeps an action from being done: then nothing is changed, and the error says so. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tableName } from "../../../../src/demo/writer/schema.ts";
import { DemoWriter } from "../../../../src/demo/writer/writer.ts";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { externalCaller } from "../../../../src/pynenc/rerun.ts";
import type { Actions } from "../../../../src/stores/ports/actions.ts";
import { COMPONENTS, type ComponentName } from "../../../../src/stores/ports/common.ts";
import { openDatabase } from "../../../../src/stores/sqlite/file/driver.ts";
import { factsOf, queueOfTomorrow } from "../../../support/fixtures.ts";
import {
  change,
  copies,
  inspect,
  integrity,
  lostRows,
  type OpenOptions,
  rowSets,
  rowsWhere,
  setJournal,
  withStore,
} from "../rows.ts";

const copyOf = copies();
const APP = "kitchen_sink";
const P = `${tablePrefix(APP)}__`;
const CALLER = externalCaller("vm", 1);

function anId(path: string): string {
  return inspect(path, (db) =>
    db.prepare(`SELECT invocation_id FROM ${P}state_backend_invocations WHERE task_id_key = 'tasks.add'`).value(),
  ) as string;
}

/** Every action, each with something to do. */
function actionsOn(id: string): [keyof Actions, (actions: Actions) => Promise<unknown>][] {
  const all = {
    final_until: Number.MAX_VALUE,
    executions_before: Number.MAX_VALUE,
    max_executions: 1,
    with_open_parents: true,
  };
  return [
    ["purge", (actions) => actions.purge(COMPONENTS)],
    ["autoPurgeOrchestrator", (actions) => actions.autoPurgeOrchestrator(all)],
    [
      "autoPurgeEvents",
      (actions) => actions.autoPurgeEvents({ before: Number.MAX_VALUE, max_events: 1, max_trigger_runs: 1 }),
    ],
    ["rerun", (actions) => actions.rerun([id], { caller: CALLER, force: false })],
  ];
}

/** What each action throws. */
async function failures(path: string, id: string, options: OpenOptions = {}, appId = APP): Promise<unknown[]> {
  return withStore(
    path,
    async (store) => {
      const thrown: unknown[] = [];
      for (const [name, action] of actionsOn(id)) {
        const error = await action(store.app(appId).actions).then(
          () => new Error(`${name} was done`),
          (error: unknown) => error,
        );
        thrown.push(error);
      }
      return thrown;
    },
    { lockWait: 0.05, ...options },
  );
}

/** Holds the lock for writing until the test ends, or `release` is called. */
function hold(path: string, how = "BEGIN IMMEDIATE"): { release(): void } {
  const db = openDatabase(path, { mode: "write" });
  db.exec(how);
  const release = () => void db.close();
  onTestFinished(release);
  return { release };
}

describe("a store that another writer has locked", () => {
  it.each([0, 2])("makes an action wait as long as allowed, then change nothing (%d threads)", async (threads) => {
    const path = copyOf("kitchen_sink.db");
    const id = anId(path);
    const before = rowSets(path);
    hold(path);
    for (const error of await failures(path, id, { threads })) {
      expect(error).toBeInstanceOf(StoreUnreachableError);
      expect(error).toMatchObject({
        reason: "busy",
        message: expect.stringMatching(/locked by another writer.*nothing was changed/),
      });
    }
    expect(rowSets(path)).toEqual(before);
  });

  it("in its second file stops an action before it changes any file", async () => {
    const { path, components } = threeFiles();
    const id = anId(path);
    for (const file of new Set(Object.values(components))) {
      const before = Object.values(components).map(rowSets);
      const { release } = hold(file);
      for (const error of await failures(path, id, { components })) expect(error).toMatchObject({ reason: "busy" });
      release();
      expect(Object.values(components).map(rowSets)).toEqual(before);
    }
  });

  it("that is unlocked in time is changed at once, even if the limit has a fraction of a second", async () => {
    const path = copyOf("kitchen_sink.db");
    const purge = withStore(path, (store) => store.app(APP).actions.purge(["broker"]), { lockWait: 1.001 });
    expect(await purge).toEqual([{ component: "broker", name: "message_queue", rows: 7, exact: true }]);
  });

  it("is still read while an action waits, and the action runs when the lock is free", async () => {
    const path = copyOf("kitchen_sink.db");
    await withStore(
      path,
      async (store) => {
        const app = store.app(APP);
        const counts = () => app.read((reads) => reads.orchestrator.countByStatus());
        const before = await counts();
        const { release } = hold(path);
        let settled = false;
        const waiting = app.actions.purge(["orchestrator"]).finally(() => {
          settled = true;
        });
        // More reads than there are threads, several times.
        for (let n = 0; n < 5; n++)
          expect(await Promise.all([counts(), counts(), counts()])).toEqual([before, before, before]);
        const previews = await app.read((reads) => reads.preview.purge(["orchestrator"]));
        expect(settled).toBe(false);
        release();
        expect(await waiting).toEqual(previews);
        expect(await counts()).toEqual({});
      },
      { threads: 2, lockWait: 30 },
    );
  });
});

it("closing a store waits for the running action", async () => {
  const path = copyOf("kitchen_sink.db");
  const { release } = hold(path);
  await withStore(
    path,
    async (store) => {
      const purged = store.app(APP).actions.purge(["broker"]);
      const closed = store.close();
      release();
      await closed;
      expect(await purged).toMatchObject([{ name: "message_queue", rows: 7 }]);
    },
    { threads: 1, lockWait: 30 },
  );
  expect(rowsWhere(path, `${P}broker_message_queue`, "1")).toEqual([]);
});

/** The app's data moved apart: broker and client data in files of their own, with a stranger's rows in each. */
function threeFiles(): { path: string; components: Record<"broker" | "client_data_store" | "trigger", string> } {
  const path = copyOf("kitchen_sink.db");
  const folder = join(dirname(path), `parts of 'it' ${Math.random()}`);
  mkdirSync(folder);
  const broker = join(folder, "broker.db");
  const rest = join(folder, "rest ü?.db");
  for (const file of [broker, rest]) copyFileSync(path, file);
  return { path, components: { broker, client_data_store: rest, trigger: rest } };
}

describe("a store whose components are in several files", () => {
  it("is purged in each file of its components and nowhere else", async () => {
    const { path, components } = threeFiles();
    const files = [path, components.broker, components.trigger] as const;
    const before = files.map(rowSets);
    const done = await withStore(path, (store) => store.app(APP).actions.purge(COMPONENTS), { components });
    const lost = files.map((file, i) => Object.keys(lostRows(before[i] ?? {}, rowSets(file))));
    const wordsOf = (names: readonly string[] = []) =>
      new Set(names.map((name) => name.slice(P.length).replace(/_.*/, "")));
    expect(lost.map(wordsOf)).toEqual([
      new Set(["orchestrator", "state"]),
      new Set(["broker"]),
      new Set(["client", "trg"]),
    ]);
    for (const names of lost) expect(names.every((name) => name.startsWith(P))).toBe(true);
    expect(new Set(done.map((row) => row.component))).toEqual(new Set(COMPONENTS));
    expect(files.map(integrity)).toEqual(["ok", "ok", "ok"]);
  });

  it("gets each part of a registration in its file, and finds arguments and references there", async () => {
    const { path, components } = threeFiles();
    const id = anId(path);
    change(components.trigger, `DELETE FROM ${P}client_data`);
    // Executions are in the first file, the trigger runs that refer to them in the third.
    change(components.trigger, `DELETE FROM ${P}trg_trigger_runs WHERE rowid > 1`);
    change(path, `DELETE FROM ${P}trg_trigger_runs`);
    await withStore(
      path,
      async (store) => {
        const app = store.app(APP);
        const [one] = await app.actions.rerun([id], { caller: CALLER, force: false });
        const made = one?.new_invocation_id ?? "";
        const rows = (file: string, table: string) => rowsWhere(file, `${P}${table}`, "invocation_id = ?", made).length;
        expect(rows(path, "state_backend_invocations")).toBe(1);
        expect(rows(path, "orchestrator_invocations")).toBe(1);
        expect(rows(components.broker, "broker_message_queue")).toBe(1);
        expect(rows(path, "broker_message_queue")).toBe(0);
        const blob = inspect(path, (db) =>
          db
            .prepare(`SELECT invocation_id FROM ${P}state_backend_invocations WHERE task_id_key = 'tasks.big_blob'`)
            .value(),
        ) as string;
        const [dangling] = await app.actions.rerun([blob], { caller: CALLER, force: false });
        expect(dangling?.refusal?.kind).toBe("dangling");
        const all = { final_until: 0, executions_before: Number.MAX_VALUE, max_executions: 0, with_open_parents: true };
        const preview = await app.read((reads) => reads.preview.autoPurgeOrchestrator(all));
        const purged = await app.actions.autoPurgeOrchestrator(all);
        expect(purged).toEqual(preview);
        expect(purged.executions_kept).toBe(1);
      },
      { components },
    );
  });

  it("may name one file twice, through a link", async () => {
    const path = copyOf("kitchen_sink.db");
    const link = `${path}.link`;
    symlinkSync(path, link);
    const done = await withStore(path, (store) => store.app(APP).actions.purge(["broker", "trigger"]), {
      components: { trigger: link },
      lockWait: 0.5,
    });
    expect(done.find((row) => row.name === "message_queue")?.rows).toBe(7);
    expect(done.find((row) => row.name === "triggers")?.rows).toBe(13);
  });

  it("is not changed when one of its files is gone, which is not created again", async () => {
    const { path, components } = threeFiles();
    const id = anId(path);
    rmSync(components.trigger);
    const before = [path, components.broker].map(rowSets);
    for (const error of await failures(path, id, { components })) {
      expect(error).toBeInstanceOf(StoreUnreachableError);
      expect(error).toMatchObject({ reason: "missing", message: expect.stringContaining(components.trigger) });
    }
    expect([path, components.broker].map(rowSets)).toEqual(before);
    expect(existsSync(components.trigger)).toBe(false);
  });
});

describe("a database file", () => {
  it("that vanished is reported as missing by every action, and not created again", async () => {
    const path = copyOf("kitchen_sink.db");
    const id = anId(path);
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    for (const error of await failures(path, id)) {
      expect(error).toBeInstanceOf(StoreUnreachableError);
      expect(error).toMatchObject({ reason: "missing", message: expect.stringContaining("does not exist") });
    }
    expect(existsSync(path)).toBe(false);
  });

  it("that vanished with its folder is reported as missing", async () => {
    const path = copyOf("kitchen_sink.db");
    const folder = join(dirname(path), "folder");
    mkdirSync(folder);
    renameSync(path, join(folder, "app.db"));
    rmSync(folder, { recursive: true });
    for (const error of await failures(join(folder, "app.db"), "x")) expect(error).toMatchObject({ reason: "missing" });
  });

  it("that is not a database is reported as such by every action", async () => {
    const path = copyOf("kitchen_sink.db");
    writeFileSync(path, "no database at all ".repeat(500));
    for (const error of await failures(path, "x")) expect(error).toMatchObject({ reason: "not-a-database" });
  });

  it("with an unfinished rollback journal is reported by reads, and restored by the next action", async () => {
    const source = copyOf("kitchen_sink.db");
    const path = `${source}.left.db`;
    setJournal(source, "DELETE");
    const db = openDatabase(source, { mode: "write" });
    onTestFinished(() => void db.close());
    // So few pages in memory that the change is in the file before it is committed.
    for (const pragma of ["cache_size", "cache_spill"]) db.pragma(`${pragma} = 5`);
    db.exec("BEGIN IMMEDIATE");
    db.exec(`DELETE FROM ${P}state_backend_history WHERE rowid % 2 = 0`);
    for (const end of ["", "-journal"]) copyFileSync(source + end, path + end);
    db.exec("ROLLBACK");
    const before = rowSets(source);
    await withStore(path, async (store) => {
      const app = store.app(APP);
      const read = () => app.read((reads) => reads.orchestrator.countByStatus());
      await expect(read()).rejects.toThrow(/an unfinished change of an interrupted writer/);
      await app.actions.purge(["broker"]);
      expect(await read()).toEqual(factsOf("kitchen_sink.db", APP).statuses);
    });
    expect(rowSets(path)).toEqual({ ...before, [`${P}broker_message_queue`]: [] });
  });

  it("is not written to by a read-only monitor", async () => {
    const path = copyOf("kitchen_sink.db");
    const id = anId(path);
    const before = rowSets(path);
    for (const error of await failures(path, id, { readOnly: true })) {
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({ status: 403, message: expect.stringContaining("read-only") });
    }
    expect(rowSets(path)).toEqual(before);
  });

  it("with an unknown layout is refused by every action", async () => {
    const path = copyOf("kitchen_sink.db");
    const app = "of tomorrow";
    const db = openDatabase(path, { mode: "write" });
    const writer = new DemoWriter(db, app, "0.4.0");
    writer.describeApp("tomorrow");
    db.exec(queueOfTomorrow(tableName(app, "broker_message_queue")));
    db.exec(
      `INSERT INTO ${tableName(app, "broker_message_queue")} (invocation_id, queue_name, priority, lease) VALUES ('i', 'q', 1, '')`,
    );
    db.exec(
      `INSERT INTO ${tableName(app, "orchestrator_invocations")} VALUES ('i', 't', 'c', 'success', NULL, 1, 0, 1)`,
    );
    db.exec(`INSERT INTO ${tableName(app, "trg_events")} VALUES ('e', 'code', 5, '{}', 0, 0, NULL, NULL, NULL)`);
    db.close();
    const before = rowSets(path);
    for (const error of await failures(path, "i", {}, app)) {
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({
        status: 409,
        message: expect.stringMatching(/^Nothing was changed: .*\(lease\)/),
      });
    }
    expect(rowSets(path)).toEqual(before);
    // The other apps of the file are as they always were.
    await withStore(path, (store) => store.app(APP).actions.purge(["broker"]));
    expect(rowsWhere(path, `${P}broker_message_queue`, "1")).toEqual([]);
  });

  it("whose constraints refuse a row is left as it was, and the error says so", async () => {
    const path = copyOf("kitchen_sink.db");
    const id = anId(path);
    change(path, `CREATE TRIGGER no BEFORE INSERT ON ${P}broker_message_queue BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const before = rowSets(path);
    await withStore(path, async (store) => {
      const attempt = store.app(APP).actions.rerun([id], { caller: CALLER, force: false });
      await expect(attempt).rejects.toThrow(/nothing was changed/i);
    });
    expect(rowSets(path)).toEqual(before);
  });

  it.each(COMPONENTS)(
    "without the tables of the %s allows what is possible, and refuses a rerun that needs them",
    async (component) => {
      const path = copyOf("kitchen_sink.db");
      const id = anId(path);
      const words: Record<ComponentName, string> = {
        broker: "broker_",
        orchestrator: "orchestrator_",
        state_backend: "state_backend_",
        client_data_store: "client_",
        trigger: "trg_",
      };
      const names = Object.keys(rowSets(path)).filter((name) => name.startsWith(P + words[component]));
      change(path, ...names.map((name) => `DROP TABLE ${name}`));
      await withStore(path, async (store) => {
        const { actions } = store.app(APP);
        const request = { caller: CALLER, force: false };
        if (component === "trigger" || component === "client_data_store") {
          expect((await actions.rerun([id], request))[0]?.refusal).toBeNull();
        } else {
          const before = rowSets(path);
          await expect(actions.rerun([id], request)).rejects.toThrow(
            /^Nothing was registered: the .* is not in this store/,
          );
          expect(rowSets(path)).toEqual(before);
        }
        const everything = {
          final_until: Number.MAX_VALUE,
          executions_before: Number.MAX_VALUE,
          max_executions: 1,
          with_open_parents: true,
        };
        const purged = await actions.autoPurgeOrchestrator(everything);
        expect(purged.invocations > 0).toBe(component !== "orchestrator");
        const events = actions.autoPurgeEvents({ before: Number.MAX_VALUE, max_events: 0, max_trigger_runs: 0 });
        if (component === "trigger") await expect(events).rejects.toThrow("records no events");
        else expect((await events).events_by_age).toBe(15);
        const emptied = await actions.purge(COMPONENTS);
        expect(new Set(emptied.map((row) => row.component))).toEqual(
          new Set(COMPONENTS.filter((one) => one !== component)),
        );
      });
    },
  );

  it("without some tables is purged as far as possible", async () => {
    const path = copyOf("kitchen_sink.db");
    const missing = [
      "orchestrator_invocation_args",
      "orchestrator_blocking_edges",
      "trg_trigger_run_conditions",
      "trg_event_conditions",
    ];
    change(path, ...missing.map((name) => `DROP TABLE ${P}${name}`));
    await withStore(path, async (store) => {
      const { actions } = store.app(APP);
      const all = {
        final_until: Number.MAX_VALUE,
        executions_before: null,
        max_executions: 0,
        with_open_parents: true,
      };
      expect(await actions.autoPurgeOrchestrator(all)).toMatchObject({
        invocations: 197,
        invocation_args: 0,
        blocking_edges: 0,
      });
      expect(
        await actions.autoPurgeEvents({ before: Number.MAX_VALUE, max_events: 0, max_trigger_runs: 0 }),
      ).toMatchObject({
        events_by_age: 15,
        trigger_runs_by_age: 47,
        event_conditions: 0,
        trigger_run_conditions: 0,
      });
    });
  });

  it("without data of the app is not changed by a purge", async () => {
    const path = copyOf("kitchen_sink.db");
    const before = rowSets(path);
    await withStore(path, async (store) => {
      const { actions } = store.app("somebody else's app");
      expect(await actions.purge(COMPONENTS)).toEqual([]);
      expect(
        await actions.autoPurgeOrchestrator({
          final_until: 9e9,
          executions_before: 9e9,
          max_executions: 1,
          with_open_parents: true,
        }),
      ).toMatchObject({
        invocations: 0,
      });
      await expect(actions.rerun(["x"], { caller: CALLER, force: false })).rejects.toThrow("is not in this store");
    });
    expect(rowSets(path)).toEqual(before);
  });
});
