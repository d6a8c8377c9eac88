/** Completions of a command line, for the shell scripts in `completion.ts`. */
import type { Command, Option } from "commander";
import { STATUSES } from "../../pynenc/statuses.ts";
import { countByStatus, workflowTypeCounts } from "../../services/app/counts.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { FIELD_VALUES } from "../../services/find/query-completion.ts";
import { openPiece, queryValue } from "../../services/input/query-text.ts";
import { QUERY_FIELDS } from "../../services/model/invocation-query.ts";
import { taskKeys } from "../../services/model/task-keys.ts";
import type { Completion } from "../command-entry.ts";
import { CompletedCommand, CompletedOption } from "../completed.ts";
import type { Flags } from "../flags.ts";
import { openWorkspace } from "../session.ts";

/** Gives up after this time: completions are only useful if they are quick. */
const PATIENCE_MS = 1_500;

/** More suggestions than this do not fit a screen. */
const OFFERED = 200;
const EVENT_CODES = 1_000;

/** Values that are read from the store. */
const STORED = {
  task: (app: OpenedApp) => taskKeys(app),
  status: async (app: OpenedApp) => [...STATUSES.map(({ name }) => name), ...Object.keys(await countByStatus(app))],
  workflow_type: async (app: OpenedApp) => (await workflowTypeCounts(app)).map((type) => type.workflow_type_key),
  event_code: (app: OpenedApp) => app.store.read((reads) => reads.trigger.eventCodes(EVENT_CODES)),
} as const;

/**
 * `monitor complete -- <words...>`: completions of the last word, one per line. It never fails and prints no errors: if anything goes wrong,
 * it prints nothing.
 */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), PATIENCE_MS);
  });
  const offered = await Promise.race([candidates(program, words).catch(() => []), late]);
  clearTimeout(timer);
  // A connection to a store that does not respond may still be pending.
  if (offered === "late") process.exit(0);
  if (offered.length > 0) process.stdout.write(`${offered.join("\n")}\n`);
}

async function candidates(program: Command, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const { command, flags, open } = readLine(program, words.slice(0, -1));
  const assigned = /^(--[\w-]+)=(.*)$/s.exec(typed);
  if (assigned !== null) {
    const [, flag = "", value = ""] = assigned;
    const found = await valuesFor(completionOf(program, command, flag), value, flags);
    return found.map((one) => `${flag}=${one}`);
  }
  if (open !== null) return valuesFor(completionOf(program, command, open), typed, flags);
  if (typed.startsWith("-")) return beginning(typed, flagsOf(program, command));
  if (command === null || command === "help") return beginning(typed, shownCommands(program));
  return valuesFor(argumentCompletion(program, command), typed, flags);
}

interface ReadLine {
  command: string | null;
  /** The flags that choose the store. */
  flags: Flags;
  /** The flag whose value is being completed. */
  open: string | null;
}

function readLine(program: Command, words: readonly string[]): ReadLine {
  const flags: Record<string, string> = {};
  let command: string | null = null;
  let open: string | null = null;
  for (const word of words) {
    if (open !== null) {
      keep(flags, open, word);
      open = null;
    } else if (word.startsWith("--")) {
      const [flag = "", ...value] = word.split("=");
      if (value.length > 0) keep(flags, flag, value.join("="));
      else if (takesValue(program, command, flag)) open = flag;
    } else if (!word.startsWith("-")) command ??= word;
  }
  return { command, flags, open };
}

const TO_THE_STORE: readonly string[] = ["--db", "--url", "--backend", "--app", "--config"];

function keep(flags: Record<string, string>, flag: string, value: string): void {
  if (TO_THE_STORE.includes(flag)) flags[flag.slice("--".length)] = value;
}

function optionsOf(program: Command, command: string | null): Option[] {
  const own = program.commands.find((one) => one.name() === command);
  return [...(own?.options ?? []), ...program.options];
}

function takesValue(program: Command, command: string | null, flag: string): boolean {
  const option = optionsOf(program, command).find(({ long }) => long === flag);
  return option?.required === true || option?.optional === true;
}

function flagsOf(program: Command, command: string | null): string[] {
  return [...optionsOf(program, command).flatMap(({ long }) => long ?? []), "--help"];
}

function shownCommands(program: Command): string[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => command.name());
}

function argumentCompletion(program: Command, command: string): Completion | undefined {
  const named = program.commands.find((one) => one.name() === command);
  return named instanceof CompletedCommand ? named.completion : undefined;
}

function completionOf(program: Command, command: string | null, flag: string): Completion | undefined {
  const option = optionsOf(program, command).find(({ long }) => long === flag);
  return option instanceof CompletedOption ? option.completion : undefined;
}

async function valuesFor(values: Completion | undefined, typed: string, flags: Flags): Promise<string[]> {
  if (values === undefined) return [];
  if (typeof values === "object" && "list" in values) {
    const before = typed.slice(0, typed.lastIndexOf(",") + 1);
    return beginning(typed.slice(before.length), values.list).map((word) => before + word);
  }
  if (typeof values !== "string") return beginning(typed, values);
  if (values === "query") return queryValues(typed, flags);
  if (values === "app") return beginning(typed, await appIds(flags));
  return beginning(typed, await inStore(flags, STORED[values]));
}

/** Completes a search term: first its field, then its value. Shells treat `>` specially, so fields that allow it get a colon too. */
async function queryValues(typed: string, flags: Flags): Promise<string[]> {
  const piece = openPiece(typed);
  const before = typed.slice(0, piece.from);
  if (piece.field === null) {
    const fields = Object.keys(QUERY_FIELDS).map((name) => `${name}:`);
    return before === "" ? beginning(typed, fields) : [];
  }
  const values = FIELD_VALUES[piece.field];
  if (values === undefined) return [];
  const names = typeof values === "function" ? await inStore(flags, values) : values;
  return beginning(piece.typed, names).map((name) => before + queryValue(name));
}

async function inStore(flags: Flags, names: (app: OpenedApp) => Promise<readonly string[]>): Promise<string[]> {
  const { workspace } = await openWorkspace(flags);
  try {
    return [...new Set(await names((await workspace.openShown()).app))];
  } finally {
    await workspace.close();
  }
}

async function appIds(flags: Flags): Promise<string[]> {
  const { workspace } = await openWorkspace({ ...flags, app: undefined });
  try {
    return (await workspace.apps()).map((app) => app.app_id);
  } finally {
    await workspace.close();
  }
}

/** The output has one suggestion per line, so names with line breaks are left out. */
function beginning(typed: string, names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith(typed) && !/\p{Cc}/u.test(name))
    .sort()
    .slice(0, OFFERED);
}
