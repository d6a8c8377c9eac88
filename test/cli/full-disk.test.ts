/** What cannot be written, in every command: one line and exit code 1. `/dev/full` is a disk without room; `ulimit -f` one that fills up. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { fixturePath } from "../support/fixtures.ts";
import { BIN, monitor, ownCopy, presentOption, type Run, runProgram, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

let here: string[];
const state = ["--state-dir", join(folder, "state")];
let ids: Record<string, string>;
beforeAll(async () => {
  here = [
    "--db",
    ownCopy("kitchen_sink.db", folder),
    "--app",
    "kitchen_sink",
    "--now",
    presentOption("kitchen_sink.db"),
  ];
  const { stdout } = await monitor([...here, "invocations", "--status", "failed", "--limit", "1", "--json"]);
  ids = { INVOCATION: JSON.parse(stdout).invocations[0].invocation_id };
});

/** Commands that print in different ways, with arguments for which they do; words in capitals are ids of the store. */
const PRINTING: [name: string, ...args: string[]][] = [
  ["serve", "--port", "auto", "--no-stats"],
  ["demo", "--no-serve"],
  ["top", "--once"],
  ["status"],
  ["invocations", "--format", "jsonl"],
  ["show", "INVOCATION"],
  ["timeline"],
  ["export", "--format", "csv"],
  ["bundle", "INVOCATION", "-o", "-"],
  ["logs", fixturePath("kitchen_sink.log")],
  ["purge", "broker", "--dry-run"],
  ["mute", "unconsumed_queue", "--yes"],
  ["mcp"],
  ["schema", "WhyAnswer"],
  ["completion", "bash"],
  ["complete", "--", "sta"],
];

const LOST = "Standard output could not be written: no space left on device (ENOSPC).";

/** In a process of its own, with its streams where the redirections say. */
function redirected(args: readonly string[], redirections: string, limit = ""): Promise<Run> {
  const command = [process.execPath, BIN, ...args.map((arg) => ids[arg] ?? arg)];
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return runProgram("bash", ["-c", `${limit} exec ${words} ${redirections}`]);
}

test("commands print by the modules whose output is lost in the tests of this file, and by no others", () => {
  const source = fileURLToPath(new URL("../../src/cli/", import.meta.url));
  const writing = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && readFileSync(join(source, name), "utf8").includes("process.stdout"),
  );
  expect(writing.sort()).toEqual([
    "commands/complete.ts",
    "commands/mcp.ts",
    "commands/schema.ts",
    "print/output.ts",
    "print/stream.ts",
    "run-server.ts",
    "screen/screen.ts",
    "session.ts",
    // Asks whether it is a terminal.
    "web-page.ts",
  ]);
});

