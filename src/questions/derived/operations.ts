/** The schemas of every address and of what every command prints. */
import type { z } from "zod";
import type { Input } from "../../inputs/parameter.ts";
import { QUESTIONS } from "../all.ts";
import { sentence } from "../model/parameter-words.ts";
import type { Address, Area, Question } from "../model/question.ts";
import { inputSchema } from "./input-schema.ts";

/** One method of one address. */
export interface Operation {
  area: Area;
  summary: string;
  /** Schema of its JSON; null if it has none. */
  answer: z.ZodType | null;
  /** Media types of its other answers: a page, a fragment or a file. */
  forms: readonly string[];
  /** Its query parameters, without `app`, which every address takes. */
  query: z.ZodObject;
  /** Fields of its body. */
  body?: z.ZodObject;
  redirects?: true;
}

/** By method and path, with parameters as the table of routes writes them: `GET /invocations/:id`. */
export async function operations(): Promise<Readonly<Record<string, Operation>>> {
  const all = QUESTIONS.flatMap((question) =>
    question.addresses.map(
      async (address) => [`${address.method} ${address.path}`, await operation(question, address)] as const,
    ),
  );
  return Object.fromEntries(await Promise.all(all));
}

async function operation(question: Question, address: Address): Promise<Operation> {
  const { area = question.area, summary = question.summary, forms, body, redirects } = address;
  return {
    area,
    summary: sentence(summary).replace(/\.$/, ""),
    answer: await answerOf(question, address),
    forms,
    query: inputSchema(inputOf(question, address)),
    ...(body !== undefined && { body: inputSchema(body) }),
    ...(redirects && { redirects }),
  };
}

async function answerOf(question: Question, { answer }: Address): Promise<z.ZodType | null> {
  if (answer !== undefined) return answer === null ? null : answer();
  return (await question.answers())[0] ?? null;
}

/** Another answer means another input. */
function inputOf({ input }: Question, address: Address): Input {
  return address.input ?? (address.method === "GET" && address.answer === undefined ? input : {});
}

/** By command: the schema of what it prints with `--json`; several if its options decide which one. */
export async function printed(): Promise<Readonly<Record<string, readonly z.ZodType[]>>> {
  const ofQuestions = QUESTIONS.filter(({ command }) => command !== null).map(
    async ({ name, answers }) => [name, await answers()] as const,
  );
  const { CompletionScript, DemoStore, OptionList, ServedMonitor } = await import("../../api/app.ts");
  const ofTheProgram = {
    serve: [ServedMonitor],
    demo: [DemoStore, ServedMonitor],
    completion: [CompletionScript],
    options: [OptionList],
  };
  return { ...ofTheProgram, ...Object.fromEntries(await Promise.all(ofQuestions)) };
}
