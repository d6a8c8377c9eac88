/** Input and data that mean harm: never a 500, never a stack trace, never unescaped. */

import fc from "fast-check";
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import { insert } from "../browser/store.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf, sharedMonitor } from "../support/monitor.ts";

const HTML = { headers: { accept: "text/html" } };

const EVIL = [
  "</script><script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "a/b%2Fc#d:e f?g&h=i",
  "‮gnp.exe\u0000\u001b[31m",
  "日本/β 🎈",
  "..%2f..%2fetc%2fpasswd",
  "javascript:alert(1)",
  "'; DROP TABLE x; --",
];

/** Characters that a reader does not see, or that turn the text around. */
const UNSEEN = ["\u0000", "\u001b", "\u202e"];

describe("hostile input", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" }));

  const paths = (id: string) => {
    const e = encodeURIComponent(id);
    return [
      `/invocations/${e}`,
      `/invocations/${e}/history`,
      `/invocations/${e}/family-tree?expand=${e}`,
      `/invocations/${e}/api`,
      `/runners/${e}`,
      `/tasks/${e}`,
      `/calls/${e}`,
      `/calls/?call_id_key=${e}`,
      `/workflows/${e}`,
      `/workflows/runs/${e}`,
      `/events/${e}`,
      `/events/${e}/trace`,
      `/events/?event_code=${e}`,
      `/events/?matched=${e}`,
      `/trigger-runs/${e}`,
      `/trigger-runs/${e}/api`,
      `/trigger-runs/?task=${e}&trigger=${e}`,
      `/trigger-runs/?kind=${e}&start=${e}`,
      `/trigger-runs/condition?condition_id=${e}`,
      `/trigger-runs/valid-condition?valid_condition_id=${e}`,
      `/triggers/${e}`,
      `/invocations/${e}/trigger-context`,
      `/switch-app/${e}`,
      `/assets/${e}`,
      `/client-data-store/?reference=${e}`,
      `/?app=${e}`,
      `/invocations/?task_id=${e}`,
      `/invocations/?id_prefix=${e}`,
      `/invocations/?runner=${e}`,
      `/invocations/?workflow_id=${e}`,
      `/invocations/?parent=${e}`,
      `/invocations/?status=${e}`,
      `/invocations/?page=${e}`,
      `/invocations/?start_date=${e}`,
      `/invocations/timeline?selected=${e}&focus_event=${e}`,
      `/invocations/timeline?inv_ids=${e}`,
      `/invocations/timeline?task_id=${e}&runner=${e}&time_range=15m`,
      `/invocations/timeline?start_date=${e}&histogram_status=${e}`,
      `/invocations/timeline?format=${e}`,
      `/invocations/?${e}=1`,
      `/${e}`,
    ];
  };

  it.each(EVIL)("with %j as an id or a value is answered below 500, and escaped", async (evil) => {
    for (const path of paths(evil)) {
      const response = await monitor.get(path, HTML);
      const body = await response.text();
      expect([path, response.status < 500]).toEqual([path, true]);
      if (response.headers.get("content-type")?.startsWith("text/html")) {
        // The value of a form field must stay what it is; everywhere else control characters are marked and markup is escaped.
        const shown = parse(body).querySelector("main")?.textContent ?? "";
        expect([path, body.includes(evil) && /[<"]/.test(evil), UNSEEN.some((c) => shown.includes(c))]).toEqual([
          path,
          false,
          false,
        ]);
      }
      expect(body).not.toMatch(/node_modules|\.ts:\d+|at async/);
    }
  });

  it("in any path and query is answered below 500", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 30 }),
        fc.constantFrom(...paths("@").keys()),
        async (text, index) => {
          const path = paths(text.replaceAll(/\p{Surrogate}/gu, ""))[index] ?? "/";
          const { status } = await monitor.get(path, HTML);
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("in an id of any spelling survives a link", async () => {
    for (const id of ["a/b", "a%b", "a#b", "a:b", "a b", "日本", "a?b", "a&b=c", `a"b`, "<b>"]) {
      const response = await monitor.get(`/invocations/${encodeURIComponent(id)}/api`);
      const { detail } = (await response.json()) as { detail: string };
      expect([id, detail]).toEqual([id, `No invocation ${JSON.stringify(id)} in this store.`]);
    }
  });
});

