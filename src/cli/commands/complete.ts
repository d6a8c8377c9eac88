/** Completions of a command line, for the shell scripts in `completion.ts`. */
import type { Command, Option } from "commander";
import { LOG_LEVELS as MONITOR_LOG_LEVELS } from "../../config/options.ts";
import { LOG_LEVELS } from "../../pynenc/log-levels.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { countByStatus, workflowTypeCounts } from "../../services/app/counts.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { FILE_FORMATS } from "../../services/exports/export.ts";
import { FIELD_VALUES } from "../../services/find/query-completion.ts";
import { openPiece, queryValue } from "../../services/input/query-text.ts";
import { INVOCATION_FIELDS } from "../../services/invocations/exports.ts";
import { GROUPED_BY } from "../../services/invocations/groups.ts";
import { SORT_FIELDS } from "../../services/invocations/sorted.ts";
import { STATUS_MODES } from "../../services/model/invocation-filter.ts";
import { QUERY_FIELDS } from "../../services/model/invocation-query.ts";
import { taskKeys } from "../../services/model/task-keys.ts";
import type { Flags } from "../flags.ts";
import { openWorkspace } from "../session.ts";
import { RANGES, SORTS } from "../top/state.ts";

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

/** Where the values of a flag or an argument come from. `list`: several of these words, separated by commas. */
type Values = keyof typeof STORED | "app" | "query" | readonly string[] | { list: readonly string[] };

const ANSWERS = ["yes", "no", "all"];

/** Values of flags. Flags not listed take a number, a time, an id or a file. */
const OF_FLAGS: Readonly<Record<string, Values>> = {
  "--app": "app",
  "--task": "task",
  "--status": "status",
  "--type": "workflow_type",
  "--workflow-type": "workflow_type",
  "--code": "event_code",
  "--query": "query",
  "--fields": { list: INVOCATION_FIELDS },
  "--status-mode": STATUS_MODES,
  "--direction": ["down", "up", "both"],
  "--kind": ["event", "status", "result", "exception", "cron"],
  "--matched": ANSWERS,
  "--triggered": ANSWERS,
  "--backend": ["sqlite", "redis"],
  "--log-level": MONITOR_LOG_LEVELS,
  "--level": LOG_LEVELS,
  "--color": ["auto", "always", "never"],
  "--fail-on": ["error", "warning"],
  "--layout": ["0.2.3", "0.3.1", "0.4.0"],
};

/** Overrides of `OF_FLAGS` by command. */
const OF_FLAGS_OF: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  invocations: {
    "--format": ["table", "csv", "jsonl"],
    "--sort": SORT_FIELDS.flatMap((field) => [field, `-${field}`]),
    "--by": GROUPED_BY,
  },
  events: { "--format": ["table", "csv", "jsonl"] },
  tasks: { "--sort": ["failing", "name"] },
  top: { "--range": RANGES, "--sort": SORTS },
  stats: { "--by": ["task", "runner", "host", "exception"], "--sort": SORTS },
  failures: { "--by": ["group", "exception", "task"] },
  timeline: { "--group": ["runner", "task"], "--format": ["svg", "trace", "json"] },
  wait: { "--for": ["final", "success", "running"] },
  export: { "--format": FILE_FORMATS },
  trace: { "--format": ["json", "tree", "mermaid", "dot"] },
  "atomic-service": { "--status": ["running", "completed", "abandoned", "blocked"] },
};

/** Values of command arguments. */
const OF_COMMANDS: Readonly<Record<string, Values>> = {
  task: "task",
  show: "task",
  find: "task",
  invocations: "query",
  compare: "query",
  purge: ["broker", "state-backend", "client-data-store", "orchestrator", "triggers", "all"],
  "auto-purge": ["orchestrator", "events", "all"],
  completion: ["bash", "zsh", "fish"],
};

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
    const found = await valuesFor(valuesOfFlag(command, flag), value, flags);
    return found.map((one) => `${flag}=${one}`);
  }
  if (open !== null) return valuesFor(valuesOfFlag(command, open), typed, flags);
  if (typed.startsWith("-")) return beginning(typed, flagsOf(program, command));
  if (command === null || command === "help") return beginning(typed, shownCommands(program));
  return valuesFor(OF_COMMANDS[command], typed, flags);
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

function valuesOfFlag(command: string | null, flag: string): Values | undefined {
  return OF_FLAGS_OF[command ?? ""]?.[flag] ?? OF_FLAGS[flag];
}

async function valuesFor(values: Values | undefined, typed: string, flags: Flags): Promise<string[]> {
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
    return [...new Set(await names(await workspace.openOnly()))];
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
