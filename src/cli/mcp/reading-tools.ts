/** Read-only tools, made from the questions: each answers with what the command prints with `--json`, or with what an assistant needs of it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import type { DoctorReport } from "../../api/health.ts";
import { versioned } from "../../api/version.ts";
import { InvalidInputError } from "../../errors.ts";
import { text, word } from "../../inputs/parameter.ts";
import { linksTo } from "../../presentation/links.ts";
import { searchedPages } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import { placedWhy, withSteps } from "../../presentation/verdict-steps.ts";
import { QUESTIONS } from "../../questions/all.ts";
import { toolDescription, toolSchema, toolValue } from "../../questions/derived/input-schema.ts";
import { instantIn } from "../../questions/model/instant.ts";
import { spokenName } from "../../questions/model/parameter-words.ts";
import type { Question, Tool } from "../../questions/model/question.ts";
import { LONGEST_WAIT, wait } from "../../questions/wait.ts";
import { asOf } from "../../services/app/as-of.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { find } from "../../services/find/find.ts";
import { identifiedObject } from "../../services/find/identified-object.ts";
import { statusReport } from "../../services/health/status.ts";
import { parseInput, type RawInput } from "../../services/input/input.ts";
import { waitFor } from "../../services/invocations/wait.ts";
import { statusAt } from "../../services/stats/status-at.ts";
import type { WithFoundVerdicts } from "../../services/verdicts/verdicts.ts";
import { why } from "../../services/why/why.ts";
import { detailsAsOf } from "../details/as-of.ts";
import { shownWithVerdicts } from "../details/verdicts.ts";
import { fullIds } from "../invocation-ids.ts";
import { logNames, readLogLines } from "./log-tool.ts";

/** A tool that takes named parameters and answers with a document. */
export interface ReadingTool extends Pick<Tool, "name" | "otherNames"> {
  description: string;
  input: z.ZodObject;
  question: Question;
  /** Schemas of its answers. */
  answers(): Promise<readonly z.ZodType[]>;
  ask(app: OpenedApp, given: Given): Promise<object>;
}

export type Given = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface ReadingChoice {
  /** Log files that may be read; null if logs are not offered at all. */
  logs: readonly string[] | null;
  /** Checks the store of an app. */
  doctor(app: OpenedApp): Promise<WithFoundVerdicts<DoctorReport>>;
}

type Ask = (app: OpenedApp, input: RawInput) => Promise<object>;

/** Answers that lead to other things, and those that depend on this process. */
function asks({ logs, doctor }: ReadingChoice): Readonly<Record<string, Ask>> {
  const files = logNames(logs ?? []);
  return {
    status: async (app, input) =>
      input.at === undefined ? withSteps(await linksTo(app), await statusReport(app)) : statusAt(app, input),
    why: async (app, input) => placedWhy(await linksTo(app), await why(app, input)),
    find: async (app, input) => withPaths(await linksTo(app), await find(app, input, searchedPages(true, true))),
    show,
    wait: waited,
    logs: (app, { file = [], pasted = [], ...filter }) =>
      readLogLines(app, files.get(file.at(-1) ?? "") ?? null, pasted.at(-1) ?? "", filter),
    doctor: async (app) => withSteps(await linksTo(app), await doctor(app)),
  };
}

async function show(app: OpenedApp, { id, at }: RawInput): Promise<object> {
  const found = await find(app, { q: id }, searchedPages(true, true));
  const thing = identifiedObject(found);
  if (thing === null) return withPaths(await linksTo(app), found);
  if (at === undefined) {
    const { detail, found: verdicts } = await shownWithVerdicts(app, thing.kind, thing.id);
    return { ...thing, detail, ...verdicts };
  }
  const past = detailsAsOf(thing.kind);
  if (past === null) {
    const accepted = "of an invocation, a workflow run, an event or a trigger run: only these are known of the past";
    throw new InvalidInputError([{ parameter: "at", value: at.at(-1) ?? "", accepted }]);
  }
  const detail = await asOf(app, await instantIn(app, at), (then) => past.load(then, thing.id));
  return { ...thing, detail, verdicts: [], not_looked_at: [] };
}

/** Seconds, unless another time is given. */
const USUAL_WAIT = 10;

async function waited(app: OpenedApp, { ids = [], timeout, ...input }: RawInput): Promise<object> {
  const clock = { now: () => performance.now(), sleep };
  return waitFor(app, await fullIds(app, ids), { ...input, timeout: [`${secondsToWait(timeout)}s`] }, clock);
}

/** How long a tool waits, however long it was asked to. @throws InvalidInputError */
export function secondsToWait(timeout: RawInput[string]): number {
  const { timeout: given = USUAL_WAIT } = parseInput({ timeout: wait.input.timeout }, { timeout });
  return Math.min(given, LONGEST_WAIT);
}

/** In the order of the questions. */
export function readingTools(choice: ReadingChoice): ReadingTool[] {
  const own = asks(choice);
  return QUESTIONS.flatMap((question): ReadingTool[] => {
    const { tool } = question;
    if (tool === undefined || (tool.name === "logs" && choice.logs === null)) return [];
    const ask = own[question.name] ?? tool.ask ?? question.ask;
    if (ask === undefined) throw new Error(`nothing answers ${question.name}`);
    return [
      {
        ...tool,
        description: toolDescription(question),
        input: inputOf(question, tool, choice),
        question,
        answers: tool.answers ?? (async () => (await question.answers()).slice(0, 1)),
        ask: (app, given) => asked(question, tool, ask, app, given),
      },
    ];
  });
}

const APP = text("another app of the same store, by its id; without it, the one that the server was started for");

function inputOf({ input }: Question, tool: Tool, { logs }: ReadingChoice): z.ZodObject {
  return toolSchema(input, tool.name === "logs" ? withFiles(tool, logs ?? []) : tool).extend({ app: toolValue(APP) });
}

/** The log files that may be read. Without any, the parameter would accept no value. */
function withFiles(tool: Tool, logs: readonly string[]): Tool {
  const names = [...logNames(logs).keys()];
  const { options, takes } = tool;
  if (names.length === 0) return { ...tool, takes: takes.filter((name) => name !== "file") };
  return { ...tool, options: { ...options, file: word(options?.file?.meaning ?? "", names, { argument: "file" }) } };
}

/** Asks; input errors name the tool's own parameters. */
async function asked(question: Question, tool: Tool, ask: Ask, app: OpenedApp, given: Given): Promise<object> {
  try {
    return versioned(await ask(app, rawInput(question, tool, given)));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const problems = error.problems.map((problem) => ({
      ...problem,
      parameter: toolName(question, tool, problem.parameter),
    }));
    throw new InvalidInputError(problems, error.hint);
  }
}

/** The name that the tool has for a parameter of a service, or for an argument of a command: `<id...>`. */
function toolName({ input }: Question, { options = {} }: Tool, parameter: string): string {
  const declared = { ...input, ...options };
  const argument = /^<(\w+)(\.\.\.)?>$/.exec(parameter);
  if (argument !== null) return `${argument[1]}${argument[2] === undefined ? "" : "s"}`;
  const own = Object.hasOwn(declared, parameter) ? declared[parameter] : undefined;
  return (own && spokenName(own)) ?? parameter;
}

/** The given values under the names of addresses. An empty text counts as not given. */
function rawInput(question: Question, tool: Tool, given: Given): RawInput {
  return Object.fromEntries(
    tool.takes.flatMap((parameter) => {
      const value = given[toolName(question, tool, parameter)];
      if (value === undefined || value === "") return [];
      return [[parameter, Array.isArray(value) ? value : [String(value)]]];
    }),
  );
}