describe.runIf(existsSync("/dev/full"))("a full disk", () => {
  test.concurrent.each(PRINTING)("under standard output makes monitor %s fail in one line", async (name, ...given) => {
    const store = name === "demo" ? [] : here;
    const args = [...store, ...state, name, ...given];
    const input = join(folder, `input-${name}`);
    writeFileSync(input, name === "mcp" ? `${JSON.stringify(INITIALIZE)}\n` : "");
    const { code, stderr } = await redirected(args, `> /dev/full < '${input}'`);
    expect([code, stderr.split("\n").filter((line) => line === LOST)]).toEqual([1, [LOST]]);
    // Beside it there are notes for people; no stack and no source.
    expect(stderr.length).toBeLessThan(2_000);
    expect(stderr).not.toMatch(/^ +at |node:|bug in the monitor|\.js\b/m);
  });

  test.concurrent.each([
    [["--help"]],
    [["--version"]],
    [["options"]],
    [["status", "--help"]],
    [["help", "status"]],
    [[]],
  ])("under standard output makes monitor fail with one line on stderr for %j", async (args) => {
    expect(await redirected(args, "> /dev/full")).toEqual({ code: 1, stdout: "", stderr: `${LOST}\n` });
  });

  test.concurrent("under both streams makes a command exit with 1, and under stderr alone does not stop its output", async () => {
    const list = [...here, "invocations", "--limit", "2"];
    expect(await redirected(list, "> /dev/full 2>&1")).toEqual({ code: 1, stdout: "", stderr: "" });
    const { stdout } = await redirected(list, "");
    expect(await redirected(list, "2> /dev/full")).toEqual({ code: 1, stdout, stderr: "" });
    // A failure keeps its own exit code.
    expect((await redirected([...here, "invocation", "nowhere"], "2> /dev/full")).code).toBe(3);
    expect((await redirected([...here, "nowhere"], "2> /dev/full")).code).toBe(2);
  });

  test.concurrent("is reported as a problem document with --json", async () => {
    const { code, stderr } = await redirected([...here, "status", "--json"], "> /dev/full");
    expect([code, JSON.parse(stderr)]).toMatchObject([1, { title: "Not written", detail: LOST, exit_code: 1 }]);
  });

  test.concurrent("ends a command that follows a log as soon as it prints", async () => {
    const log = fixturePath("kitchen_sink.log");
    const { code, stderr } = await redirected([...here, "logs", log, "--follow"], "> /dev/full");
    expect([code, stderr]).toEqual([1, `${LOST}\n`]);
  });

  test.concurrent("ends a server that cannot print its address", async () => {
    const { code, stderr } = await redirected(["demo", "--port", "auto", "--size", "10", "--quiet"], "> /dev/full");
    expect([code, stderr]).toEqual([1, `${LOST}\n`]);
  });
});

describe.runIf(process.platform !== "win32")("standard output", () => {
  // The limit is of 1,024 bytes each. What an opened store needs for itself is smaller than 64 of them.
  test("that takes only a part of the output makes the command fail", async () => {
    const out = join(folder, "short");
    const failed = { code: 1, stdout: "", stderr: "Standard output could not be written: file too large (EFBIG).\n" };
    expect(await redirected(["--help"], `> '${out}'`, "ulimit -f 1;")).toEqual(failed);
    expect(statSync(out).size).toBe(1_024);
    expect(await redirected([...here, "timeline", "--format", "json"], `> '${out}'`, "ulimit -f 64;")).toEqual({
      ...failed,
      stderr: expect.stringContaining(failed.stderr),
    });
  });

  test("that is closed or not writable ends a command without a stack trace", async () => {
    expect(await redirected([...here, "tasks"], ">&-")).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stderr } = await redirected([...here, "tasks"], "1< /dev/null");
    expect([code, stderr]).toEqual([1, "Standard output could not be written: bad file descriptor (EBADF).\n"]);
  });

  test("to a file with room gets the whole output, also when it is appended", async () => {
    const out = join(folder, "whole");
    const whole = await redirected(["--help"], "");
    await redirected(["--help"], `> '${out}'`);
    await redirected(["--help"], `>> '${out}'`);
    expect(readFileSync(out, "utf8")).toBe(whole.stdout + whole.stdout);
  });
});

test.runIf(process.platform !== "win32")("a file of -o that fills the disk is removed", async () => {
  const out = join(folder, "full.jsonl");
  const run = await redirected([...here, "export", "--format", "otlp", "-o", out], "", "ulimit -f 64;");
  const words = `${JSON.stringify(out)} could not be written: file too large (EFBIG).\n`;
  expect([run, existsSync(out)]).toEqual([{ code: 1, stdout: "", stderr: words }, false]);
});

test.runIf(process.platform !== "win32")("a demo whose file fills the disk ends with one line on stderr", async () => {
  const db = join(folder, "demo.db");
  const run = await redirected(["demo", "--no-serve", "--db", db], "", "ulimit -f 100;");
  const words = `${JSON.stringify(db)} could not be written: SQLITE_IOERR_WRITE.\n`;
  expect(run).toEqual({ code: 1, stdout: "", stderr: words });
});
