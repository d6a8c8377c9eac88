/** What shells offer while a command line is typed: from the program, and from the store that the line names. Never an error. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { copyFixture, factsOf } from "../support/fixtures.ts";
import { BIN, cleanEnvironment, monitor, ownMonitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const db = copyFixture("kitchen_sink.db", folder);
const store = ["--db", db, "--app", "kitchen_sink"];

async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await monitor(["complete", "--", ...words], { cwd: folder });
  expect([words, code, stderr]).toEqual([words, 0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("complete offers", () => {
  test.each([
    [["invo"], ["invocation", "invocations"]],
    [
      ["help", "runn"],
      ["runner", "runners"],
    ],
    [["compl"], ["completion"]],
    [
      ["invocations", "--stat"],
      ["--state-dir", "--status", "--status-mode"],
    ],
    [
      ["invocations", "--by", ""],
      ["exception", "status", "task"],
    ],
    [["invocations", "--by=ta"], ["--by=task"]],
    [["trace", "--format", "m"], ["mermaid"]],
    [
      ["completion", ""],
      ["bash", "fish", "zsh"],
    ],
    [["invocations", "has:e"], ["has:error"]],
    [["invocations", "-stat"], []],
    [["invocations", "sta"], ["status:"]],
    [["logs", ""], []],
    [["no-such-command", ""], []],
    [["invocations", "--limit", ""], []],
    [[], ["apps"]],
  ])("%j", async (words, expected) => {
    expect((await offered(...words)).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  test("what the store that the line names has", async () => {
    const statuses = await offered("invocations", ...store, "--status", "");
    expect(statuses).toEqual(expect.arrayContaining(["failed", "success", "concurrency_controlled_final"]));
    const tasks = await offered(...store, "task", "");
    expect(tasks).toEqual(Object.keys(factsOf("kitchen_sink.db", "kitchen_sink").tasks).sort());
    const [first = ""] = tasks;
    expect(await offered("invocations", ...store, `--task=${first.slice(0, -1)}`)).toContain(`--task=${first}`);
    expect(await offered("invocations", ...store, `status:failed,succ`)).toEqual(["status:failed,success"]);
    expect(await offered("invocations", ...store, `task:${first.slice(0, -1)}`)).toContain(`task:${first}`);
    expect(await offered("--db", db, "--app", "kitchen_")).toEqual(["kitchen_sink"]);
  });

  test("nothing where there is no store", async () => {
    expect(await offered("invocations", "--db", "no-such-file.db", "--task", "")).toEqual([]);
    // It may still be connecting when nobody waits any longer, and then ends the process: one of its own.
    const unreachable = ["complete", "--", "invocations", "--url", "redis://127.0.0.1:1/0", "--task", ""];
    expect(await ownMonitor(unreachable, { cwd: folder })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await offered("invocations", "--url", "not a url", "--task", "")).toEqual([]);
  });
});

describe("completion", () => {
  test("in bash puts in what stands behind the last colon or equals sign", async () => {
    const { stdout } = await monitor(["completion", "bash"]);
    const script = `${stdout}
monitor() { "${process.execPath}" "${BIN}" "$@"; }
offer() { COMP_LINE="$1" COMP_POINT=\${#1}; _monitor_complete; printf '%s ' "\${COMPREPLY[@]}"; echo; }
offer "monitor invocations --by=ta"
offer "monitor invocations has:e"
offer "monitor doct"
offer "monitor completion "
offer "monitor logs "
`;
    const run = spawnSync("bash", ["-c", script], { encoding: "utf8", cwd: folder, env: cleanEnvironment() });
    expect(run.stderr).toBe("");
    expect(run.stdout.split("\n").map((line) => line.trim())).toEqual([
      "task",
      "error",
      "doctor",
      "bash fish zsh",
      "",
      "",
    ]);
  });

  test.each(["zsh", "fish"])("in %s asks the program", async (shell) => {
    const { code, stdout } = await monitor(["completion", shell]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\bcomplete -- /)]);
    const found = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
    // Where the shell is not installed nothing is known of it.
    if (found.error === undefined) expect([found.status, found.stderr]).toEqual([0, ""]);
  });

  test("of another shell is refused", async () => {
    expect(await monitor(["completion", "tcsh"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected one of bash, zsh, fish"),
    });
  });
});
