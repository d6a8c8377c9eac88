/** Everything that changes data over HTTP: previews, forms, scripts, refusals, and what is left alone. */

import { parse } from "node-html-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  AutoPurgePreview,
  EventPurgeOutcome,
  OrchestratorAutoPurgePreview,
  OrchestratorPurgeOutcome,
  PurgeOutcome,
  PurgePreview,
} from "../../src/api/actions.ts";
import type { AuditEntry, AuditPage } from "../../src/api/audit.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { RerunManyOutcome, RerunManyPreview, RerunOutcome, RerunPreview } from "../../src/api/reruns.ts";
import { createSchema } from "../../src/demo/writer/schema.ts";
import { allRoutes } from "../../src/http/routes/all.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { changes, contentsOf } from "../support/contents.ts";
import { presentOf, queueOfTomorrow, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf, testMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const OTHER = "kitchen-sink.two/β";
const PREFIX = tablePrefix(APP);
const FORM = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };

const PURGES = {
  "/purge": ["broker", "orchestrator", "state_backend", "client", "trg"],
  "/broker/purge": ["broker"],
  "/orchestrator/purge": ["orchestrator"],
  "/state-backend/purge": ["state_backend"],
  "/client-data-store/purge": ["client"],
  "/triggers/purge": ["trg"],
};

/** Tables of the app that a purge leaves alone (storage-format.md 7.1, 7.2). */
const KEPT = [`${PREFIX}__state_backend_app_info`, `${PREFIX}__trg_schema_version`];

async function outcome<Body>(answer: Promise<Response>, status = 200): Promise<Body> {
  const response = await answer;
  const body = await response.json();
  expect([response.status, body]).toEqual([status, expect.anything()]);
  return body as Body;
}

