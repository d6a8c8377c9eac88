/** Prints the matches of a search. */
import type { FindAnswer, FoundKind, FoundThing } from "../../api/find.ts";
import { shellWord } from "../../config/shell-word.ts";
import { ACTION_ENTRIES } from "../../presentation/nav-entries.ts";
import { count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { KIND_LABELS, KIND_WORDS } from "../../presentation/thing-links.ts";
import { queryValue } from "../../services/input/query-text.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { facts, heading, idColumn, indented, statusColumn, timeColumn } from "./text.ts";
import { time } from "./zone.ts";

/** Exit code, the same as for a missing object. */
export const NOTHING_FOUND = 3;

/** For how many of several matches the command that shows it is printed. */
const COMMANDS_PRINTED = 5;

/**
 * One match is printed with its page and command, several as a table; without any, what was searched for.
 *
 * @param run the workflow run that the one match defines.
 */
export function printFound(
  found: FindAnswer,
  app: string | null,
  now: number,
  out: Output,
  run: FoundThing | null = null,
): void {
  const { matches, near, complete } = found;
  const [only, ...others] = matches;
  if (only === undefined) {
    printNothing(found, now, out);
    return;
  }
  if (others.length === 0) {
    out.lines(facts([...factsOf(only, app), ["Workflow run", run && commandFor(run, app)]], out));
  } else {
    out.table(matchColumns(now, out), matches);
    const commands = matches.slice(0, COMMANDS_PRINTED).flatMap((match) => commandFor(match, app) ?? []);
    out.say(`${count(matches.length)} matches.`, ...indented(commands.map(visibleLine)));
  }
  if (!complete) out.say("There may be more: not everything could be searched.");
  printNear(near, now, out);
}

/** @param app named in the command; null if the store has only one. */
function factsOf(found: FoundThing, app: string | null): [string, string | null][] {
  const { kind, id, label, status, at, path } = found;
  const command = commandFor(found, app);
  return [
    [KIND_LABELS[kind], visibleLine(isOwn(kind) ? label : id)],
    ["What", label === id || isOwn(kind) ? null : visibleLine(label)],
    ["Status", status === null ? null : visibleLine(status)],
    ["Time", at === null ? null : time(at)],
    ["Address", path],
    [kind === "action" ? "Do it" : "Show it", command === null ? null : visibleLine(command)],
  ];
}

function matchColumns(now: number, out: Output): Column<FoundThing>[] {
  return [
    { title: "KIND", cell: ({ kind }) => KIND_WORDS[kind] },
    // The names matter more than the page.
    idColumn("ID OR NAME", ({ kind, id, label }) => (isOwn(kind) ? label : id), { min: 26 }),
    { title: "WHAT", cell: whatOf, cut: "end", min: 20 },
    statusColumn(({ status }) => status ?? NOTHING, out),
    timeColumn("TIME", ({ at }) => at, now),
    { title: "PAGE", cell: ({ path }) => path, optional: true, cut: "end", min: 20 },
  ];
}

/** What was searched for, and similar matches. */
function printNothing({ query, tried, near, complete }: FindAnswer, now: number, out: Output): void {
  const shown = query.length > 120 ? `${query.slice(0, 120)}…` : query;
  const words = complete ? "Nothing in this app matches" : "Nothing was found that matches";
  out.say(`${words} ${JSON.stringify(shown)}. Searched for:`, ...indented(tried.map(visible)));
  if (!complete) out.say("There may be more: not everything could be searched.");
  if (/^[^:]*[a-z]{3}[^:]*$/i.test(query))
    out.say(
      `Messages of exceptions are not searched here: monitor invocations ${shellWord(`error:${queryValue(shown)}`)}`,
    );
  printNear(near, now, out);
}

function printNear(near: readonly FoundThing[], now: number, out: Output): void {
  const [first] = near;
  if (first === undefined) return;
  out.lines(heading("Other things to try", out));
  out.table(matchColumns(now, out), near);
  const command = first.app_id === undefined ? null : commandFor(first, first.app_id);
  if (command !== null) out.say(visibleLine(`To see it there: ${command}`));
}

function whatOf({ id, label, app_id }: FoundThing): string {
  if (app_id !== undefined) return `in the app ${app_id}`;
  return label === id ? "" : label;
}

/** Pages and actions of the monitor itself, whose ids mean nothing to people. */
function isOwn(kind: FoundKind): boolean {
  return kind === "page" || kind === "action";
}

/** The command that shows an object or performs an action; null if only a page does. @param app named in the command, if not null */
export function commandFor({ kind, id }: { kind: FoundKind; id: string }, app: string | null): string | null {
  const action = kind === "action" ? ACTION_ENTRIES.find((entry) => entry.key === id) : undefined;
  const words = action?.command ?? (COMMANDS[kind] === null ? null : `${COMMANDS[kind]} ${shellWord(id)}`);
  if (words === null) return null;
  return `monitor ${words}${app === null ? "" : ` --app ${shellWord(app)}`}`;
}

const COMMANDS: Readonly<Record<FoundKind, string | null>> = {
  invocation: "invocation",
  workflow: "workflow",
  event: "event",
  trigger_run: "trigger-run",
  trigger: "show",
  condition: "show",
  valid_condition: "show",
  runner: "runner",
  atomic_service_run: "show",
  call: "call",
  client_data: "show",
  task: "task",
  queue: "queue --queue",
  event_code: "events --code",
  workflow_type: "workflows --type",
  family: "tree",
  page: null,
  action: null,
  query: "invocations",
};
