/** `monitor top` and `--watch` on a terminal, and what they do without one. */
import { renameSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";
import { HAS_TERMINAL, KEYS, onScreen } from "./terminal.ts";

const folder = sharedFolder();
const db = ownCopy("kitchen_sink.db", folder);
const here = ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];

/** Enters the second screen, hides the cursor and lets the terminal cut lines; and all of it undone. */
const ENTERED = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEFT = "\u001b[?7h\u001b[?25h\u001b[?1049l";

describe("monitor top without a terminal", () => {
  test("prints one screen with --once, and one document with --json", async () => {
    const once = await monitor([...here, "top", "--once"]);
    expect([once.code, once.stderr]).toEqual([0, ""]);
    expect(once.stdout).toMatch(/^kitchen_sink {2}.*last 1h\n/);
    expect(once.stdout).toMatch(/^Nothing looks wrong(\.| in what was checked\. Not checked: .*)$/m);
    expect(once.stdout).toMatch(/^ {2}tasks\.leaf +\d+ +[1-9]/m);
    const { stdout } = await monitor([...here, "top", "--json", "--sort", "p95", "--range", "24h"]);
    expect(JSON.parse(stdout)).toMatchObject({ app_id: "kitchen_sink", workers: expect.any(Array) });
  });

  test.each([
    [["top"], "top needs a terminal"],
    [["top", "--once", "--sort", "wrong"], "--sort"],
    [["top", "--once", "--range", "wrong"], "--range"],
    [["runners", "--watch"], "--watch needs a terminal"],
    [["runners", "--watch", "0"], "--watch"],
    [["runners", "--watch", "--json"], "--json"],
    [["invocations", "--watch", "--format", "csv"], "--format"],
    [["invocations", "--watch", "--follow"], "--watch"],
    [["invocations", "--follow", "--limit", "3"], "--limit"],
    [["invocations", "--follow", "--since", "1h"], "--since"],
    [["events", "--follow", "--matched", "yes"], "--matched"],
  ])("exits with 2 for %j", async (args, words) => {
    const { code, stdout, stderr } = await monitor([...here, ...args]);
    expect([code, stdout.trim().startsWith("{") ? "" : stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
  });
});

describe.skipIf(!HAS_TERMINAL)("on a terminal (needs script of util-linux)", () => {
  test("top lists tasks, opens one, goes back, sorts, filters and restores the terminal", async () => {
    const run = await onScreen(
      [...here, "top", "--range", "24h"],
      [
        { when: /TASK .*FAILED↓[\s\S]*q quit/, keys: "j" },
        { when: /^> /m, keys: "\r" },
        { when: /Esc back/, keys: "q" },
        { when: /FAILED↓[\s\S]*q quit/, keys: "s" },
        { when: /FINISHED↓[\s\S]*q quit/, keys: "/zzz\r" },
        { when: /only "zzz"[\s\S]*q quit/, keys: "q" },
      ],
    );
    expect([run.code, run.frames.length]).toEqual([0, 6]);
    expect(run.frames[2]).toMatch(/^Invocations +\d+$/m);
    expect(run.written).toContain(ENTERED);
    expect(run.written.endsWith(LEFT)).toBe(true);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("top restores the terminal on %s and exits with %i", async (signal, code) => {
    const run = await onScreen([...here, "top"], [{ when: /q quit/, keys: "" }], signal);
    expect([run.code, run.written.endsWith(LEFT)]).toEqual([code, true]);
  });

  test("status --watch has the problems above the counts, so that a low screen shows them", async () => {
    const run = await onScreen(
      [...here.slice(0, 4), "status", "--watch", "0.2"],
      [{ when: /q ends[\s\S]*Problems/, keys: "q" }],
    );
    const [frame = ""] = run.frames;
    expect([run.code, frame.indexOf("Problems") < `${frame}COUNT`.indexOf("COUNT")]).toEqual([0, true]);
  });

  test("--watch prints a list repeatedly, says when the store is away, and ends with Ctrl-C", async () => {
    const run = await onScreen(
      [...here, "runners", "--all", "--watch", "0.2"],
      [
        { when: /every 0.2 s; q ends[\s\S]*RUNNER/, keys: () => renameSync(db, `${db}.away`) },
        { when: /every 0.2 s; q ends[\s\S]*does not exist/, keys: () => renameSync(`${db}.away`, db) },
        { when: /every 0.2 s; q ends[\s\S]*RUNNER/, keys: KEYS.interrupt },
      ],
    );
    expect([run.code, run.frames.length]).toEqual([0, 3]);
    expect(run.written.endsWith(LEFT)).toBe(true);
  });
});
