/** Completions of a command line, for the shell scripts in `completion.ts`. */
import type { Command, Option } from "commander";
import { visibleLine } from "../../presentation/text.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { QUESTIONS } from "../../questions/all.ts";
import { countByStatus, workflowTypeCounts } from "../../services/app/counts.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { FIELD_VALUES } from "../../services/find/query-completion.ts";
import { openPiece, queryValue } from "../../services/input/query-text.ts";
import { listInvocations, readInvocationInput } from "../../services/invocations/invocations.ts";
import { QUERY_FIELDS } from "../../services/model/invocation-query.ts";
import { queuesOf } from "../../services/model/queue-health.ts";
import { taskKeys } from "../../services/model/task-keys.ts";
import { listRunners } from "../../services/runners/runners.ts";
import { listEvents, parseEventInput } from "../../services/triggers/events.ts";
import { workflowRuns } from "../../services/workflows/workflows.ts";
import type { Completion } from "../command-entry.ts";
import { CompletedCommand, CompletedOption } from "../completed.ts";
import type { Flags } from "../flags.ts";
import { openWorkspace } from "../session.ts";

/** Gives up after this time: completions are only useful if they are quick. */
const PATIENCE_MS = 1_500;

/** More suggestions than this do not fit a screen. */
const OFFERED = 200;
const EVENT_CODES = 1_000;

/** A word with what zsh and fish show beside it. */
interface Described {
  text: string;
  about: string;
}

type Offered = string | Described;

/** Newest things of a kind that are offered. */
const NEWEST = 50;

/** Values that are read from the store; described ones in the order in which they are offered. */
const STORED = {
  task: (app: OpenedApp) => taskKeys(app),
  status: async (app: OpenedApp) => [...STATUSES.map(({ name }) => name), ...Object.keys(await countByStatus(app))],
  workflow_type: async (app: OpenedApp) => (await workflowTypeCounts(app)).map((type) => type.workflow_type_key),
  event_code: (app: OpenedApp) => app.store.read((reads) => reads.trigger.eventCodes(EVENT_CODES)),
  queue: async (app: OpenedApp) =>
    (await app.store.read((reads) => queuesOf(app, reads))).queues.flatMap(({ queue_name }) => queue_name ?? []),
  invocation: invocationIds,
  async runner(app: OpenedApp) {
    const { runners } = await listRunners(app, { show: ["all"], limit: [String(NEWEST)] });
    return runners.map(({ runner_id, name }) => described(runner_id, [name.runner_cls, name.hostname]));
  },
  async event(app: OpenedApp) {
    const { events } = await listEvents(app, parseEventInput({ limit: [String(NEWEST)] }, app.now()));
    return events.map(({ event_id, event_code }) => described(event_id, [event_code]));
  },
  async workflow(app: OpenedApp) {
    const { runs } = await workflowRuns(app, { limit: [String(NEWEST)] });
    return runs.map(({ workflow_id, workflow_type_key, invocation: { status } }) =>
      described(workflow_id, [workflow_type_key, status]),
    );
  },
  async thing(app: OpenedApp, typed: string) {
    const [ids, tasks, queues] = await Promise.all([invocationIds(app, typed), taskKeys(app), STORED.queue(app)]);
    return [...ids, ...tasks.map((one) => described(one, ["task"])), ...queues.map((one) => described(one, ["queue"]))];
  },
} as const;

/** Those of the newest invocations, or the newest whose ids begin like this. */
async function invocationIds(app: OpenedApp, typed: string): Promise<Offered[]> {
  const raw = { limit: [String(NEWEST)], ...(typed === "" ? {} : { id_prefix: [typed] }) };
  const { invocations } = await listInvocations(app, await readInvocationInput(app, raw, "list"));
  return invocations.map(({ invocation_id, task_id_key, status }) => described(invocation_id, [task_id_key, status]));
}

function described(text: string, about: readonly (string | null | undefined)[]): Described {
  return { text, about: visibleLine(about.filter((one) => one != null).join(" ")) };
}

