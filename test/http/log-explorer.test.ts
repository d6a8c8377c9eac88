/** The log explorer over HTTP: what lines name against what the store holds, both ways of sending them, and hostile logs. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { LogExploration, ReferenceGroup } from "../../src/api/logs.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import { changes, contentsOf } from "../support/contents.ts";
import { copyFixture, fixturePath, temporaryFolder } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorAt, monitorOf, testMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const PATH = "/log-explorer/";
const LOG = readFileSync(fixturePath("kitchen_sink.log"), "utf8");
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

function posted(
  monitor: Monitor,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return monitor.get(PATH, { method: "POST", headers: { origin: monitor.origin, ...headers }, body });
}

async function explored(monitor: Monitor, log: string, more: Record<string, string> = {}): Promise<LogExploration> {
  const response = await posted(monitor, { log, ...more });
  expect(response.status).toBe(200);
  return (await response.json()) as LogExploration;
}

async function pageOf(monitor: Monitor, log: string, more: Record<string, string> = {}) {
  const response = await posted(monitor, { log, ...more }, { accept: "text/html" });
  expect(response.status).toBe(200);
  return parse(await response.text());
}

const group = (exploration: LogExploration, kind: string): ReferenceGroup | undefined =>
  exploration.references.find((one) => one.kind === kind);

/** A line about these, at a second of the fixture's window. */
const line = (second: string, words: string) =>
  `2026-11-21 00:34:${second}+00:00 INFO     pynenc.kitchen_sink ${words}`;

