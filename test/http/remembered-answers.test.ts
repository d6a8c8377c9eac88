/** Pages of an unchanged store are given again for a second; everything that may change them is seen at the next request. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppVerdictCode, Mute } from "../../src/api/verdicts.ts";
import { RememberedAnswers } from "../../src/http/remembered-answers.ts";
import { MuteFile, NO_MUTES } from "../../src/mutes/mute-file.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import { countStatements, type Statements, sum } from "../support/statements.ts";

const HTML = { headers: { accept: "text/html" } };
const STATUSES = `"${tablePrefix("kitchen_sink")}__orchestrator_invocations"`;

describe("the page of a store that another process may change", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let path: string;
  let monitor: Monitor;
  let statements: Statements;
  let now: number;

  beforeEach(async () => {
    now = presentOf("kitchen_sink.db");
    vi.spyOn(Date, "now").mockImplementation(() => now * 1000);
    // The clock of the machine stands still, so that a busy machine forgets nothing.
    vi.spyOn(performance, "now").mockReturnValue(0);
    folder = temporaryFolder();
    path = copyFixture("kitchen_sink.db", folder.path);
    monitor = await monitorAt(
      path,
      "in process",
      { app: "kitchen_sink", stateDir: folder.path, env: { PYNENC_MONITOR_STATE_DIR: folder.path } },
      () => undefined,
    );
    statements = countStatements();
  });

  afterEach(async () => {
    statements.stop();
    vi.restoreAllMocks();
    await monitor.close();
    folder.remove();
  });

  async function page(address: string, headers: Record<string, string> = {}) {
    const response = await monitor.get(address, { headers: { ...HTML.headers, ...headers } });
    const nonce = /nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1] ?? "";
    const text = await response.text();
    const nonces = text.split(nonce).length - 1;
    return {
      text: text.replaceAll(nonce, ""),
      nonce,
      nonces,
      headers: response.headers,
      statements: sum(statements.taken()),
    };
  }

  function change(sql: string): void {
    const db = openDatabase(path, { mode: "write" });
    db.exec(sql);
    db.close();
  }

  it.each([
    "/",
    "/broker/",
    "/tasks/",
    "/invocations/",
    "/runners/",
    "/workflows/runs",
    "/events/",
    "/invocations/timeline",
  ])("%s reads nothing for the second of two readers, whose page has a nonce of its own", async (address) => {
    // What a server reads in the background, it reads for the first answer.
    await page(address, { "if-none-match": "another" });
    const first = await page(address);
    const second = await page(address);
    expect(first.statements).toBeGreaterThan(0);
    expect(second.statements).toBe(0);
    expect(second.nonce).not.toBe(first.nonce);
    expect(first.nonces).toBeGreaterThan(2);
    expect(second.nonces).toBe(first.nonces);
    expect(second.text).toBe(first.text);
  });

  it("shows at the next request what was written meanwhile", async () => {
    const address = "/invocations/?status=failed";
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(address);
    const id = String(invocations[0]?.invocation_id);
    expect((await page(address)).text).toContain(id);
    change(`UPDATE ${STATUSES} SET status = 'success' WHERE invocation_id = '${id}'`);
    expect((await page(address)).text).not.toContain(id);
  });

  it("shows after a second of the clock which runners have fallen silent, although nothing was written", async () => {
    // What a server reads in the background, it reads for the first answer.
    await page("/runners/", { "if-none-match": "another" });
    const before = await page("/runners/");
    now += 0.5;
    expect((await page("/runners/")).statements).toBe(0);
    now += 3_600;
    const after = await page("/runners/");
    expect(after.text).not.toBe(before.text);
  });

  it("is made anew after a second of the machine's clock, although that of the app is fixed", async () => {
    await page("/runners/", { "if-none-match": "another" });
    await page("/runners/");
    vi.mocked(performance.now).mockReturnValue(999);
    expect((await page("/runners/")).statements).toBe(0);
    vi.mocked(performance.now).mockReturnValue(1_001);
    expect((await page("/runners/")).statements).toBeGreaterThan(0);
  });

  it("has other columns for a reader who has chosen some", async () => {
    const usual = await page("/invocations/");
    const chosen = await page("/invocations/", { cookie: "pynenc-monitor-columns=status" });
    expect(chosen.text.length).toBeLessThan(usual.text.length);
    expect((await page("/invocations/")).text.length).toBe(usual.text.length);
  });

  it("is JSON, a part of the page, or the whole page, as the client asks", async () => {
    const whole = await page("/tasks/");
    const json = await page("/tasks/", { accept: "application/json" });
    const part = await page("/tasks/", { "hx-request": "true" });
    expect(JSON.parse(json.text)).toHaveProperty("tasks");
    expect(part.text.length).toBeLessThan(whole.text.length);
    expect(part.text).not.toContain("<html");
  });

  it("is answered with 304 to a client that has this part of it", async () => {
    const etag = (await page("/tasks/", { "hx-request": "true" })).headers.get("etag") ?? "";
    for (const _ of ["made", "remembered"]) {
      const again = await monitor.get("/tasks/", { headers: { "hx-request": "true", "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(again.headers.get("etag")).toBe(etag);
    }
  });

  it("shows at the next request what another process has muted", async () => {
    now += 3_600;
    const before = await page("/");
    const { app_id, verdicts } = await monitor.json<{ app_id: string; verdicts: { code: AppVerdictCode }[] }>("/");
    const mute = { app_id, location: monitor.workspace.store.location, muted_at: isoFromEpoch(now), id: null };
    const until = isoFromEpoch(now + 3_600);
    const mutes = verdicts.map(({ code }): Mute => ({ ...mute, code, until }));
    new MuteFile(folder.path).change(() => true, mutes);
    expect(mutes).not.toEqual([]);
    expect((await page("/")).text).not.toBe(before.text);
  });

  it("lists an action in the audit at once, although it changed nothing in the store", async () => {
    await monitor.post("/broker/purge", { app_id: "kitchen_sink" });
    const before = await page("/audit");
    const file = join(folder.path, "audit.jsonl");
    appendFileSync(file, readFileSync(file));
    expect((await page("/audit")).text).not.toBe(before.text);
  });

  it("shows the outcome of an action only where that redirects to", async () => {
    const body = new URLSearchParams({ app_id: "kitchen_sink" }).toString();
    const headers = {
      accept: "text/html",
      "content-type": "application/x-www-form-urlencoded",
      origin: monitor.origin,
    };
    const done = await monitor.get("/purge", { method: "POST", headers, body });
    const next = done.headers.get("location") ?? "";
    expect((await page(next)).text).toContain("Purged");
    expect((await page(next.replace(/\?.*/, ""))).text).not.toContain("Purged");
  });
});

