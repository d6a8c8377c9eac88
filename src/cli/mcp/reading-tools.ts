/** Read-only tools, made from the questions: each answers with what the command prints with `--json`. */
import type { z } from "zod";
import { versioned } from "../../api/version.ts";
import { InvalidInputError } from "../../errors.ts";
import { linksTo } from "../../presentation/links.ts";
import { searchedPages } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import { QUESTIONS } from "../../questions/all.ts";
import { toolDescription, toolSchema } from "../../questions/derived/input-schema.ts";
import { spokenName } from "../../questions/model/parameter-words.ts";
import type { Question } from "../../questions/model/question.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { find } from "../../services/find/find.ts";
import { identifiedObject } from "../../services/find/identified-object.ts";
import type { RawInput } from "../../services/input/input.ts";
import { why } from "../../services/why/why.ts";
import { shownWithVerdicts } from "../details/verdicts.ts";

/** A tool that takes named parameters and answers with a document. */
export interface ReadingTool {
  name: string;
  description: string;
  input: z.ZodObject;
  question: Question;
}

export type Given = Readonly<Record<string, string | number | undefined>>;

type Ask = (app: OpenedApp, input: RawInput) => Promise<object>;

/** Answers that lead to other things. */
const WITH_LINKS: Readonly<Record<string, Ask>> = {
  why: async (app, input) => placedWhy(await linksTo(app), await why(app, input)),
  find: async (app, input) => withPaths(await linksTo(app), await find(app, input, searchedPages(true, true))),
  async show(app, { id }) {
    const found = await find(app, { q: id }, searchedPages(true, true));
    const thing = identifiedObject(found);
    if (thing === null) return withPaths(await linksTo(app), found);
    const { detail, found: verdicts } = await shownWithVerdicts(app, thing.kind, thing.id);
    return { ...thing, detail, ...verdicts };
  },
};

export const READING_TOOLS: readonly ReadingTool[] = QUESTIONS.flatMap((question) => {
  const { tool, input } = question;
  if (tool === undefined) return [];
  return [{ name: tool.name, description: toolDescription(question), input: toolSchema(input, tool), question }];
});

/** Runs a tool; input errors name the tool's own parameters. */
export async function readWith({ question }: ReadingTool, app: OpenedApp, given: Given): Promise<object> {
  const ask = WITH_LINKS[question.name] ?? question.ask;
  if (ask === undefined) throw new Error(`nothing answers ${question.name}`);
  try {
    return versioned(await ask(app, rawInput(question, given)));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const own = (parameter: string) => toolName(question, parameter);
    const problems = error.problems.map((problem) => ({ ...problem, parameter: own(problem.parameter) }));
    throw new InvalidInputError(problems, error.hint);
  }
}

function toolName({ input }: Question, parameter: string): string {
  const declared = Object.hasOwn(input, parameter) ? input[parameter] : undefined;
  return (declared && spokenName(declared)) ?? parameter;
}

/** The given values under the names of addresses. An empty text counts as not given. */
function rawInput(question: Question, given: Given): RawInput {
  return Object.fromEntries(
    (question.tool?.takes ?? []).flatMap((parameter) => {
      const value = given[toolName(question, parameter)];
      return value === undefined || value === "" ? [] : [[parameter, [String(value)]]];
    }),
  );
}