describeWithMonitor(
  "the log explorer",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    it("reads an uploaded log in the encoding of its byte-order mark", async () => {
      const text = `${line("45.0", "Grüße an task:tasks.add")}\n`;
      const marked = Buffer.from(`\ufeff${text}`, "utf16le");
      for (const bytes of [marked, Buffer.from(marked).swap16(), Buffer.from(`\ufeff${text}`), Buffer.from(text)]) {
        const body = new FormData();
        body.set("log", new Blob([new Uint8Array(bytes)]), "worker.log");
        const request = { method: "POST", headers: { origin: monitor().origin }, body };
        const found = (await (await monitor().get(PATH, request)).json()) as LogExploration;
        expect(found.entries.map((one) => one.text)).toEqual([text.trimEnd()]);
        expect(group(found, "task")?.references.map((one) => one.id)).toEqual(["tasks.add"]);
      }
    });

    it("finds the things of a real log in the store, by kind", async () => {
      const found = await explored(monitor(), LOG, { page_size: "1000" });
      expect(found.totals).toMatchObject({ characters: LOG.length, entries: 1415, others: 23 });
      expect(found.page).toMatchObject({ total: 1415, last_row: 1000, has_next: true });
      // Lines of the second app name things that the first does not know.
      expect(found.notes).toEqual([expect.stringContaining("pynenc.kitchen-sink.two/β")]);
      const { invocations } = await monitor().json<InvocationList>("/invocations/?limit=1000");
      const stored = new Map(invocations.map((row) => [row.invocation_id, row]));
      const distinct = new Set(
        [...LOG.matchAll(/(?<![\w-])(?:source-|triggered-)?invocation:([0-9a-f-]{36})/g)].map((match) => match[1]),
      );
      const shown = new Map(
        found.entries.flatMap((entry) => entry.references.map((one) => [`${one.kind} ${one.id}`, one])),
      );
      let known = 0;
      for (const reference of shown.values()) {
        if (reference.kind !== "invocation") continue;
        const row = stored.get(reference.id);
        expect([reference.id, reference.state]).toEqual([reference.id, row === undefined ? "unknown" : "known"]);
        if (row === undefined) continue;
        known++;
        expect([reference.status, reference.task_id_key]).toEqual([row.status, row.task_id_key]);
      }
      expect(known).toBeGreaterThan(100);
      expect(group(found, "invocation")?.count).toBeGreaterThanOrEqual(distinct.size);
      const unknown = [...distinct].filter((id) => !stored.has(id ?? "")).length;
      expect(group(found, "invocation")?.unknown).toBe(unknown);
    });

    it("offers the runners that a short id may mean, and says which ids are unknown", async () => {
      const { runners } = await monitor().json<RunnerList>("/runners/?show=all&limit=200");
      const [first = ""] = runners
        .map((runner) => runner.runner_id[0] ?? "")
        .sort(
          (a, b) =>
            runners.filter((r) => r.runner_id[0] === b).length - runners.filter((r) => r.runner_id[0] === a).length,
        );
      const alike = runners
        .map((runner) => runner.runner_id)
        .filter((id) => id.startsWith(first))
        .sort();
      expect(alike.length).toBeGreaterThan(1);
      const middle = (alike[0] ?? "").slice(4, 17);
      const log = line("45.0", `[TR(${first})] invocation:${UNKNOWN} worker:ffffffff task:no.such [TR(${middle})]`);
      const page = await pageOf(monitor(), log);
      expect(page.querySelectorAll(".log-choices a").map((a) => a.getAttribute("href"))).toEqual(
        alike.slice(0, 10).map((id) => `/runners/${encodeURIComponent(id)}`),
      );
      expect(page.querySelectorAll(".log-unknown").map((span) => span.text)).toEqual([UNKNOWN, "ffffffff", "no.such"]);
    });

    it("shows every line in full, with links to pages", async () => {
      const log = LOG.split("\n")
        .filter((text) => /trigger\.condition\.matched|events:\[|sub-workflow/.test(text))
        .slice(0, 12)
        .join("\n");
      const page = await pageOf(monitor(), log);
      const lines = page.querySelectorAll(".log-line .log-body > .log-text");
      expect(lines.map((one) => one.textContent)).toEqual(log.split("\n"));
      const hrefs = [...new Set(page.querySelectorAll(".log-reference").map((a) => a.getAttribute("href") ?? ""))];
      const kinds = new Set(page.querySelectorAll("[data-kind]").map((one) => one.getAttribute("data-kind")));
      expect([...kinds].sort()).toEqual([
        "atomic_service_run",
        "condition",
        "event",
        "invocation",
        "runner",
        "task",
        "trigger",
        "trigger_run",
        "valid_condition",
        "workflow",
      ]);
      for (const href of hrefs) expect([href, (await monitor().get(href)).status]).toEqual([href, 200]);
    });

    it("shows the next page with a button that sends the log along", async () => {
      const page = await pageOf(monitor(), LOG, { level: "info" });
      expect(page.querySelectorAll(".log-line")).toHaveLength(200);
      const next = page.querySelector("nav.pager button[name=page]");
      expect([next?.getAttribute("value"), next?.getAttribute("form")]).toEqual(["2", "log-form"]);
      const form = page.querySelector("form#log-form");
      expect([form?.getAttribute("method"), form?.getAttribute("action")]).toEqual(["post", PATH]);
      // The parser of tests keeps the line end that one of browsers drops.
      expect(form?.querySelector("textarea")?.textContent).toBe(`\n${LOG}`);
      expect(page.querySelector(".pager-text")?.text).toMatch(/^1–200 of 1,\d{3}$/);
    });

    it("reads a file, a plain form and a JSON body alike", async () => {
      const log = line("45.0", "[TR(b6276e23)] x");
      const file = new FormData();
      file.set("file", new File([log], "worker.log", { type: "text/plain" }));
      file.set("log", "");
      const origin = { origin: monitor().origin };
      const answers = await Promise.all([
        monitor().get(PATH, { method: "POST", headers: origin, body: file }),
        monitor().get(PATH, { method: "POST", headers: origin, body: new URLSearchParams({ log }) }),
        monitor().post(PATH, { log }),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        expect(((await answer.json()) as LogExploration).entries.map((entry) => entry.text)).toEqual([log]);
      }
      const broken = await monitor().get(PATH, {
        method: "POST",
        headers: { ...origin, "content-type": "multipart/form-data; boundary=x" },
        body: "no parts",
      });
      expect(broken.status).toBe(400);
    });

    it("can be asked by an address with a short log", async () => {
      const short = line("45.0", "[TR(b6276e23)] runner:x");
      const query = new URLSearchParams({ log: `${short}\n${short.replace("INFO", "ERROR")}`, level: "error" });
      const got = await monitor().json<LogExploration>(`${PATH}?${query}`);
      expect(got.entries.map((entry) => entry.level)).toEqual(["error"]);
    });

    it("shows an empty form, and refuses an unknown level", async () => {
      expect(parse(await monitor().text(PATH)).querySelectorAll("form#log-form, .log-line")).toHaveLength(1);
      expect(await monitor().json(PATH)).toMatchObject({
        totals: { entries: 0 },
        entries: [],
        timeline: null,
        notes: [],
      });
      expect((await posted(monitor(), { log: "x", level: "loud" })).status).toBe(400);
      expect((await posted(monitor(), { log: "x", colour: "red" })).status).toBe(400);
      expect((await explored(monitor(), "x", { page: "9" })).entries).toEqual([]);
    });
  },
);

describe("a log in the log explorer", () => {
  it("is accepted in read-only mode, from the monitor's own pages only, and nothing changes", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP, readOnly: true }));
    const before = contentsOf(monitor.path);
    expect((await explored(monitor, LOG)).totals.entries).toBe(1415);
    for (const origin of ["http://evil.example", "null"]) {
      expect((await posted(monitor, { log: "x" }, { origin })).status).toBe(403);
    }
    expect((await posted(monitor, { log: "x" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });

  it("has its own size limit, which is checked before and while it is read", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "over a socket", { alone: APP }));
    const megabytes = (n: number) => `${"x".repeat(1_048_575)}\n`.repeat(n);
    const { totals, entries } = await explored(monitor, megabytes(9));
    expect(totals.characters).toBe(9 * 1_048_576);
    expect(entries[0]?.characters_left_out).toBeGreaterThan(9_000_000);
    expect((await posted(monitor, { log: megabytes(10) })).status).toBe(413);
    // Without a length in front: too long is told while it comes, and the server goes on.
    const sent = await new Promise<number | undefined>((resolve) => {
      const { port } = new URL(monitor.origin);
      const headers = { origin: monitor.origin, "content-type": "application/x-www-form-urlencoded" };
      const client = request({ host: "127.0.0.1", port, path: PATH, method: "POST", headers }, (answer) => {
        resolve(answer.statusCode);
        client.destroy();
      });
      client.on("error", () => resolve(undefined));
      for (let n = 0; n < 12; n++) client.write(megabytes(1));
    });
    expect(sent).toBe(413);
    expect((await monitor.get("/health")).status).toBe(200);
  });

  it("is shown as text: markup, control characters, bidirectional characters and odd ids", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP }));
    const evil = `</textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;
    const log = [
      line(
        "45.0",
        `[TR(b6276e23)] ${evil}\u202e\u0007 invocation:javascript:alert(1) task:a/../b%2F#?c runner:<script>`,
      ),
      `{"text": ${JSON.stringify(line("46.0", `event:${evil}`))}, "exception": ${JSON.stringify(evil)}}`,
      "\u001b[2J\u001b]0;title\u0007\u001b[",
    ].join("\n");
    const page = await pageOf(monitor, log);
    const main = page.querySelector("main");
    expect(main?.querySelectorAll("script, img")).toHaveLength(0);
    expect(page.querySelectorAll(".log-line")).toHaveLength(2);
    const shown = page
      .querySelectorAll(".log-line")
      .map((one) => one.textContent)
      .join("\n");
    expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cf}|\p{Cc}/u);
    expect(shown).toContain("⟨U+202E⟩␇");
    for (const a of main?.querySelectorAll("a") ?? []) expect(a.getAttribute("href")).toMatch(/^\/|^#/);
  });

  it("is read where no events are recorded, and for an app without data", async () => {
    const old = await testMonitor(monitorOf("kitchen_sink_023.db", "in process", { alone: APP }));
    const log = readFileSync(fixturePath("kitchen_sink_023.log"), "utf8");
    const found = await explored(old, log);
    expect(found.totals.entries).toBeGreaterThan(1_000);
    expect(group(found, "invocation")?.references.filter((one) => one.state === "known").length).toBeGreaterThan(10);
    const foreign = await explored(old, LOG);
    for (const kind of ["event", "trigger_run"]) {
      const { count = 0, unknown } = group(foreign, kind) ?? {};
      expect([kind, count > 5, unknown]).toEqual([kind, true, count]);
    }
  });
});