describe("actions", () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { alone: APP, lockWait: 0.3 });
  });
  afterEach(() => monitor.close());

  describe.each(Object.entries(PURGES))("POST %s", (path, components) => {
    it("deletes exactly the rows that its preview announced", async () => {
      const preview = await monitor.json<PurgePreview>(path);
      const before = contentsOf(monitor.path);
      const done = await outcome<PurgeOutcome>(monitor.post(path));
      const after = contentsOf(monitor.path);
      const emptied = Object.keys(before).filter(
        (table) =>
          components.some((component) => table.startsWith(`${PREFIX}__${component}_`)) &&
          !KEPT.includes(table) &&
          before[table]?.length !== 0,
      );
      expect(emptied.length).toBeGreaterThan(0);
      expect(changes(before, after)).toEqual(
        Object.fromEntries(emptied.map((table) => [table, -(before[table]?.length ?? 0)])),
      );
      expect(done).toMatchObject({ success: true, action: "purge", app_id: APP, deleted: preview.total });
      expect(done.rows).toEqual(preview.counts);
      expect(done.message).toContain(APP);
    });
  });

  it("the page of a purge has a form that names the app, and redirects with a notice", async () => {
    const path = "/purge";
    const page = parse(await monitor.text(path));
    const form = page.querySelector("form.confirm-form");
    expect(form?.getAttribute("action")).toBe(path);
    expect(form?.querySelector("input[name=app_id]")?.hasAttribute("required")).toBe(true);
    expect(page.querySelector("main")?.text).toContain(APP);
    const typed = { method: "POST", headers: { ...FORM, origin: monitor.origin }, body: `app_id=${APP}` };
    const done = await monitor.get(path, typed);
    expect(done.status).toBe(303);
    const next = parse(await monitor.text(done.headers.get("location") ?? ""));
    expect(next.querySelector(".notice-info")?.text).toContain("Purged");
  });

  it("a purge offers to empty the queue first where messages would be left without their records", async () => {
    const path = "/orchestrator/purge";
    const page = parse(await monitor.text(path));
    expect(page.querySelector("main")?.text).toContain("A ThreadRunner that takes one stops;");
    const choice = page.querySelector("form.confirm-form input[type=checkbox][name=empty_queue]");
    expect(choice?.parentNode?.text).toContain("7 messages more would be deleted");
    expect(parse(await monitor.text("/purge")).querySelector("input[name=empty_queue]")).toBeNull();
    expect((await monitor.post("/purge", { empty_queue: "1" })).status).toBe(400);
    const preview = await monitor.json<PurgePreview>(`${path}?empty_queue=1`);
    expect(preview).toMatchObject({ empties_queue: true, stranded_messages: 0 });
    // As a browser sends a box that is ticked.
    const body = `empty_queue=0&empty_queue=1&app_id=${APP}`;
    const done = await monitor.get(path, { method: "POST", headers: { ...FORM, origin: monitor.origin }, body });
    expect(done.status).toBe(303);
    const left = contentsOf(monitor.path);
    expect([left[`${PREFIX}__broker_message_queue`], left[`${PREFIX}__orchestrator_invocations`]]).toEqual([[], []]);
    expect(left[`${PREFIX}__state_backend_invocations`]).not.toEqual([]);
  });

  it("the app stays visible after everything is purged", async () => {
    await outcome(monitor.post("/purge"));
    expect((await monitor.workspace.apps()).map((app) => app.app_id)).toContain(APP);
    expect(await monitor.json("/")).toMatchObject({ app_id: APP, overview: { invocations: 0, queued_messages: 0 } });
    const again = await outcome<PurgeOutcome>(monitor.post("/purge"));
    expect(again.deleted).toBe(0);
  });

  it("an action is about the app of ?app=, and refuses a body that names another app", async () => {
    const before = contentsOf(monitor.path);
    const two = `/broker/purge?app=${encodeURIComponent(OTHER)}`;
    for (const fields of [{ app_id: APP }, { app: APP }, { app_id: "" }]) {
      const refused = await outcome<{ success: boolean; detail: string }>(monitor.post(two, fields), 409);
      expect(refused.success).toBe(false);
      expect(refused.detail).toContain("Nothing was changed");
    }
    const typed = new URLSearchParams({ app_id: OTHER }).toString();
    const form = await monitor.get("/broker/purge", {
      method: "POST",
      headers: { ...FORM, origin: monitor.origin },
      body: typed,
    });
    expect(form.status).toBe(409);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
    const done = await outcome<PurgeOutcome>(monitor.post(two, { app_id: OTHER }));
    expect(done).toMatchObject({ app_id: OTHER, deleted: 1 });
    expect(Object.keys(changes(before, contentsOf(monitor.path)))).toEqual([
      `${tablePrefix(OTHER)}__broker_message_queue`,
    ]);
  });

  it("an action answers a form with 303 and a notice, htmx with a fragment, a script with JSON", async () => {
    const form = await monitor.post("/events/auto-purge", undefined, FORM);
    expect([form.status, form.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/events\/\?done=/)]);
    const page = parse(await monitor.text(form.headers.get("location") ?? ""));
    expect(page.querySelector(".notice-info")?.text).toContain("Auto-purged the events of kitchen_sink");
    // Neither another app's page nor a made-up id shows it.
    expect(await monitor.text(`${form.headers.get("location")}&app=${encodeURIComponent(OTHER)}`)).not.toContain(
      "Auto-purged",
    );
    expect(await monitor.text("/events/?done=nothing")).not.toContain("Auto-purged");
    const part = await monitor.post("/events/auto-purge", undefined, { "hx-request": "true" });
    expect([part.status, part.headers.get("hx-trigger")]).toEqual([200, "live"]);
    expect(await part.text()).toContain("Auto-purged");
    expect(
      (await monitor.post("/events/auto-purge", undefined, { accept: "*/*" })).headers.get("content-type"),
    ).toContain("json");
  });

  it("an action refuses unknown fields and unreadable bodies, and changes nothing", async () => {
    const before = contentsOf(monitor.path);
    const bad = await outcome<{ errors: { parameter: string }[] }>(monitor.post("/purge", { dry_run: true }), 400);
    expect(bad.errors.map((one) => one.parameter)).toEqual(["dry_run"]);
    for (const [type, body] of [
      ["application/json", "{"],
      ["application/json", "[1]"],
      ["application/json", '{"app_id": {}}'],
      ["text/plain", "app_id=x"],
    ]) {
      const response = await monitor.get("/purge", {
        method: "POST",
        headers: { origin: monitor.origin, "content-type": type ?? "" },
        body: body ?? "",
      });
      expect([type, body, response.status]).toEqual([type, body, 400]);
    }
    expect((await monitor.post("/events/auto-purge", { event_retention_days: "soon" })).status).toBe(400);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });

  it("auto-purge keeps results that a parent may still ask for, unless the form says otherwise", async () => {
    const db = openDatabase(monitor.path, { mode: "write" });
    db.exec(
      `UPDATE ${PREFIX}__orchestrator_invocations SET status = 'running' WHERE invocation_id =
         (SELECT i.parent_invocation_id FROM ${PREFIX}__state_backend_invocations i
          JOIN ${PREFIX}__orchestrator_invocations o ON o.invocation_id = i.parent_invocation_id
          WHERE o.status = 'success' LIMIT 1)`,
    );
    db.close();
    const query = "?auto_final_invocation_purge_hours=0";
    const { open_parents } = await monitor.json<OrchestratorAutoPurgePreview>(`/orchestrator/auto-purge${query}`);
    expect(open_parents).toEqual({ children: expect.any(Number), taken: false });
    expect(open_parents.children).toBeGreaterThan(0);
    const page = parse(await monitor.text(`/orchestrator/auto-purge${query}`));
    expect(page.text).toContain("may still ask for the result");
    const box = page.querySelector("input[type=checkbox][name=with_open_parents]");
    expect([box?.getAttribute("value"), box?.hasAttribute("checked")]).toEqual(["1", false]);
    const done = await outcome<OrchestratorPurgeOutcome>(monitor.post(`/orchestrator/auto-purge${query}`));
    expect(done.invocations_of_open_parents).toBe(open_parents.children);
    const taken = parse(await monitor.text(`/orchestrator/auto-purge${query}&with_open_parents=1`));
    expect(taken.text).toContain("fails with a KeyError");
    expect(taken.querySelector("input[type=hidden][name=with_open_parents][value='1']")).not.toBeNull();
    const rest = await outcome<OrchestratorPurgeOutcome>(
      monitor.post("/orchestrator/auto-purge", { auto_final_invocation_purge_hours: 0, with_open_parents: 1 }),
    );
    expect(rest.invocations).toBe(open_parents.children);
  });

  it("auto-purge removes final invocations and service executions by the effective settings", async () => {
    const kept = await monitor.json<AutoPurgePreview>("/orchestrator/auto-purge");
    expect(kept.settings.map((row) => [row.field, row.origin])).toContainEqual([
      "auto_final_invocation_purge_hours",
      "default",
    ]);
    const query = "?auto_final_invocation_purge_hours=0&atomic_service_execution_max_records=50";
    const preview = await monitor.json<AutoPurgePreview>(`/orchestrator/auto-purge${query}`);
    const count = (name: string) => preview.counts.find((one) => one.name === name)?.rows;
    // success 183, failed 10, concurrency_controlled_final 4
    expect(count("invocations")).toBe(197);
    const done = await outcome<OrchestratorPurgeOutcome>(monitor.post(`/orchestrator/auto-purge${query}`));
    expect(done).toMatchObject({
      success: true,
      invocations: 197,
      invocation_args: count("invocation_args"),
      executions_by_capacity: 340 - 50,
      deleted: 197 + 290,
    });
    // The orchestrator keeps none of them; their histories do.
    const { page, invocations } = await monitor.json<InvocationList>("/invocations/?status=success");
    expect([page.total, new Set(invocations.map((row) => row.status_source))]).toEqual([183, new Set(["history"])]);
    const left = await monitor.json<{ page: { total: number } }>("/runners/atomic-service/timeline");
    expect(left.page.total).toBe(50);
  });

  it("auto-purge removes events by age and number, with the trigger runs they took part in", async () => {
    const preview = await monitor.json<AutoPurgePreview>("/events/auto-purge?event_max_records=5");
    const done = await outcome<EventPurgeOutcome>(monitor.post("/events/auto-purge", { event_max_records: 5 }));
    expect(done).toMatchObject({ enabled: true, events_by_age: 0, events_by_capacity: 10 });
    expect(preview.counts.length).toBeGreaterThan(5);
    for (const { name, rows } of preview.counts)
      expect([name, done[name as keyof EventPurgeOutcome]]).toEqual([name, rows]);
    expect(done.deleted).toBe(10 + done.trigger_runs_of_events);
    expect((await monitor.json<{ page: { total: number } }>("/events/")).page.total).toBe(5);
    const all = await outcome<EventPurgeOutcome>(monitor.post("/events/auto-purge", { event_retention_days: 0 }));
    expect(all).toMatchObject({ events_by_age: 5 });
    expect(await monitor.json("/")).toMatchObject({ events: { recorded: 0, trigger_runs: 0 } });
  });

  it("auto-purge takes settings from the app's environment, and the request may override them", async () => {
    const off = await testMonitor(
      monitorOf("kitchen_sink.db", "in process", {
        alone: APP,
        env: { PYNENC__CONFIGTRIGGER__EVENT_RETENTION_DAYS: "1" },
      }),
    );
    const preview = await off.json<AutoPurgePreview>("/events/auto-purge");
    expect(preview.settings.find((row) => row.field === "event_retention_days")).toMatchObject({
      value: "1",
      origin: "PYNENC__CONFIGTRIGGER__EVENT_RETENTION_DAYS",
    });
    const none = await outcome<EventPurgeOutcome>(
      off.post("/events/auto-purge", { event_auto_purge_enabled: "no", event_retention_days: 0 }),
    );
    expect(none).toMatchObject({ success: true, enabled: false, deleted: 0 });
    expect((await off.json<{ page: { total: number } }>("/events/")).page.total).toBe(15);
  });

  it("a rerun registers the call again and redirects to the new invocation", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=success&limit=1");
    const original = invocations[0]?.invocation_id ?? "";
    const preview = await monitor.json<RerunPreview>(`/invocations/${original}/rerun`);
    expect(preview).toMatchObject({ refused: null, invocation: { invocation_id: original } });
    const before = contentsOf(monitor.path);
    const done = await outcome<RerunOutcome>(monitor.post(`/invocations/${original}/rerun`));
    expect(done).toMatchObject({ success: true, invocation_id: original });
    const detail = await monitor.json<InvocationDetail>(`/invocations/${done.new_invocation_id}`);
    const source = await monitor.json<InvocationDetail>(`/invocations/${original}`);
    expect(detail).toMatchObject({
      status: "registered",
      queued: true,
      call_id_key: source.call_id_key,
      arguments: source.arguments,
    });
    const { [`${PREFIX}__orchestrator_invocation_args`]: indexed, ...others } = changes(
      before,
      contentsOf(monitor.path),
    );
    expect(indexed).toBe(source.arguments.length);
    expect(Object.values(others)).toEqual([1, 1, 1, 1, 1]);
    const form = await monitor.post(`/invocations/${original}/rerun`, undefined, FORM);
    expect(form.status).toBe(303);
    const page = await monitor.text(form.headers.get("location") ?? "");
    expect(parse(page).querySelector(".notice-info")?.text).toContain("Registered");
  });

  it("a rerun that is not possible says why", async () => {
    const before = contentsOf(monitor.path);
    expect(await outcome(monitor.post("/invocations/no-such-id/rerun"), 404)).toMatchObject({ success: false });
    expect((await monitor.get("/invocations/no-such-id/rerun")).status).toBe(404);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
    await outcome(monitor.post("/client-data-store/purge"));
    // Its argument is too long to stand in the call.
    const { invocations } = await monitor.json<InvocationList>("/invocations/?task_id=tasks.big_blob");
    const id = invocations[0]?.invocation_id;
    const { refused } = await monitor.json<RerunPreview>(`/invocations/${id}/rerun`);
    expect(refused).not.toBeNull();
    const told = await outcome<{ detail: string }>(monitor.post(`/invocations/${id}/rerun`), 409);
    expect(told.detail).toContain("__pynenc__client_data__:");
  });

  it("a rerun of many registers all invocations that match a filter, within a limit, and needs a filter", async () => {
    expect((await monitor.post("/invocations/rerun")).status).toBe(400);
    const preview = await monitor.json<RerunManyPreview>("/invocations/rerun?status=failed");
    expect(preview).toMatchObject({ matching: { total: 10 }, limit: 1000, registered: 10, refusals: [] });
    const some = await outcome<RerunManyOutcome>(monitor.post("/invocations/rerun", { status: ["failed"], limit: 3 }));
    expect(some).toMatchObject({ taken: 3, registered: 3 });
    const ids = new Set(some.new_invocation_ids);
    expect(ids.size).toBe(3);
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=3");
    expect(new Set(invocations.map((row) => row.invocation_id))).toEqual(ids);
  });

  it("a rerun of many takes the topmost of each family, every match, or the selected ones", async () => {
    const filter = "status=success&task_id=tasks.chain";
    const preview = await monitor.json<RerunManyPreview>(`/invocations/rerun?${filter}`);
    expect(preview).toMatchObject({ taken: 4, registered: 4, matches_below: 7 });
    expect(await monitor.json(`/invocations/rerun?${filter}&all=1`)).toMatchObject({ taken: 11, matches_below: 0 });
    const selected = preview.calls.slice(0, 2).map((call) => call.invocation_id);
    const form = new URLSearchParams([
      ["status", "success"],
      ["task_id", "tasks.chain"],
      ["selected", ""],
      ...selected.map((id) => ["selected", id]),
    ]);
    const done = await monitor.get("/invocations/rerun", {
      method: "POST",
      headers: { ...FORM, origin: monitor.origin, accept: "application/json" },
      body: form.toString(),
    });
    expect(await done.json()).toMatchObject({ registered: 2, taken: 2, no_longer_matching: 0 });
    const before = contentsOf(monitor.path);
    const none = await monitor.post("/invocations/rerun", { status: "success", selected: "" });
    expect([none.status, await none.text()]).toEqual([400, expect.stringContaining("Nothing is selected")]);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });

  it("a rerun of which no call can be registered says why and shows no form", async () => {
    await outcome(monitor.post("/client-data-store/purge"));
    const path = "/invocations/rerun?task_id=tasks.big_blob";
    const reason = "every call is refused, 4 because some arguments are client data that is not in this store";
    expect(await monitor.json(path)).toMatchObject({ registered: 0, refused: reason });
    const page = parse(await monitor.text(path));
    expect(page.querySelectorAll("main form, main button[type=submit]")).toEqual([]);
    const refused = await outcome<{ detail: string }>(monitor.post(path), 409);
    expect(refused.detail).toContain(reason);
    const nothing = await outcome<RerunManyOutcome>(monitor.post("/invocations/rerun?status=killed"));
    expect(nothing).toMatchObject({ success: true, taken: 0, registered: 0 });
  });

  it("a store that stays locked is reported, with a note that nothing was changed", async () => {
    const writer = openDatabase(monitor.path, { mode: "write" });
    writer.exec("BEGIN IMMEDIATE");
    try {
      const busy = await outcome<{ detail: string; success: boolean }>(monitor.post("/purge"), 503);
      expect(busy.success).toBe(false);
      expect(busy.detail).toMatch(/still locked by another writer after 0.3 s; nothing was changed/);
    } finally {
      writer.exec("ROLLBACK");
      writer.close();
    }
    expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(207);
  });

  it("every action is logged in one line, and the page of actions lists it", async () => {
    await outcome(monitor.post("/broker/purge"));
    await outcome(monitor.post("/broker/purge", { app_id: "other" }), 409);
    await outcome(monitor.post("/invocations/none/rerun"), 404);
    const lines = monitor.actionLines.map((line) => JSON.parse(line) as AuditEntry);
    expect(lines).toMatchObject([
      { action: "purge broker", app_id: APP, outcome: "done", counters: { deleted: 7 } },
      { action: "rerun", app_id: APP, outcome: "refused" },
    ]);
    expect(lines[0]?.who).toBe("127.0.0.1");
    const { entries } = await monitor.json<AuditPage>("/audit");
    expect(entries).toEqual([...lines].reverse());
    expect(parse(await monitor.text("/audit")).querySelectorAll("tbody tr").length).toBe(2);
  });
});

