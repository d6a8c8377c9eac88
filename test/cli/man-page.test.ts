/** The manual page that the build writes from the commands. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";

const page = gunzipSync(readFileSync(new URL("../../dist/monitor.1.gz", import.meta.url))).toString();

test("the manual page has every command that the help lists, with all its options", () => {
  const program = createProgram();
  const plain = page.replaceAll("\\-", "-").replaceAll("\\&", "").replaceAll("\\e", "\\");
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== "help");
  for (const command of commands) {
    expect(plain).toMatch(new RegExp(`^\\.SS monitor ${command.name()}\\b`, "m"));
    for (const { flags } of [...command.options, ...program.options]) expect(plain).toContain(`\n.B ${flags}\n`);
  }
  // A line that begins with a dot is a request of roff: only those that the page is made of.
  expect(page.split("\n").filter((line) => /^\.(?!TH |SH |SS |TP$|B |RI )/.test(line))).toEqual([]);
});
