/** Read-only tools: each answers with what the command of the same name prints with `--json`. */
import { z } from "zod";
import { versioned } from "../../api/version.ts";
import { InvalidInputError } from "../../errors.ts";
import { createLinks } from "../../presentation/links.ts";
import { searchedPages } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { parseTraceInput, traceOfAny } from "../../services/causes/trace.ts";
import { compare } from "../../services/compare/compare.ts";
import { find } from "../../services/find/find.ts";
import { identifiedObject } from "../../services/find/identified-object.ts";
import type { RawInput } from "../../services/input/input.ts";
import { listInvocations, readInvocationInput } from "../../services/invocations/invocations.ts";
import { withId } from "../../services/model/resolve-ids.ts";
import { failures } from "../../services/stats/failures.ts";
import { stats } from "../../services/stats/stats.ts";
import { why } from "../../services/why/why.ts";
import { DETAILS } from "../details/all.ts";
import { verdictsOnShown } from "../details/verdicts.ts";

/** A tool that takes named parameters and answers with a document. */
export interface ReadingTool {
  name: string;
  /** The command whose `--json` document is the answer; null if there is none. */
  command: string | null;
  description: string;
  input: z.ZodObject;
  read(app: OpenedApp, given: Given): Promise<object>;
}

export type Given = Readonly<Record<string, string | number | undefined>>;

const id = z.string().max(1_000).describe("An id of any kind: in full, shortened, or its first 4 or more characters.");
const query = z
  .string()
  .max(10_000)
  .describe(
    "Terms such as status:failed task:shop.* error:Timeout run>5s; all of them must match (see docs/commands).",
  );
const since = z.string().describe("From this time on: 2h, yesterday 14:05, 2026-07-04T10:00 (UTC).");
const until = z.string().describe("Up to this time.");
const task = z.string().describe("Only this task: module.function.");
const limit = (most: number) =>
  z.number().int().min(1).max(most).describe(`Return at most this many; the maximum is ${most}.`);

const links = createLinks(null);

export const READING_TOOLS: readonly ReadingTool[] = [
  {
    name: "why",
    command: "why",
    description:
      "What looks wrong with the app, worst first; or with an id, why that thing is in its state: the verdict, what it follows from, what to look at next. Start here.",
    input: z.strictObject({ id: id.optional() }),
    read: async (app, given) => placedWhy(links, await why(app, raw(given, { id: "id" }))),
  },
  {
    name: "search",
    command: "find",
    description:
      "What a text means: an id in any form, the name of a task or event, an order number, a pasted log line.",
    input: z.strictObject({ text: z.string().max(10_000) }),
    read: async (app, given) => withPaths(links, await find(app, raw(given, { text: "q" }), searchedPages(true, true))),
  },
  {
    name: "invocations",
    command: "invocations",
    description:
      "Invocations that match a search, newest first. For the next ones, pass `older` of an answer as `after`.",
    input: z.strictObject({
      query: query.optional(),
      since: since.optional(),
      until: until.optional(),
      limit: limit(200).optional(),
      after: z.string().max(2_000).optional(),
    }),
    read: async (app, given) => {
      const names = { query: "q", since: "from", until: "to", limit: "limit", after: "after" };
      return listInvocations(app, await readInvocationInput(app, raw(given, names), "list"));
    },
  },
  {
    name: "show",
    command: "show",
    description:
      "Everything about one thing: invocation, task, queue, event, trigger run, trigger, runner, workflow run, call. If the text matches several, they are listed.",
    input: z.strictObject({ id }),
    read: async (app, given) => {
      const found = await find(app, raw(given, { id: "q" }), searchedPages(true, true));
      const thing = identifiedObject(found);
      if (thing === null) return withPaths(links, found);
      const detail = await DETAILS[thing.kind].load(app, thing.id);
      return { ...thing, detail, ...(await verdictsOnShown(app, thing.kind, thing.id, detail)) };
    },
  },
  {
    name: "trace",
    command: "trace",
    description: "The causal chain around an event, an invocation or a trigger run: what it led to, or what led to it.",
    input: z.strictObject({
      id,
      direction: z.enum(["down", "up", "both"]).optional(),
      limit: limit(5_000).optional(),
    }),
    read: async (app, given) => {
      const input = parseTraceInput(raw(given, { direction: "direction", limit: "limit" }));
      const about = { parameter: "id", kinds: ["event", "invocation", "trigger_run"] as const, text: String(given.id) };
      return withId(app, about, (whole) => traceOfAny(app, whole, input));
    },
  },
  {
    name: "failures",
    command: "failures",
    description:
      "Failures and retries in a time range (default: the last hour) by task, exception and message, most frequent first.",
    input: z.strictObject({
      since: since.optional(),
      until: until.optional(),
      by: z.enum(["group", "exception", "task"]).optional(),
      task: task.optional(),
      limit: limit(500).optional(),
    }),
    read: (app, given) =>
      failures(app, raw(given, { since: "from", until: "to", by: "by", task: "task_id", limit: "limit" })),
  },
  {
    name: "stats",
    command: "stats",
    description:
      "How much ran in a time range (default: the last hour), how long it waited and ran, and how often it failed.",
    input: z.strictObject({
      since: since.optional(),
      until: until.optional(),
      by: z.enum(["task", "runner", "host", "exception"]).optional(),
      task: task.optional(),
      sort: z.enum(["failed", "finished", "p95", "wait", "busy", "name"]).optional(),
      compare: z.string().optional().describe("Another range to compare with: previous, yesterday, last-week, or 1d."),
      limit: limit(500).optional(),
    }),
    read: (app, given) =>
      stats(
        app,
        raw(given, {
          since: "from",
          until: "to",
          by: "by",
          task: "task_id",
          sort: "sort",
          compare: "compare",
          limit: "limit",
        }),
      ),
  },
  {
    name: "compare",
    command: "compare",
    description:
      "What differs between the invocations that match a search and others: by task, host, arguments, time and more; only differences larger than chance.",
    input: z.strictObject({
      query: query.optional(),
      with: z.string().optional().describe("rest (all others), before (the range before `since`), or another search."),
      since: since.optional(),
      until: until.optional(),
      limit: limit(200).optional(),
    }),
    read: (app, given) =>
      compare(app, raw(given, { query: "q", with: "with", since: "from", until: "to", limit: "limit" })),
  },
];

/** The given values under a service's parameter names. An empty text counts as not given. */
function raw(given: Given, names: Readonly<Record<string, string>>): RawInput {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, parameter]) => {
      const value = given[name];
      return value === undefined || value === "" ? [] : [[parameter, [String(value)]]];
    }),
  );
}

/** Runs a tool; input errors name the tool's own parameters. */
export async function readWith(tool: ReadingTool, app: OpenedApp, given: Given): Promise<object> {
  try {
    return versioned(await tool.read(app, given));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidInputError(
      error.problems.map((problem) => ({ ...problem, parameter: OWN_NAMES[problem.parameter] ?? problem.parameter })),
      error.hint,
    );
  }
}

const OWN_NAMES: Readonly<Record<string, string>> = { q: "query", from: "since", to: "until", task_id: "task" };
