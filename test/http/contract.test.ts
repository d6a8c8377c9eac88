/** Routes as behaviour.md 3 describes them. What holds for every page is in every-page.test.ts. */
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/http/routes/all.ts";
import { factsOf } from "../support/fixtures.ts";
import { describeWithMonitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const WAITER = factsOf("kitchen_sink.db", APP).blocking[0]?.[0] ?? "";
const HTML = { headers: { accept: "text/html,application/xhtml+xml" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
describeWithMonitor(
  "the HTTP contract",
  () => monitorOf("kitchen_sink.db", "over a socket", { app: APP }),
  (monitor) => {
    it.each([
      "/broker",
      "/orchestrator",
      "/runners",
      "/tasks",
      "/invocations",
      "/workflows",
      "/events",
      "/trigger-runs",
      "/triggers",
      "/state-backend",
      "/client-data-store",
    ])("%s without its slash answers like the page, without a redirect", async (path) => {
      expect((await monitor().get(path, HTML)).status).toBe(200);
    });

    it("/health has the keys of the documented interface", async () => {
      expect(await monitor().json("/health")).toMatchObject({ status: "ok", app: APP, store: "ok" });
    });

    it("switches the app with a 303 to the dashboard, and answers 404 for an unknown app", async () => {
      const other = encodeURIComponent("kitchen-sink.two/β");
      const switched = await monitor().get(`/switch-app/${other}`);
      expect([switched.status, switched.headers.get("location")]).toEqual([303, "/"]);
      expect((await monitor().json("/health")).app).toBe("kitchen-sink.two/β");
      expect((await monitor().get("/switch-app/nobody", JSON_WANTED)).status).toBe(404);
      await monitor().get(`/switch-app/${APP}`);
      expect((await monitor().json("/health")).app).toBe(APP);
    });

    it("?app= pins an app, and every link carries it on", async () => {
      const pinned = `app=${encodeURIComponent("kitchen-sink.two/β")}`;
      expect((await monitor().json<{ app_id: string }>(`/?${pinned}`)).app_id).toBe("kitchen-sink.two/β");
      expect((await monitor().get("/?app=nobody", HTML)).status).toBe(404);
      const root = parse(await monitor().text(`/tasks/?${pinned}`));
      const links = root.querySelectorAll("a[href^='/']").filter((a) => a.closest(".app-switcher") === null);
      const carried = links.map((a) => a.getAttribute("href") ?? "");
      expect(carried.length).toBeGreaterThan(10);
      expect(carried.filter((href) => !href.includes(pinned))).toEqual([]);
    });

    it("has history and data of an invocation as JSON with the keys of the existing monitor", async () => {
      const history = await monitor().json<Record<string, unknown>[]>(`/invocations/${WAITER}/history`);
      expect(Object.keys(history[0] ?? {})).toEqual(
        expect.arrayContaining([
          "timestamp",
          "status",
          "status_runner_id",
          "runner_context_summary",
          "runner_cls",
          "runner_id",
          "hostname",
          "pid",
          "thread_id",
          "parent_runner_cls",
          "parent_runner_id",
          "parent_hostname",
          "parent_pid",
          "parent_thread_id",
        ]),
      );
      expect(history.map((entry) => entry.timestamp)).toEqual([...history.map((entry) => entry.timestamp)].sort());
      const data = await monitor().json(`/invocations/${WAITER}/api`);
      expect(Object.keys(data)).toEqual(
        expect.arrayContaining([
          "invocation_id",
          "task_id_key",
          "status",
          "num_retries",
          "parent_invocation_id",
          "parent_event_id",
          "workflow_role",
          "workflow",
          "triggered_by",
          "emitted_events",
          "triggered_runs_caused",
          "source_inv_summaries",
          "source_event_summaries",
        ]),
      );
      expect(data).toMatchObject({ invocation_id: WAITER, status: "RUNNING" });
    });

    it.each([
      "/nope",
      "/invocations/nope",
      "/invocations/nope/history",
      "/invocations/nope/api",
      "/runners/nope",
      "/runners/atomic-service/runs/nope",
      "/tasks/no.such",
      "/calls/no.such:no_args",
      "/workflows/no.such",
      "/workflows/runs/nope",
      "/trigger-runs/nope",
      "/trigger-runs/nope/api",
      "/events/nope",
      "/events/nope/api",
      "/events/nope/trigger-runs",
      "/events/nope/trace",
      "/invocations/nope/trigger-context",
      "/trigger-runs/condition?condition_id=nope",
      "/trigger-runs/valid-condition?valid_condition_id=nope",
      "/triggers/nope",
      `/client-data-store/?reference=${"0".repeat(64)}`,
      "/assets/nope.js",
      "/assets/..%2f..%2fpackage.json",
    ])("%s is 404, as a page for browsers and as problem JSON for programs", async (path) => {
      const page = await monitor().get(path, HTML);
      // A route that only ever answers JSON does so for its errors too.
      const type = /\/(history|api|nope\/trigger-runs|trace|trigger-context)$/.test(path)
        ? "application/problem+json"
        : "text/html; charset=utf-8";
      expect([page.status, page.headers.get("content-type")]).toEqual([404, type]);
      const json = await monitor().get(path, JSON_WANTED);
      expect([json.status, json.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
      expect(await json.json()).toMatchObject({ status: 404, title: "Not found", type: "about:blank" });
    });

    it.each([
      ["/invocations/?status=finished", "status", "registered"],
      ["/invocations/?stauts=failed", "stauts", "status"],
      ["/invocations/?limit=0", "limit", "1 to 1000"],
      ["/invocations/?limit=-5", "limit", "1 to 1000"],
      ["/invocations/?limit=99999999999999", "limit", "1 to 1000"],
      ["/invocations/?page=zero", "page", "whole number"],
      ["/invocations/?start_date=someday", "start_date", "ISO 8601"],
      ["/invocations/?start_date=2026-02-31", "start_date", "ISO 8601"],
      ["/invocations/?start_date=2026-11-22&end_date=2026-11-21", "start_date", "later than the end"],
      ["/invocations/?time_range=2y", "time_range", "15m"],
      ["/invocations/export?format=xml", "format", "csv"],
      ["/invocations/timeline?time_range=2y", "time_range", "15m"],
      ["/invocations/timeline?start_date=soon", "start_date", "ISO 8601"],
      ["/invocations/timeline?start_date=2026-11-22&end_date=2026-11-21", "start_date", "later than the end"],
      ["/invocations/timeline?limit=5001", "limit", "1 to 5000"],
      ["/invocations/timeline?status=finished", "status", "registered"],
      ["/invocations/timeline?show_system=maybe", "show_system", "1, 0"],
      ["/invocations/timeline?histogram_status=done", "histogram_status", "running"],
      ["/invocations/timeline?format=pdf", "format", "svg"],
      ["/invocations/timeline?page=2", "page", "from"],
      ["/broker/queue?limit=x", "limit", "1 to 1000"],
      ["/runners/?show=dead", "show", "active"],
      ["/calls/", "call_id_key", "module.function:arguments_id"],
      ["/events/?start=someday", "start", "ISO 8601"],
      ["/events/?end=2026-02-31", "end", "ISO 8601"],
      ["/events/?page_size=201", "page_size", "from 1 to 200"],
      ["/events/?matched=maybe", "matched", "all, yes, no"],
      ["/events/export?format=xml", "format", "csv"],
      ["/events/api/markers", "from", "required"],
      ["/events/api/markers?start=2026-11-21", "to", "required"],
      ["/events/api/markers?start=2026-11-21&end=2026-11-22&offset=-1", "offset", "from 0"],
      ["/trigger-runs/?start=2026-11-22&end=2026-11-21", "start", "later than the end"],
      ["/trigger-runs/condition?condition_id=", "condition_id", "whole id of a condition"],
      ["/trigger-runs/valid-condition", "valid_condition_id", "whole id of a valid condition"],
      ["/runners/atomic-service/timeline?min_duration_seconds=soon", "min_duration_seconds", "seconds"],
      ["/runners/atomic-service/timeline?page_size=many", "page_size", "from 1 to 1000"],
    ])("%s is 400 and names the parameter and what is accepted", async (path, parameter, accepted) => {
      const response = await monitor().get(path, JSON_WANTED);
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { parameter: string; accepted: string }[] };
      expect(errors[0]?.parameter).toBe(parameter);
      expect(errors[0]?.accepted).toContain(accepted);
      expect((await monitor().get(path, HTML)).status).toBe(400);
    });

    it.each([
      [
        "/invocations/",
        "start_date=2026-11-21T00:30&end_date=2026-11-21T00:40",
        "from=2026-11-21T00:30&to=2026-11-21T00:40",
      ],
      ["/invocations/", "time_range=1h&limit=2", "range=1h&limit=2"],
      [
        "/invocations/timeline",
        "start_date=2026-11-21T00:30&end_date=2026-11-21T00:40",
        "from=2026-11-21T00:30&to=2026-11-21T00:40",
      ],
      [
        "/events/",
        "start=2026-11-21T00:30&end=2026-11-21T00:40&page_size=3",
        "from=2026-11-21T00:30&to=2026-11-21T00:40&limit=3",
      ],
      ["/trigger-runs/", "start=2026-11-21&end=2026-11-22&page_size=3", "from=2026-11-21&to=2026-11-22&limit=3"],
      ["/runners/atomic-service/timeline", "page_size=2", "limit=2"],
      ["/triggers/", "page_size=1", "limit=1"],
    ])("%s?%s equals the query %s, and both together are refused", async (path, contract, own) => {
      const asked = async (query: string) => monitor().json<{ page?: { total: number } }>(`${path}?${query}`);
      const [one, other] = [await asked(contract), await asked(own)];
      expect(one).toEqual(other);
      expect(one).not.toEqual(await asked(""));
      const both = await monitor().get(`${path}?${contract}&${own}`, JSON_WANTED);
      expect([both.status, await both.text()]).toEqual([400, expect.stringContaining("the parameters here are")]);
    });

    it.each([
      ["/tasks/notakey", "No task"],
      ["/calls/?call_id_key=nocolon", "No call"],
      ["/calls/nocolon", "No call"],
      ["/workflows/nodot", "No workflow type"],
      ["/client-data-store/?reference=short", "64 hex digits"],
    ])("%s is 404, because the data may hold keys in another form than pynenc's", async (path, said) => {
      const response = await monitor().get(path, JSON_WANTED);
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining(said)]);
      expect((await monitor().get(path, HTML)).status).toBe(404);
    });

    it.each([
      ["/invocations/?q=status%3Afaild&limit=3", `/invocations/?limit=3&app=${APP}`],
      ["/invocations/?limit=x", `/invocations/?app=${APP}`],
      ["/invocations/?start_date=2026-11-22&end_date=2026-11-21", `/invocations/?to=2026-11-21&app=${APP}`],
      ["/invocations/?page=2&after=x", `/invocations/?page=2&app=${APP}`],
      [`/invocations/?app=${APP}&status=faild&status=failed&limit=3`, `/invocations/?limit=3&app=${APP}`],
    ])("the error page of %s has a form to correct the value, and a link without it", async (path, kept) => {
      const page = parse(await (await monitor().get(path, HTML)).text());
      const form = page.querySelector("main form");
      const link = page.querySelectorAll("main a").find(({ text }) => text.startsWith("Open the page without "));
      expect(link?.getAttribute("href")).toBe(kept);
      expect((await monitor().get(kept, HTML)).status).toBe(200);
      // Sent as it stands, the form asks for the same.
      const sent = new URLSearchParams(
        form
          ?.querySelectorAll("input")
          .map((input) => [input.getAttribute("name") ?? "", input.getAttribute("value") ?? ""]),
      );
      const again = await monitor().get(`${form?.getAttribute("action")}?${sent}`, JSON_WANTED);
      const first = await monitor().get(path, JSON_WANTED);
      expect([again.status, await again.json()]).toEqual([400, await first.json()]);
    });

    it("the form of an error page keeps the other parameters", async () => {
      const page = parse(await (await monitor().get("/invocations/?q=status%3Afaild&limit=3&range=30d", HTML)).text());
      const fields = page
        .querySelectorAll("main form input")
        .map((input) => [input.getAttribute("name"), input.getAttribute("value")]);
      expect(fields).toEqual([
        ["app", APP],
        ["range", "30d"],
        ["q", "status:faild"],
        ["limit", "3"],
      ]);
      expect(page.querySelector("main form input[name=q]")?.hasAttribute("data-completions")).toBe(true);
    });

    it.each([
      "/invocations/?limit=x",
      "/nowhere",
      "/no/where/",
      "/invocations/no-such-id",
      "/calls/",
      "/invocations/%ZZ",
    ])("the error page of %s names the app that is shown", async (path) => {
      const page = parse(await (await monitor().get(path, HTML)).text());
      expect(page.querySelector(".app-name")?.text).toBe(APP);
    });

    it("the error page of a refused method names the app that is shown", async () => {
      const origin = new URL((await monitor().get("/health")).url || "http://127.0.0.1:8000").origin;
      const headers = { origin, accept: "text/html" };
      const response = await monitor().get("/tasks/", { method: "POST", headers });
      expect(response.status).toBe(405);
      expect(parse(await response.text()).querySelector(".app-name")?.text).toBe(APP);
    });

    it("the error page for an unknown app names no app", async () => {
      const page = parse(await (await monitor().get("/?app=nobody", HTML)).text());
      expect(page.querySelector(".app-name")?.text).toBe("No app");
      expect(page.querySelector("main form")).toBeNull();
    });

    it("a malformed percent sign in an address is 400", async () => {
      expect((await monitor().get("/invocations/%ZZ", JSON_WANTED)).status).toBe(400);
    });

    it("a list page beyond the end is empty and says so", async () => {
      const list = await monitor().json<{ invocations: unknown[]; page: Record<string, unknown> }>(
        "/invocations/?page=9999",
      );
      expect(list.invocations).toEqual([]);
      expect(list.page).toMatchObject({ number: 9999, has_next: false, first_row: 0, total: 207 });
      expect((await monitor().get("/invocations/?page=9999", HTML)).status).toBe(200);
    });

    it("an export has the filtered list as CSV and as JSON lines", async () => {
      const csv = await (await monitor().get("/invocations/export?format=csv&status=failed")).text();
      const lines = csv.trimEnd().split("\r\n");
      expect(lines[0]).toContain("invocation_id,task_id_key");
      expect(lines).toHaveLength(11);
      const response = await monitor().get("/invocations/export?format=jsonl");
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="invocations.jsonl"');
      const rows = (await response.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { invocation_id: string });
      expect(new Set(rows.map((row) => row.invocation_id)).size).toBe(207);
    });

    it("every answer has the security headers, and a nonce that fits the page", async () => {
      for (const path of ["/", "/nope", "/health", "/assets/app.css", "/invocations/?status=x"]) {
        const { headers } = await monitor().get(path, HTML);
        expect(headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("referrer-policy")).toBe("same-origin");
        expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
        expect(headers.get("access-control-allow-origin")).toBeNull();
      }
      const page = await monitor().get("/", HTML);
      const nonce = /'nonce-([^']+)'/.exec(page.headers.get("content-security-policy") ?? "")?.[1];
      const root = parse(await page.text());
      const scripts = root.querySelectorAll("script");
      expect(scripts.length).toBeGreaterThan(0);
      expect(scripts.map((script) => script.getAttribute("nonce"))).toEqual(scripts.map(() => nonce));
      expect(root.querySelectorAll("[style]")).toEqual([]);
      expect(root.querySelectorAll("script:not([src])")).toEqual([]);
      const again = await monitor().get("/", HTML);
      expect(again.headers.get("content-security-policy")).not.toBe(page.headers.get("content-security-policy"));
    });

    it("a change from another origin is refused before the route is looked up", async () => {
      const refused = await monitor().get("/purge", { method: "POST", headers: { origin: "http://evil.example" } });
      expect(refused.status).toBe(403);
      expect((await monitor().get("/purge", { method: "POST" })).status).toBe(403);
    });

    it("every asset that a page names is served", async () => {
      const root = parse(await monitor().text("/"));
      const named = [
        ...root.querySelectorAll("script[src]").map((e) => e.getAttribute("src") ?? ""),
        ...root.querySelectorAll("link[href]").map((e) => e.getAttribute("href") ?? ""),
      ];
      expect(named.length).toBeGreaterThan(4);
      for (const path of named) {
        const asset = await monitor().get(path);
        expect([path, asset.status]).toEqual([path, 200]);
        const etag = asset.headers.get("etag") ?? "";
        expect((await monitor().get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
      }
    });
  },
);

describe("the route table", () => {
  it("has the debug overview for developers only", () => {
    const paths = (dev: boolean) => allRoutes({ dev }).map((route) => route.path);
    expect(paths(true).filter((path) => !paths(false).includes(path))).toEqual(["/workflows/debug"]);
  });
});