describe("hostile data", () => {
  const id = `evil/</td><script>alert("1")</script>`;
  const task = `shop."><b>mod.fn</b>`;
  let monitor: Monitor;
  let remove: () => void;

  beforeAll(async () => {
    const folder = temporaryFolder();
    remove = folder.remove;
    const path = copyFixture("kitchen_sink.db", folder.path);
    plant(path);
    monitor = await monitorAt(path, "in process", { alone: "kitchen_sink", now: presentOf("kitchen_sink.db") });
  });
  afterAll(async () => {
    await monitor.close();
    remove();
  });

  /** One invocation with everything wrong that data can have. */
  function plant(path: string): void {
    const at = presentOf("kitchen_sink.db");
    const row = (table: string, values: Parameters<typeof insert>[2]) => insert(path, table, values);
    row("state_backend_invocations", {
      invocation_id: id,
      call_id_key: `${task}:no_args`,
      task_id_key: task,
      arguments_id: "no_args",
      serialized_arguments: "{not json <script>",
      parent_invocation_id: "gone-parent",
      parent_event_id: "gone-event",
      workflow_id: "gone-workflow",
      workflow_type_key: task,
    });
    row("orchestrator_invocations", {
      invocation_id: id,
      task_id_key: task,
      call_id_key: `${task}:no_args`,
      status: "teleported",
      status_runner_id: "gone-runner",
      status_timestamp: at - 1,
      retry_count: 99,
    });
    row("state_backend_history", {
      invocation_id: id,
      history_timestamp: at - 2,
      history_status: "success",
      history_json: "{broken",
    });
    row("state_backend_history", {
      invocation_id: id,
      history_timestamp: at - 1,
      history_status: "registered",
      history_json: JSON.stringify({
        runner_context_id: `gone"runner</b>`,
        status_record: { runner_id: null },
        registered_by_inv_id: "gone",
      }),
    });
    row("state_backend_results", { invocation_id: id, result_data: `"${"<b>x</b>".repeat(130_000)}"` });
    row("state_backend_exceptions", { invocation_id: id, exception_data: "NaN</pre><script>" });
    row("orchestrator_blocking_edges", { waiter_id: id, waited_id: "gone-too" });
    row("broker_message_queue", { invocation_id: "gone-queued" });
  }

  it("is shown on the page of its invocation as text, never as markup", async () => {
    const response = await monitor.get(`/invocations/${encodeURIComponent(id)}`, HTML);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).not.toContain("<b>");
    expect(parse(html).querySelectorAll("script:not([src])")).toEqual([]);
    expect(html.length).toBeLessThan(300_000);
    const detail = await monitor.json<InvocationDetail>(`/invocations/${encodeURIComponent(id)}`);
    expect(detail).toMatchObject({
      status: "teleported",
      arguments_unreadable: "{not json <script>",
      retry_count: 99,
      parent_event_id: "gone-event",
    });
    expect(detail.history.map((entry) => entry.possible)).toEqual([false, false]);
    expect(detail.history.map((entry) => entry.runner?.context_missing ?? null)).toEqual([null, true]);
    expect(detail.parent?.status_source).toBe("none");
    expect(detail.notes.length).toBeGreaterThan(1);
  });

  it("with an unknown status is counted, listed and filtered by it", async () => {
    const { statuses } = await monitor.json<{ statuses: { status: string; count: number; known: boolean }[] }>("/");
    expect(statuses).toContainEqual({ status: "teleported", count: 1, final: false, known: false });
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?status=teleported",
    );
    expect(invocations.map((row) => row.invocation_id)).toEqual([id]);
  });

  it.each([
    "/",
    "/broker/",
    "/broker/queue",
    "/orchestrator/",
    "/tasks/",
    "/invocations/",
    "/invocations/timeline",
    `/invocations/timeline?inv_ids=${encodeURIComponent(id)}`,
    "/workflows/",
    "/state-backend/",
  ])("does no harm on the page %s", async (path) => {
    const response = await monitor.get(path, HTML);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).not.toContain("<b>");
    expect(parse(html).querySelectorAll("script:not([src])")).toEqual([]);
  });

  it("is drawn in a timeline with lanes for unknown runners, and saved as well-formed XML", async () => {
    const address = `/invocations/timeline?inv_ids=${encodeURIComponent(id)}`;
    const root = parse(await monitor.text(address));
    const strands = root.querySelectorAll(".strand");
    expect(strands.map((strand) => strand.getAttribute("data-invocation-id"))).toEqual([id, id]);
    expect(strands.map((strand) => strand.getAttribute("href"))).toEqual(
      new Array(2).fill(`/invocations/${encodeURIComponent(id)}`),
    );
    const lanes = root.querySelectorAll(".lane-label").map((lane) => lane.getAttribute("data-runner-id") ?? null);
    expect(lanes).toEqual([`gone"runner</b>`, null]);
    const svg = await (await monitor.get(`${address}&format=svg`)).text();
    expect(svg).not.toContain("<b>");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML must not have them
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
  });

  it("is exported to CSV without cells that a spreadsheet would compute", async () => {
    const csv = await (await monitor.get("/invocations/export?format=csv&status=teleported")).text();
    expect(csv).toContain(`"evil/</td><script>alert(""1"")</script>"`);
  });
});
