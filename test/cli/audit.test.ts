/** One record for what is done on the terminal and in the browser, which outlives both. */
import { readdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parse } from "node-html-parser";
import { beforeEach, describe, expect, test } from "vitest";
import type { AuditPage } from "../../src/api/audit.ts";
import { contentsOf } from "../support/contents.ts";
import { presentOf } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import {
  BIN,
  cleanEnvironment,
  monitor as command,
  ownCopy,
  presentOption,
  type Run,
  sharedFolder,
} from "./monitor.ts";

const folder = sharedFolder();
const APP = "kitchen_sink";

describe("the record of actions", () => {
  let path: string;
  let stateDir: string;
  beforeEach(() => {
    path = ownCopy("kitchen_sink.db", folder);
    stateDir = join(dirname(path), "state");
  });

  function run(args: readonly string[], app = APP, env: Record<string, string> = {}): Promise<Run> {
    const place = ["--db", path, "--app", app, "--now", presentOption("kitchen_sink.db")];
    return command([...place, "--state-dir", stateDir, ...args], { env });
  }

  async function listed(...args: string[]): Promise<AuditPage> {
    return JSON.parse((await run(["audit", "--json", ...args])).stdout) as AuditPage;
  }

  async function served<T>(work: (monitor: Monitor) => Promise<T>): Promise<T> {
    const monitor = await monitorAt(path, "over a socket", { app: APP, stateDir, now: presentOf("kitchen_sink.db") });
    try {
      return await work(monitor);
    } finally {
      await monitor.close();
    }
  }

  test("has what was done on the terminal and in the browser, and both show all of it", async () => {
    expect((await run(["purge", "broker", "--yes"])).code).toBe(0);
    await served(async (monitor) => {
      expect((await monitor.post("/events/auto-purge", { event_max_records: 5 })).status).toBe(200);
      expect((await monitor.post("/invocations/none/rerun")).status).toBe(404);
    });
    expect((await run(["purge", "broker", "--yes"], "kitchen-sink.two/β")).code).toBe(0);

    const list = await listed();
    expect(list).toMatchObject({ app_id: APP, location: path, file: join(stateDir, "audit.jsonl"), notes: [] });
    expect(list.entries).toMatchObject([
      { action: "rerun", outcome: "refused", via: "server", who: "127.0.0.1", counters: {} },
      { action: "auto-purge events", outcome: "done", via: "server", counters: { events_by_capacity: 10 } },
      { action: "purge broker", outcome: "done", via: "cli", who: userInfo().username, counters: { deleted: 7 } },
    ]);
    // A server that is started later shows the same.
    await served(async (monitor) => {
      expect((await monitor.json<AuditPage>("/audit")).entries).toEqual(list.entries);
      const page = parse(await monitor.text("/audit"));
      expect(page.querySelectorAll("main tbody tr")).toHaveLength(3);
      expect(page.querySelector("main")?.text).toContain(join(stateDir, "audit.jsonl"));
      expect(page.querySelector('nav a[href^="/audit"]')?.text).toContain("Audit");
      expect((await monitor.json<AuditPage>("/audit?limit=2&page=2")).entries).toEqual(list.entries.slice(2));
    });
    // Never beside the store: the test put it there itself, and nothing else has come.
    expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("kitchen_sink.db"))).toEqual(["state"]);
  });

  test("marks what an assistant changed, on the terminal, in JSON and on the page", async () => {
    const place = ["--db", path, "--app", APP, "--now", presentOption("kitchen_sink.db"), "--state-dir", stateDir];
    const client = new Client({ name: "test", version: "1" });
    const args = [BIN, "mcp", "--allow-actions", ...place];
    const env = cleanEnvironment() as Record<string, string>;
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
    const call = async (name: string, given: Record<string, unknown>) => {
      const { structuredContent } = await client.callTool({ name, arguments: given });
      // biome-ignore lint/suspicious/noExplicitAny: answers of two tools
      return structuredContent as any;
    };
    try {
      const { token } = await call("preview_purge", { target: "broker" });
      expect((await call("confirm", { token })).answer).toMatchObject({ success: true, deleted: 7 });
    } finally {
      await client.close();
    }
    expect((await listed()).entries).toMatchObject([
      { action: "purge broker", outcome: "done", via: "agent", who: userInfo().username, counters: { deleted: 7 } },
    ]);
    expect((await run(["audit"])).stdout).toMatch(/purge broker +done +\S+ \(assistant\) +Purged the broker queue/);
    await served(async (monitor) => {
      const rows = parse(await monitor.text("/audit")).querySelectorAll("main tbody tr");
      expect(rows.map((row) => row.querySelectorAll("td").at(-1)?.text)).toEqual(["assistant"]);
    });
  });

  test("has every refused action, and no preview", async () => {
    const { stdout } = await run(["invocations", "status:success", "--limit", "1", "--json"]);
    const id = JSON.parse(stdout).invocations[0].invocation_id;
    for (const action of [["requeue", id], ["purge", "broker"], ["auto-purge"], ["rerun", id]]) {
      const refused = await run([...action, "--yes"], APP, { PYNENC_MONITOR_READ_ONLY: "1" });
      expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("Nothing was changed.")]);
      await run([...action, "--dry-run"], APP, { PYNENC_MONITOR_READ_ONLY: "1" });
    }
    expect((await run(["requeue", id, "--yes"])).code).toBe(5);
    const { entries } = await listed();
    expect(entries.map(({ action, outcome, via }) => [action, outcome, via])).toEqual(
      ["requeue", "rerun", "auto-purge orchestrator and events", "purge broker", "requeue"].map((action) => [
        action,
        "refused",
        "cli",
      ]),
    );
    expect(entries[0]?.message).toContain("final");
    expect(entries[1]?.message).toContain("read-only");
  });

  test("is printed as a table, in pages", async () => {
    expect((await run(["audit"])).stderr).toBe("No actions yet.\n");
    for (let i = 0; i < 3; i++) await run(["purge", "broker", "--yes", "--quiet"]);
    const { code, stdout, stderr } = await run(["audit", "--limit", "2"]);
    expect([code, stderr]).toEqual([0, "Actions 1 to 2 of 3. Next: --page 2\n"]);
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^WHEN \(UTC\) +ACTION +OUTCOME +WHO +WHAT HAPPENED$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(
      /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +purge broker +done +\S+ \(terminal\) +Purged the broker queue/,
    );
    expect((await run(["audit", "--limit", "0"])).code).toBe(2);
  });

  test("does not stop an action when it cannot be written", async () => {
    writeFileSync(stateDir, "a file in the place of the folder");
    const before = contentsOf(path);
    const { code, stdout, stderr } = await run(["purge", "broker", "--yes"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("Purged the broker queue of kitchen_sink: 7 rows")]);
    expect(stderr).toContain(`The action is not in the record of actions: ${join(stateDir, "audit.jsonl")} cannot be`);
    expect(contentsOf(path)).not.toEqual(before);
    await served(async (monitor) => {
      expect((await monitor.post("/broker/purge")).status).toBe(200);
      expect(monitor.warnings.join()).toContain("Use --state-dir to name another folder");
      const { entries, notes } = await monitor.json<AuditPage>("/audit");
      expect([entries.length, notes.join()]).toEqual([1, expect.stringContaining("only what this monitor did")]);
    });
    const list = await listed();
    expect([list.entries, list.notes.join()]).toEqual([[], expect.stringContaining("cannot be read")]);
  });
});
