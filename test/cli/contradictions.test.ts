/** Flags that contradict each other, and empty ones, over the whole table of commands. */
import { join } from "node:path";
import type { Option } from "commander";
import { describe, expect, it } from "vitest";
import { CONTRADICTIONS } from "../../src/cli/contradictions.ts";
import { createProgram } from "../../src/cli/program.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { monitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

/** The options that each command takes, its own and the global ones. */
const OPTIONS = new Map(
  createProgram().commands.map((command) => [
    command.name(),
    new Map([...command.options, ...createProgram().options].map((option) => [String(option.long), option])),
  ]),
);

const PAIRS = CONTRADICTIONS.flatMap(({ one, others }) => others.map((other) => [one, other] as const));

function wordsOf(option: Option | undefined): string[] {
  return option?.required === true ? [String(option.long), "x"] : [String(option?.long)];
}

/** Where nothing can be opened or written, should a command not be refused. */
async function run(command: string, words: readonly string[]): Promise<unknown> {
  const { registeredArguments } = createProgram().commands.find((one) => one.name() === command) ?? {};
  const args = (registeredArguments ?? []).filter((one) => one.required).map(() => "x");
  const line = [command, ...args, ...words, "--db", join(folder, "none", "app.db")];
  return createProgram(() => undefined)
    .parseAsync(line, { from: "user" })
    .then(
      () => null,
      (error: unknown) => error,
    );
}

describe("two flags that contradict each other", () => {
  it.each(PAIRS)("%s and %s are refused by every command that takes both, in either order", async (one, other) => {
    const commands = [...OPTIONS].filter(([, options]) => options.has(one) && options.has(other));
    expect(commands.length).toBeGreaterThan(0);
    for (const [command, options] of commands) {
      const [first, second] = [wordsOf(options.get(one)), wordsOf(options.get(other))];
      for (const words of [
        [...first, ...second],
        [...second, ...first],
      ]) {
        const error = await run(command, words);
        expect([command, error]).toEqual([command, expect.any(InvalidInputError)]);
        expect((error as Error).message).toContain(`${one} and ${other} contradict each other`);
      }
    }
  });

  it("include every flag that a command takes both with and without no-", () => {
    const both = [...OPTIONS.values()].flatMap((options) =>
      [...options.keys()].flatMap((name) => {
        const opposite = name.replace(/^--no-/, "--");
        return opposite !== name && options.has(opposite) ? [`${name} ${opposite}`] : [];
      }),
    );
    expect([...new Set(both)].sort()).toEqual(["--no-color --color", "--no-token --token"]);
    expect(PAIRS.map((pair) => pair.join(" "))).toEqual([
      "--no-token --token",
      "--no-token --token-file",
      "--token-file --token",
      "--no-color --color",
      "--utc --local",
      "--dry-run --yes",
      "--no-serve --open",
      "--no-values --logs",
      "--web --json",
      "--web --watch",
      "--web --format",
      "--web --fields",
      "--at --watch",
    ]);
  });

  it("are detected in any position of the command line", async () => {
    const program = createProgram(() => undefined);
    const line = ["--color", "always", "status", "--no-color", "--db", join(folder, "none.db")];
    await expect(program.parseAsync(line, { from: "user" })).rejects.toThrow("contradict each other");
  });

  it("do not include one flag that is given twice", async () => {
    expect(await run("status", ["--color", "always", "--color", "never"])).not.toBeInstanceOf(InvalidInputError);
  });
});

describe("an empty argument or value of a flag", () => {
  const commands = createProgram().commands.filter((command) => !["complete", "help"].includes(command.name()));
  const cases = commands.flatMap((command) => {
    const words = command.registeredArguments.flatMap(({ required }) => (required ? ["x"] : []));
    const places = command.registeredArguments.map(
      (argument, at) => [argument.name(), [...words.slice(0, at), ""]] as const,
    );
    const flags = command.options
      .filter(({ required, long }) => required && long !== "--base-path")
      .map(({ long }) => [String(long), [...words, String(long), ""]] as const);
    return [...places, ...flags].map(([name, line]) => [command.name(), name, line] as const);
  });

  it.each(cases)(
    "%s refuses an empty %s with exit code 2, and says which help explains it",
    async (command, name, words) => {
      const { code, stdout, stderr } = await monitor([command, ...words, "--db", join(folder, "none", "app.db")]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(
        new RegExp(`${name}.*: it must not be empty\\nRun monitor ${command} --help to list its options\\.\\n$`, "s"),
      );
    },
  );
});
