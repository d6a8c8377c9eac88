/** Every command, with values of its flags at the limits and on rows with times that cannot be: never "The monitor failed". */
import fc from "fast-check";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/all-commands.ts";
import { createProgram } from "../../src/cli/program.ts";
import { ID_OF, IDS } from "../support/addresses.ts";
import { cases } from "../support/cases.ts";
import { fixturePath } from "../support/fixtures.ts";
import { oddText, WORST_TEXTS } from "../support/odd-texts.ts";
import { ODD_TIMES, replaceTimes } from "../support/odd-times.ts";
import { monitor, ownCopy, presentOption, sharedFolder } from "./monitor.ts";

/** Arguments of the commands that need some. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  bundle: [ID_OF.invocations],
  call: [IDS.call_id_key],
  diff: [ID_OF.invocations],
  event: [ID_OF.events],
  find: ["add"],
  invocation: [ID_OF.invocations],
  logs: [fixturePath("kitchen_sink.log")],
  mute: ["unconsumed_queue"],
  "auto-purge": ["orchestrator"],
  purge: ["broker"],
  requeue: [ID_OF.invocations],
  rerun: [],
  runner: [IDS.runner_id],
  schema: [],
  show: [ID_OF.invocations],
  task: [IDS.task_id_key],
  trace: [ID_OF.events],
  tree: [ID_OF.invocations],
  top: ["--once"],
  "trigger-run": [ID_OF["trigger-runs"]],
  unmute: ["unconsumed_queue"],
  wait: [IDS.workflow_id],
  workflow: [IDS.workflow_id],
};

/** These run until they are ended, or write what is not a store. */
const LASTING = ["serve", "demo", "mcp", "completion", "complete"];

/** What a flag names with these words is no time, length or number; a file that it names would be written. */
const PLACES = ["<file>", "<path>", "<folder>", "<url>", "<host>", "<command>"];

/** The long name of a flag that takes a value, from `-o, --out <file>`. */
function valued(flags: string): string[] {
  const [, flag, value] = /(--[\w-]+) (\S+)$/.exec(flags) ?? [];
  return flag === undefined || value === undefined || PLACES.includes(value) ? [] : [flag];
}

interface TriedFlag {
  command: string;
  flag: string;
}

const FLAGS: TriedFlag[] = COMMANDS.flatMap(({ usage, options = [] }) => {
  const command = usage.split(" ")[0] ?? "";
  if (LASTING.includes(command)) return [];
  return options.flatMap(([flags]) => {
    return valued(flags).map((flag) => ({ command, flag }));
  });
});

/** The flags that every command takes. */
const GENERAL = createProgram().options.flatMap(({ flags }) => valued(flags));

const folder = sharedFolder();
const here = ["--db", ownCopy("kitchen_sink.db", folder), "--app", "kitchen_sink"];
const now = ["--now", presentOption("kitchen_sink.db")];

/** What was wrong with a run; null if nothing was. */
async function complaint(args: readonly string[], store = here): Promise<string | null> {
  const { code, stderr } = await monitor([...store, ...args]);
  const known = code !== null && code >= 0 && code <= 5;
  if (known && !stderr.includes("The monitor failed") && (code !== 2 || stderr !== "")) return null;
  return `${args.join(" ")}: ${code} ${stderr}`;
}

it("the table of this file has arguments for every command that needs some", () => {
  const needing = COMMANDS.flatMap(({ usage }) => (/ </.test(usage) ? [usage.split(" ")[0] ?? ""] : []));
  expect(needing.filter((command) => !LASTING.includes(command) && ARGUMENTS[command] === undefined)).toEqual([]);
  expect(FLAGS.length).toBeGreaterThan(80);
});

const text = fc.oneof(fc.constantFrom(...WORST_TEXTS), oddText);

it.each(FLAGS)("monitor $command answers or refuses odd values of $flag", async ({ command, flag }) => {
  const changes = COMMANDS.some(
    ({ usage, options = [] }) => usage.split(" ")[0] === command && options.some(([name]) => name === "--dry-run"),
  );
  for (const value of fc.sample(text, cases(2))) {
    const args = [
      ...now,
      command,
      ...(ARGUMENTS[command] ?? []),
      ...(changes ? ["--dry-run"] : []),
      `${flag}=${value}`,
    ];
    expect(await complaint(args)).toBeNull();
  }
});

it.each(GENERAL)("every command answers or refuses odd values of the global option %s", async (flag) => {
  const given = flag === "--now" ? [] : now;
  for (const value of fc.sample(text, cases(6)))
    expect(await complaint([...given, "status", `${flag}=${value}`])).toBeNull();
});

it("every command prints rows with impossible times", async () => {
  const path = ownCopy("kitchen_sink.db", folder);
  replaceTimes(path, "kitchen_sink", (index) =>
    index % 3 === 0 ? (ODD_TIMES[(index / 3) % ODD_TIMES.length] ?? null) : null,
  );
  const store = ["--db", path, "--app", "kitchen_sink", ...now];
  for (const { usage } of COMMANDS) {
    const command = usage.split(" ")[0] ?? "";
    // Some need more than arguments, such as a file or a question that is answered.
    if (LASTING.includes(command)) continue;
    const args = [command, ...(ARGUMENTS[command] ?? [])];
    for (const more of [["--json"], ["--local"]]) expect(await complaint([...args, ...more], store)).toBeNull();
  }
  const all = ["--since", "1970-01-01", "--until", "2255-01-01"];
  for (const command of ["timeline", "events", "stats", "invocations", "trigger-runs"]) {
    expect(await complaint([command, ...all], store)).toBeNull();
  }
});
