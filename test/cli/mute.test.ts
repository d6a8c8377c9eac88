/** Muting on the terminal: kept for the next command, without a word to the store. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentsOf } from "../support/contents.ts";
import { copyFixture, temporaryFolder } from "../support/fixtures.ts";
import { monitor } from "./monitor.ts";

const folder = temporaryFolder();
let db = "";
beforeAll(() => {
  db = copyFixture("kitchen_sink.db", folder.path);
});
afterAll(() => folder.remove());

const run = (...args: string[]) =>
  monitor(["--db", db, "--app", "kitchen_sink", "--now", "2026-11-22", "--state-dir", `${folder.path}/state`, ...args]);

describe("monitor mute", () => {
  test("lists mutes without a code, and asks for confirmation with one", async () => {
    expect((await run("mute")).stderr).toContain("Nothing is muted.");
    expect((await run("mute", "unconsumed_queue")).code).toBe(5);
    const dry = JSON.parse((await run("mute", "unconsumed_queue", "--dry-run", "--json")).stdout);
    expect(dry).toMatchObject({ code: "unconsumed_queue", quiet: ["7 messages waiting and no active runner"] });
    expect(JSON.parse((await run("mute", "--json")).stdout).mutes).toEqual([]);
  });

  test("hides a verdict in later commands, and does not change the store", async () => {
    const before = contentsOf(db);
    const errors = async () => {
      const { verdicts } = JSON.parse((await run("status", "--json")).stdout);
      return (verdicts as { severity: string; code: string; muted_until: string | null }[])
        .filter((one) => one.severity === "error" && one.muted_until === null)
        .map(({ code }) => code);
    };
    expect(await errors()).toEqual(["unconsumed_queue", "running_on_dead_runner", "paused_on_dead_runner"]);
    expect((await run("mute", "unconsumed_queue", "--for", "3d", "--yes")).stdout).toBe(
      "Muted unconsumed_queue of kitchen_sink until 2026-11-25 00:00:00 UTC.\n",
    );
    expect(await errors()).toEqual(["running_on_dead_runner", "paused_on_dead_runner"]);
    expect((await run("status")).stdout).toContain("muted until 2026-11-25 00:00:00.000: 7 messages waiting");
    for (const code of ["running_on_dead_runner", "paused_on_dead_runner"]) await run("mute", code, "--yes");
    expect((await run("doctor", "--fail-on", "error")).code).toBe(0);
    expect((await run("doctor")).code).toBe(1);
    const check = await run("check");
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining("3 muted.")]);
    expect((await run("check", "--fail-on", "warning")).code).toBe(1);
    expect((await run("unmute", "unconsumed_queue", "--yes")).stdout).toContain("1 mute of kitchen_sink removed.");
    expect(await errors()).toEqual(["unconsumed_queue"]);
    expect(contentsOf(db)).toEqual(before);
  });

  test("does not ask before it says that there is nothing to unmute", async () => {
    const { code, stderr } = await run("unmute", "stuck_pending");
    expect([code, stderr]).toEqual([0, expect.stringContaining("There is nothing to do.")]);
  });

  test("refuses an unknown verdict, and names what is accepted", async () => {
    const { code, stderr } = await run("mute", "nonsense", "--yes");
    expect([code, stderr]).toEqual([2, expect.stringContaining('code: "nonsense" is not accepted')]);
    expect((await run("mute", "stuck_pending", "--for", "never", "--yes")).stderr).toContain('--for: "never"');
  });
});
