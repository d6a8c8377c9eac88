/** Terminals, pipes, and stored text that wants to command them. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import stringWidth from "fast-string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { BIN, monitor, ownCopy, presentOption, runProgram, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const PREFIX = "kitchen_sink_13bd3995__";
const EVIL = "ev\u001b[31mil\u001b]0;title\u0007\u202e\u009b2J\u200b\r\nline";

let here: string[];
beforeAll(() => {
  here = [
    "--db",
    ownCopy("kitchen_sink.db", folder),
    "--app",
    "kitchen_sink",
    "--now",
    presentOption("kitchen_sink.db"),
  ];
});

/** Everything that a terminal would obey or that would hide or turn text; line feeds are ours. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}]/u;

describe("stored text with control characters", () => {
  let hostile: string[];
  let id: string;

  beforeAll(async () => {
    const path = ownCopy("kitchen_sink.db", folder);
    const db = openDatabase(path, { mode: "write" });
    const first = db
      .prepare(`SELECT invocation_id AS id FROM ${PREFIX}orchestrator_invocations ORDER BY rowid DESC LIMIT 1`)
      .get();
    id = String((first as { id: string }).id);
    const { orchestrator, state } = {
      orchestrator: `${PREFIX}orchestrator_invocations`,
      state: `${PREFIX}state_backend_invocations`,
    };
    for (const table of [orchestrator, state]) {
      db.prepare(`UPDATE ${table} SET task_id_key = ?, call_id_key = ? WHERE invocation_id = ?`).run(
        `tasks.${EVIL}`,
        `tasks.${EVIL}:no_args`,
        id,
      );
    }
    db.prepare(`UPDATE ${orchestrator} SET status = ? WHERE invocation_id = ?`).run(EVIL, id);
    db.prepare(`UPDATE ${state} SET serialized_arguments = ? WHERE invocation_id = ?`).run(
      JSON.stringify({ [EVIL]: JSON.stringify(EVIL) }),
      id,
    );
    db.prepare(`UPDATE ${PREFIX}state_backend_runner_contexts SET hostname = ?, runner_cls = ?`).run(EVIL, EVIL);
    db.close();
    hostile = ["--db", path, ...here.slice(2)];
  });

  test.each([
    [["status"]],
    [["tasks"]],
    [["invocations", "--limit", "5"]],
    [["invocations", "--format", "jsonl"]],
    [["invocations", "--status", EVIL]],
    [["runners"]],
    [["queue"]],
    [["doctor"]],
    [["tasks", "--json"]],
  ])("has no effect on the terminal in the output of %j", async (args) => {
    const { stdout, stderr } = await monitor([...hostile, ...args]);
    expect(stdout).not.toMatch(OBEYED);
    expect(stderr).not.toMatch(OBEYED);
  });

  test("is printed with visible marks, and complete in JSON", async () => {
    const { stdout } = await monitor([...hostile, "invocation", id]);
    expect(stdout).not.toMatch(OBEYED);
    expect(stdout).toContain("tasks.ev␛[31mil␛]0;title␇⟨U+202E⟩⟨U+009B⟩2J⟨U+200B⟩␍␊line");
    const document = await monitor([...hostile, "invocation", id, "--json"]);
    expect(JSON.parse(document.stdout)).toMatchObject({ task_id_key: `tasks.${EVIL}`, status: EVIL });
    expect(document.stdout).not.toMatch(OBEYED);
  });

  test("is made visible in an error message", async () => {
    const { code, stderr } = await monitor([...hostile, "invocation", "x\u001b[2J\u202e"]);
    expect(code).toBe(3);
    expect(stderr).not.toMatch(OBEYED);
  });
});

const shell = (line: string, env: Record<string, string> = {}) =>
  runProgram("bash", ["-c", line], {
    env: { NODE: process.execPath, BIN, DB: here[1] ?? "", NOW: here[5] ?? "", ...env },
  });

const COMMAND = '"$NODE" "$BIN" --db "$DB" --app kitchen_sink --now "$NOW"';

describe("a pipe", () => {
  // More than a pipe holds, so that the reader is gone while there is more to write.
  test.each(["jsonl", "csv"])("whose reader stops after a line of %s does no harm", async (format) => {
    const line = `${COMMAND} invocations --format ${format} --status success --status failed --status registered | head -1; echo "\${PIPESTATUS[0]}" >&2`;
    const { stdout, stderr } = await shell(line);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toBe("0\n");
  });

  test("whose reader reads nothing does not make the command fail, for either stream", async () => {
    const { stdout } = await shell(
      `{ ${COMMAND} invocations --limit 2 2>&1; echo "$?" > "$OUT"; } | true; cat "$OUT"`,
      {
        OUT: join(folder, "closed.out"),
      },
    );
    expect(stdout).toBe("0\n");
  });
});

const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

describe.skipIf(!hasScript)("output on a terminal", () => {
  async function onTerminal(
    columns: number,
    args: string,
    env: Record<string, string> = {},
    rows = 40,
  ): Promise<string> {
    const line = `script -qec 'stty cols ${columns} rows ${rows}; ${COMMAND} ${args}' /dev/null < /dev/null`;
    const { stdout } = await shell(line, { TERM: "xterm-256color", SHELL: "/bin/bash", PAGER: "", ...env });
    return stdout.replaceAll("\r\n", "\n");
  }

  const STYLES = /\p{Cc}\[[0-9;]*m/gu;

  test.each([60, 80, 140])("of %i columns has no line that is wider", async (columns) => {
    for (const command of ["status", "tasks", "invocations", "runners --all", "workflows --runs"]) {
      const shown = await onTerminal(columns, command);
      const lines = shown
        .replace(STYLES, "")
        .split("\n")
        .filter((line) => !/^(Invocations|Not shown|Store|Events) /.test(line));
      expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
    }
  });

  test("is coloured unless colours are switched off", async () => {
    expect(await onTerminal(100, "invocations --status failed")).toContain("\u001b[38;5;203mfailed\u001b[39m");
    expect(await onTerminal(100, "invocations --status failed --no-color")).not.toContain("\u001b");
    expect(await onTerminal(100, "invocations --status failed", { NO_COLOR: "1" })).not.toContain("\u001b");
    expect(await onTerminal(100, "invocations --status failed --color never")).not.toContain("\u001b");
    expect(await onTerminal(100, "status --json")).not.toContain("\u001b");
    // Where nobody looks there are some if they are wanted.
    const args = [...here, "invocations", "--status", "failed", "--limit", "1"];
    expect((await monitor([...args, "--color", "always"])).stdout).toContain("\u001b[38;5;203mfailed\u001b[39m");
    expect((await monitor(args, { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[38;5;203mfailed");
    expect((await monitor([...args, "--color", "sometimes"])).code).toBe(2);
  });

  test("that is longer than the screen goes through the pager, and its last remark comes after it", async () => {
    const PAGER = "sed s/^/PAGED:/";
    const long = await onTerminal(100, "invocations --limit 45", { PAGER });
    expect(long.split("\n").filter((line) => line.startsWith("PAGED:")).length).toBe(46);
    expect(long.trimEnd().split("\n").at(-1)).toMatch(/^Invocations 1 to 45 of /);
    for (const [args, env] of [
      ["invocations --limit 5", { PAGER }],
      ["invocations --limit 45 --no-pager", { PAGER }],
      ["invocations --limit 45 --json", { PAGER }],
      ["invocations --limit 45", { PAGER, PYNENC_MONITOR_NO_PAGER: "1" }],
      ["invocations --limit 45", { PAGER: "" }],
    ] as const)
      expect([args, (await onTerminal(100, args, env)).includes("PAGED:")]).toEqual([args, false]);
    for (const args of ["doctor", "config", "apps"])
      expect([args, (await onTerminal(100, args, { PAGER }, 2)).includes("PAGED:")]).toEqual([args, true]);
    // Where the program does not exist, everything is shown all the same.
    for (const pager of ["no-such-pager", "/dev/null"])
      expect(await onTerminal(100, "invocations --limit 45", { PAGER: pager })).toContain("INVOCATION");
  });

  test("makes the command fail when the pager cannot write", async () => {
    const codeWith = async (PAGER: string) => {
      const shown = await onTerminal(100, 'invocations --limit 45; echo "code $?"', { PAGER });
      return /code \d+/.exec(shown)?.[0];
    };
    expect(await codeWith("cat > /dev/full")).toBe("code 1");
    expect(await codeWith("head -3")).toBe("code 0");
  });

  test("has long values and columns cut, unless --full is given", async () => {
    const list = "invocations --limit 3";
    expect(await onTerminal(60, list)).toContain("…");
    const whole = await onTerminal(60, `${list} --full`);
    expect(whole).not.toContain("…");
    expect(whole).toContain("DURATION");
  });
});

describe("times in the output", () => {
  const path = ownCopy("kitchen_sink.db", folder);
  const args = ["invocations", "--limit", "1", "--db", path, "--app", "kitchen_sink"] as const;
  const registered = async (more: readonly string[], env: Record<string, string> = {}) => {
    const { stdout } = await monitor([...args, ...more], { env: { TZ: "Asia/Kolkata", ...env } });
    return /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\S*/.exec(stdout)?.[0] ?? stdout;
  };

  test("are in UTC, or with --local in the local zone with its offset", async () => {
    const utc = await registered([]);
    expect(utc).toMatch(/\.\d{3}$/);
    const local = await registered(["--local"]);
    expect(local).toMatch(/\+05:30$/);
    expect(Date.parse(local)).toBe(Date.parse(`${utc}Z`));
    expect(await registered([], { PYNENC_MONITOR_LOCAL: "1" })).toBe(local);
    expect(await registered(["--utc"], { PYNENC_MONITOR_LOCAL: "1" })).toBe(utc);
    // West of it, and in summer.
    const west = await registered(["--local"], { TZ: "America/St_Johns" });
    expect(Date.parse(west)).toBe(Date.parse(`${utc}Z`));
    expect((await monitor([...args, "--local", "--utc"])).code).toBe(2);
  });

  test("and times typed without an offset are in the same zone", async () => {
    const local = await registered(["--local"]);
    const typed = local.slice(0, 19);
    const until = async (time: string, more: readonly string[] = []) =>
      (await monitor([...args, "--json", "--until", time, ...more], { env: { TZ: "Asia/Kolkata" } })).stdout;
    const there = await until(`${typed}+05:30`);
    expect(await until(typed, ["--local"])).toBe(there);
    expect(await until(`${typed}Z`, ["--local"])).toBe(await until(typed));
    expect(await until(typed)).not.toBe(there);
  });

  test("are always in UTC in JSON", async () => {
    const json = async (more: readonly string[]) =>
      (await monitor([...args, "--json", ...more], { env: { TZ: "Asia/Kolkata" } })).stdout;
    expect(await json(["--local"])).toBe(await json([]));
  });
});