describe("answers that are remembered", () => {
  const request = {
    pathname: "/",
    search: "",
    wanted: "page" as const,
    nonce: "a".repeat(22),
    headers: new Headers(),
  };
  const store = { isolated: true, version: async () => "1.1" };
  const app = { app_id: "shop", now: () => 0, mutes: NO_MUTES, store };

  /** How many of two requests are answered anew. */
  async function madeOf(one: Partial<typeof request>, other: Partial<typeof request>, of = app, answer = "text") {
    const remembered = new RememberedAnswers(() => 0);
    let made = 0;
    const make = async () => {
      made++;
      return new Response(answer);
    };
    for (const each of [one, other]) await remembered.answer({ ...request, ...each }, of, [], make);
    return made;
  }

  it("are of an unchanged store that is read in snapshots", async () => {
    expect(await madeOf({}, {})).toBe(1);
    expect(await madeOf({}, {}, { ...app, store: { ...store, isolated: false } })).toBe(2);
    expect(await madeOf({}, {}, { ...app, store: { ...store, version: async () => "1.~" } })).toBe(2);
    let version = 0;
    expect(await madeOf({}, {}, { ...app, store: { ...store, version: async () => `1.${version++}` } })).toBe(2);
  });

  it("are of one address, form and part that the client has", async () => {
    expect(await madeOf({}, { pathname: "/tasks/" })).toBe(2);
    expect(await madeOf({}, { search: "?app=x" })).toBe(2);
    expect(await madeOf({}, { headers: new Headers({ "if-none-match": '"x"' }) })).toBe(2);
  });

  it("take a bounded number of bytes", async () => {
    const remembered = new RememberedAnswers(() => 0);
    let made = 0;
    const make = async () => {
      made++;
      return new Response("x".repeat(1024 ** 2));
    };
    const ask = (at: number) => remembered.answer({ ...request, pathname: `/${at}` }, app, [], make);
    for (let at = 0; at < 10; at++) await ask(at);
    await ask(9);
    expect(made).toBe(10);
    await ask(0);
    expect(made).toBe(11);
  });

  it("are not errors", async () => {
    const remembered = new RememberedAnswers(() => 0);
    const statuses = [500, 200];
    const make = async () => new Response("", { status: statuses.shift() ?? 404 });
    expect((await remembered.answer(request, app, [], make)).status).toBe(500);
    expect((await remembered.answer(request, app, [], make)).status).toBe(200);
    expect((await remembered.answer(request, app, [], make)).status).toBe(200);
  });
});
