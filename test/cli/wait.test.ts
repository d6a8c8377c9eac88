/** `monitor wait` on a real store, with a writer. */
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
let db: string;
let here: string[];
let rows: { id: string; status: string }[];
beforeAll(async () => {
  db = ownCopy("kitchen_sink.db", folder);
  here = ["--db", db, "--app", "kitchen_sink", "wait"];
  const { stdout } = await monitor(["--db", db, "--app", "kitchen_sink", "invocations", "--limit", "100", "--json"]);
  rows = JSON.parse(stdout).invocations.map((row: { invocation_id: string; status: string }) => ({
    id: row.invocation_id,
    status: row.status,
  }));
});

const idWith = (status: string) => rows.find((row) => row.status === status)?.id ?? `none is ${status}`;

describe("monitor wait", () => {
  test("ends at once for invocations that have ended, with one line for each", async () => {
    const [well, failed] = [idWith("success"), idWith("failed")];
    const run = await monitor([...here, well.slice(0, 8), failed]);
    expect([run.code, run.stdout.split("\n").filter((line) => / (?:success|failed)\s*$/.test(line)).length]).toEqual([
      0, 2,
    ]);
    expect((await monitor([...here, failed, "--for", "success"])).code).toBe(1);
    expect((await monitor([...here, failed, "--for", "running"])).code).toBe(0);
  });

  test("exits with 124 when the time is up", async () => {
    const run = await monitor([...here, idWith("running"), "--timeout", "300ms", "--json"]);
    expect([run.code, JSON.parse(run.stdout).outcome]).toEqual([124, "timed_out"]);
  });

  test("ends when another process writes the awaited status", async () => {
    const id = idWith("paused");
    const waiting = monitor([...here, id, "--json"]);
    const writer = openDatabase(db, { mode: "write" });
    const names = writer
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%kitchen_sink%__orchestrator_invocations'",
      )
      .all() as { name: string }[];
    expect(names.length).toBeGreaterThan(0);
    for (const { name } of names) {
      writer.prepare(`UPDATE "${name}" SET status = 'success' WHERE invocation_id = ?`).run(id);
    }
    writer.close();
    const run = await waiting;
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([
      0,
      { outcome: "reached", invocations: [{ status: "success" }] },
    ]);
  });

  test("says how they ended that did not succeed", async () => {
    const run = await monitor([...here, idWith("failed")]);
    expect([run.code, run.stderr]).toEqual([0, "Ended: failed.\n"]);
    const both = await monitor([...here, idWith("failed"), idWith("success")]);
    expect([both.code, both.stderr]).toEqual([0, "Ended: 1 failed, 1 success.\n"]);
  });

  test("exits with 3 for unknown ids, and with 2 for an unknown goal", async () => {
    expect((await monitor([...here, "00000000-0000-0000-0000-000000000000"])).code).toBe(3);
    const run = await monitor([...here, idWith("success"), "--for", "failed"]);
    expect([run.code, run.stderr.includes("--for")]).toEqual([2, true]);
  });
});
