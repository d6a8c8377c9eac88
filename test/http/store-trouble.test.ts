/** The store goes away, comes back, is replaced, is locked, or was never there. */
import { renameSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import type { Bind } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { storeWith } from "../support/counting.ts";
import { copyFixture, factsOf, queueOfTomorrow, sum } from "../support/fixtures.ts";
import { type Monitor, monitorOf, testMonitor } from "../support/monitor.ts";

const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
const APP = "kitchen_sink";
const PREFIX = tablePrefix(APP);

describe("a store in trouble", () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
  });
  afterEach(() => monitor.close());

  function write(statement: string, ...values: Bind[]): void {
    const db = openDatabase(monitor.path, { mode: "write" });
    db.prepare(statement.replaceAll("$", `${PREFIX}__`)).run(...values);
    db.close();
  }

  it("is read again when its file is replaced by another", async () => {
    expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(207);
    for (const end of ["", "-wal", "-shm"]) rmSync(monitor.path + end, { force: true });
    const folder = monitor.path.slice(0, monitor.path.lastIndexOf("/"));
    renameSync(copyFixture("kitchen_sink_023.db", folder), monitor.path);
    // On a busy machine counting takes so long that what was counted before is used a little longer.
    await vi.waitFor(async () => {
      expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(
        sum(factsOf("kitchen_sink_023.db", APP).statuses),
      );
    }, 60_000);
  });

  it("is answered with 503 while a writer holds the whole file, and with 200 after", async () => {
    const db = openDatabase(monitor.path, { mode: "write" });
    // Outside WAL mode an exclusive transaction keeps readers out.
    db.pragma("journal_mode = DELETE");
    db.exec("BEGIN EXCLUSIVE");
    const response = await monitor.get("/broker/", JSON_WANTED);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("locked");
    db.exec("COMMIT");
    db.close();
    expect((await monitor.get("/broker/", HTML)).status).toBe(200);
  });

  it("shows the commits of a writer at once, and never uncommitted changes", async () => {
    const failed = async () => (await monitor.json<InvocationList>("/invocations/?status=failed")).page.total;
    expect(await failed()).toBe(10);
    const db = openDatabase(monitor.path, { mode: "write" });
    db.exec("BEGIN IMMEDIATE");
    db.prepare(`UPDATE ${PREFIX}__orchestrator_invocations SET status = 'failed' WHERE status = 'paused'`).run();
    expect(await failed()).toBe(10);
    db.exec("COMMIT");
    db.close();
    // A count that took long, as on a busy machine, is reused for a moment.
    await expect.poll(failed, { timeout: 30_000 }).toBe(11);
  });

  it("shows invocations whose status was purged by the last entry of their history", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed");
    const id = invocations[0]?.invocation_id ?? "";
    write("DELETE FROM $orchestrator_invocations WHERE invocation_id = ?", id);
    const detail = await monitor.json<InvocationDetail>(`/invocations/${id}`);
    expect(detail).toMatchObject({ status: "failed", status_source: "history", final: true });
    expect(detail.notes.join(" ")).toContain("has no status for it");
    // On a busy machine counting takes so long that what was counted before is used a little longer.
    await vi.waitFor(async () => {
      const list = await monitor.json<InvocationList>("/invocations/?limit=1000");
      expect(list.invocations).toHaveLength(207);
      expect(list.invocations.find((row) => row.invocation_id === id)).toMatchObject({
        status: "failed",
        status_source: "history",
      });
    }, 60_000);
  });

  it("answers every page with the orchestrator's tables alone, and with the state backend's alone", async () => {
    const pages = [
      "/",
      "/broker/",
      "/broker/queue",
      "/orchestrator/",
      "/runners/?show=all",
      "/tasks/",
      "/invocations/",
      "/workflows/",
      "/workflows/runs",
      "/state-backend/",
      "/client-data-store/",
    ];
    const drop = (component: string) => {
      const db = openDatabase(monitor.path, { mode: "write" });
      const names = db
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?")
        .column(`${PREFIX}__${component}*`) as string[];
      for (const name of names) if (!name.endsWith("app_info")) db.exec(`DROP TABLE "${name}"`);
      db.close();
    };
    for (const component of ["state_backend", "broker", "client", "trg", "orchestrator"]) {
      drop(component);
      for (const path of pages)
        expect([component, path, (await monitor.get(path, HTML)).status]).toEqual([component, path, 200]);
    }
  });

  it("shows an app whose registration was purged", async () => {
    write("DELETE FROM $state_backend_app_info");
    expect((await monitor.get("/", HTML)).status).toBe(200);
    expect((await monitor.json<TaskList>(`/tasks/?app=${APP}`)).tasks.length).toBeGreaterThan(30);
  });

  it("with a layout newer than 0.4.0 is shown, and writes are refused with the reason", async () => {
    write("ALTER TABLE $broker_message_queue ADD COLUMN queue_name TEXT NOT NULL DEFAULT 'q'");
    const before = await monitor.json<{ layout: { label: string }; writes_refused: string | null }>("/");
    expect(before.layout.label).toBe("0.4.0 or newer");
    const db = openDatabase(monitor.path, { mode: "write" });
    db.exec(queueOfTomorrow(`${PREFIX}__broker_message_queue`));
    db.close();
    const after = await monitor.json<{ writes_refused: string | null }>("/");
    expect(after.writes_refused).toContain("(lease)");
    expect((await monitor.get("/broker/queue", HTML)).status).toBe(200);
  });
});

describe("settings that pynenc itself refuses", () => {
  it("are reported with setting, value, origin and what is accepted when the app is opened", async () => {
    const env = { PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "0" };
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { app: APP, env }));
    const response = await monitor.get("/", JSON_WANTED);
    expect(response.status).toBe(400);
    const text = await response.text();
    for (const part of ["atomic_service_interval_minutes", "PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES", "0"])
      expect(text).toContain(part);
  });
});

describe("a client that disconnects", () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
  });
  afterEach(() => monitor.close());

  /** What was read of the app for clients, by page: the sum of what it shares is read for all. */
  async function readsOf(signal: AbortSignal, path: string): Promise<{ status: number; given: boolean[] }> {
    const app = await monitor.workspace.open();
    const given: boolean[] = [];
    const original = app.forOneAnswer;
    const spy = vi.spyOn(app, "forOneAnswer").mockImplementation(() => {
      const answering = original();
      const store = storeWith(answering.store, (fn, wanted) => {
        if (wanted !== undefined) given.push(wanted.aborted);
        return answering.store.read(fn, wanted);
      });
      return { ...answering, store };
    });
    const response = await monitor.get(path, { ...JSON_WANTED, signal });
    spy.mockRestore();
    return { status: response.status, given };
  }

  it("causes no further reads and no logged error", async () => {
    const leaving = new AbortController();
    leaving.abort();
    for (const path of ["/invocations/?parent=x&page=3", "/broker/", "/events/"]) {
      const { status, given } = await readsOf(leaving.signal, path);
      expect([path, status]).toEqual([path, 499]);
      expect(given).toContain(true);
    }
  });

  it("cancels every read of its page by one signal", async () => {
    const { status, given } = await readsOf(new AbortController().signal, "/invocations/?parent=x&page=3");
    expect(status).toBe(200);
    expect(given.length).toBeGreaterThan(0);
  });
});