it("a log that names ids of another app links to the log explorer of that app", async () => {
  const folder = temporaryFolder();
  const monitor = await monitorAt(copyFixture("cases/two_apps_023.db", folder.path), "in process", { app: "alpha" });
  try {
    const [ofBeta, ofAlpha] = ["339b6714-fe62-4f2f-a971-7a9a90085dca", "018da0d2-b0e3-4eb2-8522-43b54e22e336"];
    const words = (id: string) => `2026-11-27 07:00:00+00:00 INFO invocation:${id} done`;
    const log = [words(ofBeta), words(ofAlpha), words(UNKNOWN)].join("\n");
    const page = await pageOf(monitor, log);
    expect(page.text).toContain("1 of the ids that are not in this app is in the app beta.");
    const button = page.querySelector('button[form="log-form"][formaction]');
    const there = button?.getAttribute("formaction") ?? "";
    expect(there).toBe("/log-explorer/?app=beta");
    const body = new FormData();
    body.set("log", log);
    const answer = await monitor.get(there, { method: "POST", headers: { origin: monitor.origin }, body });
    const found = group((await answer.json()) as LogExploration, "invocation")?.references;
    expect(found?.filter(({ state }) => state === "known").map(({ id }) => id)).toEqual([ofBeta]);
    expect((await pageOf(monitor, words(ofAlpha))).querySelector("button[formaction]")).toBeNull();
    // Of each kind, the ids that most entries name are looked up there.
    const strangers = Array.from({ length: 50 }, (_, n) => words(UNKNOWN.replace(/.{2}$/, String(10 + n))));
    const { text } = await pageOf(monitor, [words(ofBeta), words(ofBeta), ...strangers].join("\n"));
    expect(text).toContain("At least 1 of the ids that are not in this app is in the app beta.");
  } finally {
    await monitor.close();
    folder.remove();
  }
});