/**
 * `monitor complete -- <words...>`: completions of the last word, one per line. It never fails and prints no errors: if anything goes wrong,
 * it prints nothing.
 */
export async function complete(program: Command, words: readonly string[], describe: boolean): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), PATIENCE_MS);
  });
  const offered = await Promise.race([candidates(program, words).catch(() => []), late]);
  clearTimeout(timer);
  // A connection to a store that does not respond may still be pending.
  if (offered === "late") process.exit(0);
  const lines = offered.map((one) =>
    typeof one === "string" ? one : describe ? `${one.text}\t${one.about}` : one.text,
  );
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

async function candidates(program: Command, words: readonly string[]): Promise<Offered[]> {
  const typed = words.at(-1) ?? "";
  const { command, flags, open } = readLine(program, words.slice(0, -1));
  const assigned = /^(--[\w-]+)=(.*)$/s.exec(typed);
  if (assigned !== null) {
    const [, flag = "", value = ""] = assigned;
    const found = await valuesFor(completionOf(program, command, flag), value, flags, command);
    return found.map((one) => `${flag}=${typeof one === "string" ? one : one.text}`);
  }
  if (open !== null) return valuesFor(completionOf(program, command, open), typed, flags, command);
  if (typed.startsWith("-")) return beginning(typed, flagsOf(program, command));
  if (command === null || command === "help") return beginning(typed, shownCommands(program));
  return valuesFor(argumentCompletion(program, command), typed, flags, command);
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

async function valuesFor(
  values: Completion | undefined,
  typed: string,
  flags: Flags,
  command: string | null,
): Promise<Offered[]> {
  if (values === undefined) return [];
  if (values === "fields") return valuesFor({ list: await fieldsOf(command) }, typed, flags, command);
  if (typeof values === "object" && "list" in values) {
    const before = typed.slice(0, typed.lastIndexOf(",") + 1);
    return beginning(typed.slice(before.length), values.list).map((word) => before + word);
  }
  if (typeof values !== "string") return beginning(typed, values);
  if (values === "query") return queryValues(typed, flags);
  if (values === "app") return beginning(typed, await appIds(flags));
  return beginning(typed, await inStore(flags, (app) => STORED[values](app, typed)));
}

/** The members of the rows that a command prints. */
async function fieldsOf(command: string | null): Promise<string[]> {
  const asked = QUESTIONS.find(({ name }) => name === command);
  if (asked?.command?.rows === undefined) return [];
  const { knownFields } = await import("../chosen-rows.ts");
  return knownFields(asked.command.rows, await asked.answers());
}

/** Completes a search term: first its field, then its value. Shells treat `>` specially, so fields that allow it get a colon too. */
async function queryValues(typed: string, flags: Flags): Promise<Offered[]> {
  const piece = openPiece(typed);
  const before = typed.slice(0, piece.from);
  if (piece.field === null) {
    const fields = Object.keys(QUERY_FIELDS).map((name) => `${name}:`);
    if (before !== "") return [];
    const ids = typed === "" ? [] : beginning(typed, await inStore(flags, (app) => invocationIds(app, typed)));
    return [...beginning(typed, fields), ...ids];
  }
  const values = FIELD_VALUES[piece.field];
  if (values === undefined) return [];
  const names = typeof values === "function" ? await inStore(flags, values) : values;
  return beginning(piece.typed, names).map((name) => before + queryValue(name));
}

async function inStore<Name extends Offered>(
  flags: Flags,
  names: (app: OpenedApp) => Promise<readonly Name[]>,
): Promise<Name[]> {
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

/** The output has one suggestion per line, so names with line breaks are left out. Described ones keep their order. */
function beginning<Name extends Offered>(typed: string, names: readonly Name[]): Name[] {
  const textOf = (one: Offered) => (typeof one === "string" ? one : one.text);
  const fitting = names.filter((one) => textOf(one).startsWith(typed) && !/\p{Cc}/u.test(textOf(one)));
  if (fitting.every((one) => typeof one === "string")) fitting.sort();
  return fitting.slice(0, OFFERED);
}
