import type { FindAnswer, FoundKind, FoundThing } from "../../api/find.ts";
import { createLinks } from "../../presentation/links.ts";
import { NAV_ENTRIES } from "../../presentation/nav-entries.ts";
import { count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { KIND_WORDS, withPaths } from "../../presentation/thing-links.ts";
import { find as findThings } from "../../services/find/find.ts";
import type { Flags } from "../flags.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, indented, statusColumn, time, timeColumn } from "../print/text.ts";
import { withApp } from "../session.ts";

/** As of a missing thing. */
const NOTHING_FOUND = 3;

/** `monitor find <text...>`: what an id in any form, a name or a log line means, and where to see it. */
export async function find(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const answer = await findThings(app, { q: [words.join(" ")] }, NAV_ENTRIES);
    const found = withPaths(createLinks(null), answer);
    if (found.matches.length === 0) process.exitCode = NOTHING_FOUND;
    if (out.json) return out.document(found);
    const [only, ...others] = found.matches;
    if (only === undefined) printNothing(found, app.now(), out);
    else if (others.length === 0) out.lines(facts(factsOf(only), out));
    else printMatches(found.matches, app.now(), out);
    if (!found.complete) out.say("There may be more: not everything could be looked at.");
  });
}

function factsOf(found: FoundThing): [string, string | null][] {
  const { kind, id, label, status, at, path } = found;
  const command = commandFor(found);
  return [
    [`${KIND_WORDS[kind][0]?.toUpperCase()}${KIND_WORDS[kind].slice(1)}`, visibleLine(kind === "page" ? label : id)],
    ["What", label === id || kind === "page" ? null : visibleLine(label)],
    ["Status", status === null ? null : visibleLine(status)],
    ["Time", at === null ? null : time(at)],
    ["Address", path],
    ["Show it", command === null ? null : visibleLine(command)],
  ];
}

function printMatches(found: readonly FoundThing[], now: number, out: Output): void {
  out.table(matchColumns(now, out), found);
  out.say(`${count(found.length)} matches. Give one of these ids for its page and the command that shows it.`);
}

function matchColumns(now: number, out: Output): Column<FoundThing>[] {
  return [
    { title: "KIND", cell: ({ kind }) => KIND_WORDS[kind] },
    idColumn("ID OR NAME", ({ kind, id, label }) => (kind === "page" ? label : id)),
    { title: "WHAT", cell: ({ id, label }) => (label === id ? "" : label), cut: "start", min: 14 },
    statusColumn(({ status }) => status ?? NOTHING, out),
    timeColumn("TIME", ({ at }) => at, now),
    { title: "PAGE", cell: ({ path }) => path, optional: true, cut: "end", min: 20 },
  ];
}

function printNothing(
  { query, tried, near, complete }: Pick<FindAnswer, "query" | "tried" | "near" | "complete">,
  now: number,
  out: Output,
): void {
  const shown = query.length > 120 ? `${query.slice(0, 120)}…` : query;
  const words = complete ? "Nothing in this store fits" : "Nothing was found that fits";
  out.say(`${words} ${JSON.stringify(shown)}. Looked for:`, ...indented(tried.map(visible)));
  if (near.length === 0) return;
  out.lines(heading("These begin alike", out));
  out.table(matchColumns(now, out), near);
}

/** The command that shows a thing, or what it took part in; null where only a page does. */
function commandFor({ kind, id }: { kind: FoundKind; id: string }): string | null {
  const words = COMMANDS[kind];
  return words === undefined ? null : `monitor ${words} ${quoted(id)}`;
}

const COMMANDS: Readonly<Partial<Record<FoundKind, string>>> = {
  invocation: "invocation",
  workflow: "invocations --workflow-id",
  event: "event",
  trigger_run: "trigger-run",
  trigger: "trigger-runs --trigger",
  runner: "invocations --runner",
  atomic_service_run: "atomic-service --id-prefix",
  call: "invocations --call",
  task: "invocations --task",
  event_code: "events --code",
  workflow_type: "workflows --type",
  query: "invocations",
};

/** As a shell takes it for one word. */
function quoted(text: string): string {
  return /^[\w.:@%+=,/-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
