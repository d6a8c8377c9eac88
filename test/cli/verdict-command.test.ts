/** The command of `--on-verdict`: one run after the other, whatever each of them does. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { VerdictCommand, type VerdictCommandOptions } from "../../src/cli/verdict-command.ts";
import { commandWords } from "../../src/config/command-words.ts";
import { sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
let files = 0;
const open: VerdictCommand[] = [];
afterEach(() => {
  for (const command of open.splice(0)) command.close();
});

/** A command that runs this code in Node, with the path of a file of its own as `out`. */
function commandOf(code: string, options: Partial<VerdictCommandOptions> = {}) {
  const out = join(folder, `told-${files++}`);
  const warnings: string[] = [];
  const script = `const fs = require("node:fs"); const out = ${JSON.stringify(out)}; ${code}`;
  const command = new VerdictCommand([process.execPath, "-e", script, "$HOME; *"], {
    warn: (words) => warnings.push(words),
    ...options,
  });
  open.push(command);
  return { command, warnings, lines: () => (existsSync(out) ? readFileSync(out, "utf8").trimEnd().split("\n") : []) };
}

const ECHO = `fs.appendFileSync(out, "begin\\n"); const text = fs.readFileSync(0, "utf8");
  setTimeout(() => fs.appendFileSync(out, text + " " + process.argv[1] + "\\n"), 50);`;
const PATIENCE = { timeout: 60_000 };

describe("the command of --on-verdict", () => {
  test("gets each document on its standard input, one run after the other, with its arguments unchanged", async () => {
    const { command, warnings, lines } = commandOf(ECHO);
    for (const document of ['{"n":1}', '{"n":2}', '{"n":3}']) command.notify(document);
    await vi.waitFor(() => expect(lines()).toHaveLength(6), PATIENCE);
    expect(lines()).toEqual(["1", "2", "3"].flatMap((n) => ["begin", `{"n":${n}} $HOME; *`]));
    expect(warnings).toEqual([]);
  });

  test("does not get the token of the monitor", async () => {
    vi.stubEnv("PYNENC_MONITOR_TOKEN", "correct-horse-battery");
    vi.stubEnv("OF_THE_COMMAND", "kept");
    try {
      const { command, lines } = commandOf(
        'fs.writeFileSync(out, process.env.PYNENC_MONITOR_TOKEN + " " + process.env.OF_THE_COMMAND)',
      );
      command.notify("{}");
      await vi.waitFor(() => expect(lines()).toEqual(["undefined kept"]), PATIENCE);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("that fails, is killed or reads nothing causes a warning, and the next run still happens", async () => {
    const { command, warnings, lines } = commandOf(
      'fs.appendFileSync(out, "run\\n"); console.error("no\\u001b[31m route"); process.exit(3)',
    );
    command.notify("x".repeat(1_000_000));
    command.notify("{}");
    await vi.waitFor(() => expect(warnings).toHaveLength(2), PATIENCE);
    expect(lines()).toEqual(["run", "run"]);
    expect(warnings[0]).toBe(`--on-verdict: ${process.execPath} exited with 3: no␛[31m route`);
  });

  test("that does not exist causes a warning", async () => {
    const warnings: string[] = [];
    const command = new VerdictCommand([join(folder, "nowhere")], { warn: (words) => warnings.push(words) });
    command.notify("{}");
    await vi.waitFor(
      () => expect(warnings).toEqual([expect.stringContaining("could not be started: ENOENT")]),
      PATIENCE,
    );
  });

  test("is ended when it takes too long", async () => {
    const { command, warnings } = commandOf("setInterval(() => {}, 1000)", { longest: 300 });
    command.notify("{}");
    await vi.waitFor(
      () => expect(warnings).toEqual([expect.stringContaining("took longer than 0.3 s and was ended")]),
      PATIENCE,
    );
  });

  test("has a bounded line of waiting documents, and gets no document after it was closed", async () => {
    const { command, warnings, lines } = commandOf(ECHO, { waiting: 2 });
    for (let n = 0; n < 5; n++) command.notify(String(n));
    expect(warnings).toHaveLength(2);
    await vi.waitFor(() => expect(lines()).toHaveLength(6), PATIENCE);
    command.close();
    command.notify("late");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lines()).toHaveLength(6);
  });
});

describe("a command line in a setting", () => {
  test.each([
    ["tell", ["tell"]],
    ["  tell   the\tteam ", ["tell", "the", "team"]],
    [`tell "the team" 'it''s' a"b c"d`, ["tell", "the team", "its", "ab cd"]],
    [`tell '' "a'b"`, ["tell", "", "a'b"]],
    [
      "tell $HOME *.txt; rm -rf / | cat `x` \\n",
      ["tell", "$HOME", "*.txt;", "rm", "-rf", "/", "|", "cat", "`x`", "\\n"],
    ],
  ])("%j has the words %j", (line, words) => {
    expect(commandWords(line)).toEqual(words);
  });

  test.each(["", "   ", "''", "tell 'the team", 'tell "', "tell \0"])("%j is refused", (line) => {
    expect(typeof commandWords(line)).toBe("string");
  });
});
