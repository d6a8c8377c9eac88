/** Help, the place of options, and what help must not load. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { BIN, ownMonitor as monitor, ownCopy, runProgram, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

describe("the help of monitor", () => {
  test("is printed on stdout, also without a command", async () => {
    const [alone, asked] = await Promise.all([monitor([]), monitor(["--help"])]);
    expect(alone).toEqual(asked);
    expect(alone).toMatchObject({ code: 0, stderr: "" });
    expect(alone.stdout).toContain("Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 unreachable, 5 refused.");
  });

  test("of an unknown command names it", async () => {
    const [help, flag] = await Promise.all([monitor(["help", "nosuch"]), monitor(["nosuch", "--help"])]);
    expect(help).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command 'nosuch'") });
    expect(help).toEqual(flag);
  });

  const names = createProgram().commands.map((command) => command.name());

  async function helpOf(name: string): Promise<string> {
    const program = createProgram();
    let help = "";
    for (const command of [program, ...program.commands])
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 });
    await expect(program.parseAsync([name, "--help"], { from: "user" })).rejects.toMatchObject({ exitCode: 0 });
    return help;
  }

  test("lists the commands", () => {
    expect(names).toEqual([
      "serve",
      "demo",
      "status",
      "top",
      "check",
      "why",
      "find",
      "show",
      "wait",
      "tasks",
      "task",
      "invocations",
      "invocation",
      "call",
      "runners",
      "runner",
      "atomic-service",
      "workflows",
      "workflow",
      "events",
      "event",
      "trigger-runs",
      "trigger-run",
      "triggers",
      "queue",
      "timeline",
      "stats",
      "failures",
      "compare",
      "trace",
      "tree",
      "diff",
      "logs",
      "export",
      "bundle",
      "metrics",
      "purge",
      "auto-purge",
      "rerun",
      "requeue",
      "mute",
      "unmute",
      "audit",
      "apps",
      "config",
      "doctor",
      "mcp",
      "schema",
      "completion",
      "options",
      "complete",
    ]);
  });

  test.each([
    [["nope", "--help"], "unknown command 'nope'"],
    [["invoctions", "--help"], "Did you mean invocations?"],
  ])("for an unknown command, %j, is a usage error", async (words, said) => {
    expect(await monitor(words)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(said) });
  });

  test("leaves out commands that are only for programs", async () => {
    expect((await monitor(["--help"])).stdout).not.toMatch(/^ +complete /m);
  });

  test("has one line of 80 columns for each command", async () => {
    const lines = (await monitor(["--help"])).stdout.split("\n");
    const shown = names.filter((name) => name !== "complete");
    for (const name of shown) expect(lines.filter((line) => line.startsWith(`  ${name} `)).length, name).toBe(1);
    expect(lines.filter((line) => line.length > 80 || /^ {10}/.test(line))).toEqual([]);
  });

  test.each(names)("for %s has up to three examples, and names the options of every command", async (name) => {
    const help = await helpOf(name);
    const examples = /Examples:\n((?: {2}\$ .*\n)+)/.exec(help)?.[1]?.trimEnd().split("\n") ?? [];
    expect(examples[0]).toMatch(new RegExp(`^ {2}\\$ monitor (--db app.db )?${name}\\b`));
    expect(examples.length).toBeLessThanOrEqual(3);
    expect(help).toContain("Options of every command: monitor options");
    expect(help).not.toContain("--log-level");
  });

  test("fits on a screen of 24 rows for two commands of three", async () => {
    const rows = await Promise.all(names.map(async (name) => (await helpOf(name)).split("\n").length));
    expect(rows.filter((count) => count <= 24).length / rows.length).toBeGreaterThan(2 / 3);
  });

  test("for options of every command is printed by monitor options", async () => {
    const { code, stdout } = await monitor(["options"]);
    expect(code).toBe(0);
    for (const { long } of createProgram().options) expect(stdout).toContain(`${long} `);
    expect(stdout).toContain("--log-level <level>");
    expect(stdout).not.toMatch(/^ {2}serve\b/m);
  });

  test("still knows what a misspelled option of every command could be", async () => {
    expect((await monitor(["--jsno", "status"])).stderr).toContain("Did you mean --json?");
  });

  test("loads no package but commander", () => {
    const packages = new Set<string>();
    const seen = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const source = readFileSync(path, "utf8");
      for (const [, specifier = ""] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";/gm)) {
        if (specifier.startsWith(".")) visit(join(dirname(path), specifier));
        else packages.add(specifier);
      }
    };
    visit(fileURLToPath(new URL("../../src/cli/program.ts", import.meta.url)));
    expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual(["commander"]);
  });
});

describe("global options", () => {
  test("work before and after the command, and from the environment", async () => {
    const db = ownCopy("pending_triggers.db", folder);
    const now = "2026-11-21T00:47:00";
    const runs = await Promise.all([
      monitor(["--db", db, "--json", "--now", now, "status"]),
      monitor(["status", "--db", db, "--json", "--now", now]),
      monitor(["--json", "status", "--now", now, `--db=${db}`]),
      monitor(["status"], { env: { PYNENC_MONITOR_DB: db, PYNENC_MONITOR_JSON: "1", PYNENC_MONITOR_NOW: now } }),
    ]);
    for (const run of runs) expect(run).toEqual(runs[0]);
    expect(JSON.parse(runs[0].stdout)).toMatchObject({ app_id: "pending_triggers", statuses: { success: 4 } });
  });

  test("include --version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await monitor(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("a search term with a leading minus, without quotes", () => {
  const said = async (...words: string[]) => {
    const db = ownCopy("kitchen_sink.db", folder);
    const { code, stdout, stderr } = await monitor([
      "invocations",
      "--db",
      db,
      "--app",
      "kitchen_sink",
      "--now",
      "2026-11-21T02:00:00",
      "--json",
      "--limit",
      "3",
      ...words,
    ]);
    return { code, stderr, filter: stdout === "" ? null : (JSON.parse(stdout) as { filter: unknown }).filter };
  };

  test("is a part of the search in any position", async () => {
    const quoted = await said("status:success -task:tasks.add -has:children");
    expect(quoted).toMatchObject({
      code: 0,
      filter: { query: ["status:success", "-task:tasks.add", "-has:children"] },
    });
    expect(await said("status:success", "-task:tasks.add", "-has:children")).toEqual(quoted);
    expect(await said("-task:tasks.add", "--status", "success")).toMatchObject({
      code: 0,
      filter: { query: ["-task:tasks.add"], statuses: ["success"] },
    });
  });

  test("does not hide a mistyped option, and is refused by commands without a search", async () => {
    expect((await said("-task:tasks.add", "--limt", "3")).stderr).toContain("unknown option '--limt'");
    expect((await said("-x")).stderr).toContain("unknown option '-x'");
    const elsewhere = await monitor(["runners", "-task:tasks.add"]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining("unknown option")]);
  });
});

describe("the version of Node", () => {
  /** Runs the program under another name for this Node. */
  function runAs(version: string) {
    const preload = join(folder, `node-${version}.cjs`);
    const versions = { ...process.versions, node: version };
    writeFileSync(
      preload,
      `Object.defineProperty(process, "versions", { value: ${JSON.stringify(versions)} });
       Object.defineProperty(process, "version", { value: "v${version}" });`,
    );
    return runProgram(process.execPath, ["--require", preload, BIN, "--version"]);
  }

  test.each(["16.20.2", "18.20.8", "20.18.1", "21.7.3", "22.12.0", "23.11.1"])(
    "%s is refused in one sentence",
    async (version) => {
      const run = await runAs(version);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(
        /^pynenc-monitor needs Node 20\.19 or a newer 20\.x, 22\.13 or a newer 22\.x, or 24 and newer\. This is v/,
      );
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(run.stderr).toContain(`v${version} (`);
    },
  );

  test.each(["20.19.0", "22.13.0", "24.0.0", "26.10.0", "31.2.0"])("%s is accepted", async (version) => {
    expect(await runAs(version)).toMatchObject({ code: 0, stderr: "" });
  });

  test("is also the range in package.json", () => {
    const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      engines: { node: string };
    };
    expect(engines.node).toBe("^20.19 || ^22.13 || >=24");
  });
});