describe("a monitor that may not write", () => {
  it("refuses every route that changes data in read-only mode, and has no links to them", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP, readOnly: true }));
    const before = contentsOf(monitor.path);
    const writing = allRoutes({ dev: true }).filter((route) => route.method !== "GET");
    // Each route that says of itself that it only reads has a test of its own that it does.
    expect(writing.flatMap((route) => (route.reads ? [route.path] : []))).toEqual([
      "/login",
      "/login/code",
      "/log-explorer/",
    ]);
    const changing = writing.filter((route) => route.reads !== true);
    expect(changing.length).toBeGreaterThan(8);
    for (const { path } of changing) {
      for (const headers of [{}, FORM, { "hx-request": "true" }]) {
        const answer = await monitor.post(path.replace(":id", "x"), undefined, headers);
        expect([path, answer.status]).toEqual([path, 403]);
      }
    }
    for (const { path } of changing.filter(
      (route) => !route.path.includes(":") && !["/invocations/rerun", "/invocations/requeue"].includes(route.path),
    )) {
      const page = parse(await monitor.text(path.startsWith("/why/") ? `${path}?code=stuck_pending` : path));
      expect([path, page.querySelectorAll("main form[method=post]").length]).toEqual([path, 0]);
      expect(page.querySelector("main")?.text).toContain("read-only");
    }
    for (const path of [
      "/",
      "/store/",
      "/broker/",
      "/orchestrator/",
      "/state-backend/",
      "/client-data-store/",
      "/triggers/",
      "/events/",
    ]) {
      expect([path, parse(await monitor.text(path)).querySelectorAll("a.danger").length]).toEqual([path, 0]);
    }
    // The second lock: the store itself refuses, whoever asks.
    const app = await monitor.workspace.open();
    await expect(app.store.actions.purge(["broker"])).rejects.toThrow("read-only");
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });

  it("refuses every action on a layout with unknown columns", async () => {
    const folder = temporaryFolder();
    const path = `${folder.path}/newer.db`;
    const db = openDatabase(path, { mode: "create" });
    createSchema(db, APP, "0.4.0");
    db.exec(queueOfTomorrow(`${PREFIX}__broker_message_queue`));
    db.prepare(`INSERT INTO "${PREFIX}__state_backend_app_info" (app_id, app_info_json) VALUES (?, ?)`).run(
      APP,
      JSON.stringify({ app_id: APP, module: "tasks" }),
    );
    db.close();
    const monitor = await testMonitor(monitorAt(path, "in process", { alone: APP }, folder.remove));
    for (const target of Object.keys(PURGES).concat("/orchestrator/auto-purge", "/events/auto-purge")) {
      const answer = await outcome<{ detail: string }>(monitor.post(target), 409);
      expect([target, answer.detail]).toEqual([target, expect.stringContaining("does not know")]);
      expect((await monitor.json<PurgePreview>(target)).refused).toContain("does not know");
    }
  });

  it("refuses to auto-purge events when the layout records no events", async () => {
    const monitor = await testMonitor(
      monitorOf("kitchen_sink_023.db", "in process", {
        alone: APP,
        now: presentOf("kitchen_sink_023.db"),
      }),
    );
    const preview = await monitor.json<AutoPurgePreview>("/events/auto-purge");
    expect(preview.refused).toContain("pynenc records them since 0.2.4");
    const refused = await outcome<{ detail: string }>(monitor.post("/events/auto-purge"), 409);
    expect(refused.detail).toContain("pynenc records them since 0.2.4");
  });
});
