/** Runs the built program. It is built by `npm test` (scripts/setup.mjs); nothing is built here. */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { assertFailure, assertPrinted, PRINTED } from "../support/answers.ts";
import { watchForDefects } from "../support/defects.ts";
import { atEndOfFile } from "../support/file-end.ts";
import { copyFixture, type FixtureName, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type CommandLine, Resident } from "./resident.ts";

export const BIN = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/** Of the commands of one file: what programs keep of actions goes with its tests. */
let home: ReturnType<typeof temporaryFolder> | null = null;
atEndOfFile(() => {
  home?.remove();
  home = null;
});
const resident = new Resident();

/** An environment in which nothing of the machine's own settings counts. */
export function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  home ??= temporaryFolder();
  return { PATH: process.env.PATH, HOME: home.path, ...extra };
}

export function runProgram(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: cwd ?? tmpdir(),
      env: cleanEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    watchForDefects(child.stderr);
    const run: Run = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (run.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (run.stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...run, code }));
  });
}

/** A command line that the program does in a process which it shares with others, one after the other. */
export async function monitor(
  args: readonly string[],
  { cwd, env, columns }: RunOptions & Pick<CommandLine, "columns"> = {},
): Promise<Run> {
  const run = await resident.run({ args, cwd: cwd ?? tmpdir(), env: cleanEnvironment(env), columns });
  assertJsonOf(args, run);
  return run;
}

/** What is printed with `--json` is as its schema says. */
function assertJsonOf(args: readonly string[], { code, stdout, stderr }: Run): void {
  if (!args.includes("--json") || args.includes("--help")) return;
  if (stdout !== "") {
    const command = args.find((arg) => arg in PRINTED || arg === "schema");
    // With a name, `schema` prints a schema and no answer.
    const named = command === "schema" && args.length > 2;
    // Rows with chosen members are not whole.
    const chosen = args.includes("--fields");
    if (command !== undefined && !named && !chosen) assertPrinted(command, stdout);
    else if (command === undefined && !named) throw new Error(`${args.join(" ")} prints JSON and has no schema`);
  }
  const failure = /^\{\n[\s\S]*\n\}$/m.exec(stderr)?.[0];
  if (code !== 0 && failure !== undefined) assertFailure(failure);
}

/** The same in a process of its own, as users run it: for what the process is about, such as its start, its streams and its end. */
export function ownMonitor(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return runProgram(process.execPath, [BIN, ...args], options);
}

/** A folder for the tests of one file, removed at their end. */
export function sharedFolder(): string {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  return folder.path;
}

/** A copy of its own, in a folder of its own: other copies of the same fixture stay as they are. */
export function ownCopy(fixture: FixtureName, folder: string): string {
  return copyFixture(fixture, mkdtempSync(join(folder, "copy-")));
}

/** The data's own present, for `--now`: heartbeats are judged against it. */
export function presentOption(fixture: FixtureName): string {
  return isoFromEpoch(presentOf(fixture));
}
