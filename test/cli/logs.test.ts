/** `monitor logs`: annotated lines, records, and a file that is followed while it grows, is rotated and cut. */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { LogLine } from "../../src/api/logs.ts";
import { watchForDefects } from "../support/defects.ts";
import { fixturePath } from "../support/fixtures.ts";
import { HAS_PIPES, makePipe } from "../support/special-files.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, ownMonitor, runProgram, sharedFolder } from "./monitor.ts";

const FILE = fixturePath("kitchen_sink.log");
const LOG = readFileSync(FILE, "utf8");
const RUNNER = "b6276e23-f634-47c8-a027-8de8cdbf1a82";
const ADDED = LOG.split("\n").filter((line) => line.includes("d74ba16a-e5c1-4874-b3b1-14bc31ae3ebb"));

describe("monitor logs", () => {
  const folder = sharedFolder();
  let here: string[];
  beforeAll(() => {
    here = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink"];
  });
  const records = (stdout: string) =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as LogLine);

  it("prints every line of the log, with facts of the store beneath it", async () => {
    const { code, stdout, stderr } = await monitor([...here, "logs", FILE]);
    const inTheOther =
      "10 of the ids that are not in this app are in the app kitchen-sink.two/β: --app 'kitchen-sink.two/β'\n";
    expect([code, stderr]).toEqual([0, inTheOther]);
    const own = stdout.split("\n").filter((line) => !line.startsWith("  ↳ "));
    const expected = LOG.split("\n").filter((line) => !line.startsWith("{") && !line.includes("\u001b"));
    expect(expected.filter((line) => !own.includes(line))).toEqual([]);
    expect(stdout).toContain(`  ↳ runner ${RUNNER} ThreadRunner vm:30364`);
    expect(stdout).toContain("  ↳ invocation d74ba16a…3ebb tasks.add success");
    // A runner is told once, not in every line that it wrote.
    expect(stdout.split(`runner ${RUNNER} ThreadRunner`)).toHaveLength(2);
    expect(stdout).not.toContain("\u001b");
  });

  it("explains a runner that a line names by its whole id, once", async () => {
    const file = join(folder, "whole-id.log");
    writeFileSync(file, `runner:${RUNNER} started\n`.repeat(2));
    const { stdout } = await monitor([...here, "logs", file]);
    expect(stdout.split("\n").filter((line) => line.includes("↳"))).toEqual([
      `  ↳ runner ${RUNNER} ThreadRunner vm:30364`,
    ]);
  });

  it("prints these members of each entry with --fields, as a table with one line of titles or as JSON lines", async () => {
    const table = (await monitor([...here, "logs", FILE, "--fields", "line,level"])).stdout.trimEnd().split("\n");
    expect([table.length, table[0], table.filter((line) => line.startsWith("LINE"))]).toEqual([
      1416,
      table[0],
      ["LINE  LEVEL"],
    ]);
    const json = await monitor([...here, "logs", FILE, "--fields", "line,level", "--json"]);
    const rows = records(json.stdout);
    expect([rows.length, Object.keys(rows[0] ?? {})]).toEqual([1415, ["schema_version", "line", "level"]]);
    const wrong = await monitor([...here, "logs", FILE, "--fields", "no_such_member"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("expected some of line, lines")]);
  });

  it("prints one JSON record per entry, with every id in full", async () => {
    const { code, stdout } = await monitor([...here, "logs", FILE, "--json"]);
    expect(code).toBe(0);
    const all = records(stdout);
    expect(all).toHaveLength(1415);
    const runners = all.flatMap((line) =>
      line.references.filter((one) => one.kind === "runner" && one.state === "known"),
    );
    expect(runners.length).toBeGreaterThan(1_000);
    expect(runners.every((one) => one.id.length === 36)).toBe(true);
    const [line] = all.filter((one) => one.text === ADDED[1]);
    expect(line).toMatchObject({
      level: "info",
      timestamp: "2026-11-21T00:34:42.543000+00:00",
      context: { runners: [{ cls: "TR", id: RUNNER, partial: false }], task_id_key: "tasks.add" },
      statuses: [{ status: "running" }],
    });
    expect(line?.references.find((one) => one.kind === "invocation")).toMatchObject({
      state: "known",
      status: "success",
    });
  });

  it("reads standard input, and filters by level and text", async () => {
    const line = `cat "$FILE" | "$NODE" "$BIN" --db "$DB" --app kitchen_sink logs - --json --level error --grep "deep trouble"`;
    const { stdout } = await runProgram("bash", ["-c", line], {
      env: { NODE: process.execPath, BIN, DB: here[1] ?? "", FILE },
    });
    const found = records(stdout);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((one) => one.level === "error" && one.text.includes("deep trouble"))).toBe(true);
  });

  it("marks ids that are not in the store, and says which zone it assumed", async () => {
    const file = join(folder, "unknown.log");
    writeFileSync(
      file,
      "2026-11-21 00:35:00 INFO a [TR(b6276e23)] invocation:00000000-0000-4000-8000-000000000000 \u001b]0;x\u0007\u202e\n",
    );
    const { stdout, stderr } = await monitor([...here, "logs", file]);
    expect(stdout).toContain("invocation 00000000…0000 is not in this store");
    expect(stdout).toContain("⟨U+202E⟩");
    expect(stderr).toBe("1 entry without a time zone, read as UTC.\n");
  });

  it("prints links where the terminal supports them, and nowhere else", async () => {
    const file = join(folder, "linked.log");
    writeFileSync(file, `${ADDED[0]}\n`);
    const args = [...here, "logs", file, "--base-url", "http://127.0.0.1:8000"];
    expect((await monitor(args)).stdout).not.toContain("\u001b");
    const { stdout } = await ownMonitor(args, { env: { FORCE_HYPERLINK: "1" } });
    expect(stdout).toContain(
      `\u001b]8;;http://127.0.0.1:8000/runners/${RUNNER}?app=kitchen_sink\u001b\\b6276e23\u001b]8;;\u001b\\`,
    );
  });

  it.each([
    [["logs", "no-such-file.log"], "no-such-file.log"],
    [["logs", "."], "EISDIR"],
    [["logs", FILE, "--level", "loud"], "--level"],
    [["logs", "-", "--follow"], "--follow"],
    [["logs", FILE, "--base-url", "javascript:alert(1)"], "--base-url"],
  ])("exits with 2 for %j", async (args, word) => {
    const { code, stdout, stderr } = await monitor([...here, ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(word);
  });

  it("reads UTF-16 as PowerShell writes it, from a file, from standard input and from a pipe", async () => {
    const file = fixturePath("utf16.log");
    const text = readFileSync(file, "utf16le").slice(1).trimEnd();
    const sources = [await monitor([...here, "logs", file, "--json"])];
    const env = { NODE: process.execPath, BIN, DB: here[1] ?? "", FILE: file };
    const command = '"$NODE" "$BIN" --db "$DB" --app kitchen_sink logs';
    for (const line of [`${command} - --json < "$FILE"`, `${command} <(cat "$FILE") --json`])
      sources.push(await runProgram("bash", ["-c", line], { env }));
    for (const { code, stdout, stderr } of sources) {
      expect([code, stderr]).toEqual([0, "1 entry without a time zone, read as UTC.\n"]);
      const [entry, ...others] = records(stdout);
      expect([entry?.text, entry?.level, others]).toEqual([text, "error", []]);
      expect(entry?.references.map((one) => one.kind).sort()).toEqual(["invocation", "runner"]);
    }
  });

  it("follows UTF-16 that is written in halves of characters, and a file that restarts in another encoding", async () => {
    const file = join(folder, "utf16-followed.log");
    const line = (n: number) =>
      `2026-11-21 00:35:0${n}.000+00:00 INFO pynenc.kitchen_sink [TR(b6276e23)] Grüße 😀 ${n}\n`;
    const bytes = Buffer.from(`\ufeff${line(1)}${line(2)}`, "utf16le");
    const first = Buffer.from(`\ufeff${line(1)}`, "utf16le").length;
    // In the middle of one half of the pair.
    const cut = first + Buffer.from(line(2).slice(0, -4), "utf16le").length + 1;
    writeFileSync(file, bytes.subarray(0, 1));
    const child = spawn(process.execPath, [BIN, ...here, "logs", file, "--follow", "--json"], {
      env: cleanEnvironment(),
    });
    watchForDefects(child.stderr);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const messages = () =>
      stdout.endsWith("\n") ? records(stdout).map((one) => one.text.slice(one.message_start)) : [];
    const until = (n: number) => expect.poll(() => messages().length, { timeout: 60_000 }).toBe(n);
    try {
      await new Promise((resolve) => setTimeout(resolve, 600));
      appendFileSync(file, bytes.subarray(1, first));
      await until(1);
      appendFileSync(file, bytes.subarray(first, cut));
      await new Promise((resolve) => setTimeout(resolve, 600));
      appendFileSync(file, bytes.subarray(cut));
      await until(2);
      writeFileSync(file, "");
      await new Promise((resolve) => setTimeout(resolve, 600));
      appendFileSync(file, line(3));
      await until(3);
    } finally {
      child.kill("SIGINT");
    }
    expect(await ended).toBe(0);
    expect(messages()).toEqual(["Grüße 😀 1", "Grüße 😀 2", "Grüße 😀 3"]);
  });

  it.runIf(HAS_PIPES)("refuses to follow a pipe or a device", async () => {
    for (const [file, words] of [
      [makePipe(join(folder, "pipe")), "it is a pipe"],
      ["/dev/zero", "it is a device"],
    ] as const) {
      const { code, stderr } = await ownMonitor([...here, "logs", file, "--follow"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });

  it("follows a file that grows, is rotated, is truncated, and ends in the middle of a line", async () => {
    const file = join(folder, "followed.log");
    const line = (n: number) =>
      `2026-11-21 00:35:0${n}.000+00:00 INFO pynenc.kitchen_sink [TR(b6276e23)] message ${n}\n`;
    writeFileSync(file, line(1));
    const child = spawn(process.execPath, [BIN, ...here, "logs", file, "--follow", "--json"], {
      env: cleanEnvironment(),
    });
    watchForDefects(child.stderr);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const messages = () => (stdout === "" ? [] : records(stdout).map((one) => one.text.slice(one.message_start)));
    const until = (n: number) =>
      expect.poll(() => (stdout.endsWith("\n") ? messages().length : 0), { timeout: 60_000 }).toBe(n);
    try {
      await until(1);
      appendFileSync(file, line(2) + line(3).slice(0, 30));
      // What the half line belongs to can only be told when all of it is there.
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(messages()).toEqual(["message 1"]);
      appendFileSync(file, `${line(3).slice(30)}  and more\n`);
      await until(3);
      renameSync(file, `${file}.1`);
      appendFileSync(`${file}.1`, line(4));
      writeFileSync(file, line(5));
      await until(5);
      writeFileSync(file, "");
      await new Promise((resolve) => setTimeout(resolve, 600));
      appendFileSync(file, line(6));
      await until(6);
    } finally {
      child.kill("SIGINT");
    }
    expect(await ended).toBe(0);
    expect(messages()).toEqual([
      "message 1",
      "message 2",
      "message 3\n  and more",
      "message 4",
      "message 5",
      "message 6",
    ]);
  });
});
