/** `monitor check`: one line and an exit code, for cron and health checks. */
import { beforeAll, describe, expect, test } from "vitest";
import { monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
let ill: string[];
let well: string[];
beforeAll(() => {
  ill = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink", "--now", "2026-11-22", "check"];
  well = ["--db", ownCopy("pending_triggers.db", folder), "--app", "pending_triggers", "--now", "2026-11-22", "check"];
});

describe("monitor check", () => {
  test("prints in one line whether the app is well, and otherwise what is wrong", async () => {
    const run = await monitor(ill);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/^not ok: kitchen_sink: .+\n$/);
    const fine = await monitor(well);
    expect([fine.code, fine.stdout]).toEqual([0, expect.stringMatching(/^ok: pending_triggers: .+\n$/)]);
  });

  test("checks the given limits, and fails if one is exceeded", async () => {
    const all = ["--since", "2020-01-01", "--max-queue-age", "5m"];
    const run = await monitor([...well, ...all, "--max-failed", "100%"]);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining(", within the limit of 100 %.")]);
    const { stdout } = await monitor([...ill, ...all, "--max-failed", "0", "--json"]);
    const { ok, checks, fail_on } = JSON.parse(stdout);
    expect([ok, fail_on, checks.map(({ name }: { name: string }) => name)]).toEqual([
      false,
      "error",
      ["verdicts", "failures", "queue_age"],
    ]);
  });

  test("refuses the name of an unknown task, so that a typing error does not pass as a healthy task", async () => {
    const named = await monitor([...ill, "--max-failed", "1000000", "--since", "2020-01-01", "--task", "nosuchtask"]);
    expect([named.code, named.stdout]).toEqual([3, ""]);
  });

  test.each([
    [["--max-failed", "some"], "--max-failed"],
    [["--since", "2h"], "--max-failed, which is missing"],
    [["--task", "a"], "--task"],
    [["--fail-on", "nothing"], "--fail-on"],
    [["--max-queue-age", "soon"], "--max-queue-age"],
  ])("exits with 2 for %j", async (args, words) => {
    const run = await monitor([...well, ...args]);
    expect([run.stdout, run.stderr.includes(words)]).toEqual(["", true]);
    expect(run.code).toBe(2);
  });

  test("exits with 4 for a missing store", async () => {
    expect((await monitor(["--db", "missing.db", "check"])).code).toBe(4);
  });
});
