/** The search. */
import { z } from "zod";
import { ID_KINDS } from "../pynenc/id-kinds.ts";
import { instant, statusWord, taskIdKey } from "./model/common.ts";

export const FoundKind = z
  .enum([...ID_KINDS, "task", "event_code", "workflow_type", "page", "action", "query"])
  .meta({ id: "FoundKind" });
export type FoundKind = z.infer<typeof FoundKind>;

export const FoundThing = z
  .object({
    kind: FoundKind,
    id: z
      .string()
      .describe(
        "The name of what has no other id; of a page or an action its key; of a search for invocations its query.",
      ),
    label: z.string().describe("A few words for people; the id where nothing else is known."),
    task_id_key: taskIdKey.nullable(),
    status: statusWord.nullable().describe("Of invocations, workflow runs and runs of the atomic service."),
    detail: z.string().nullable().describe("Class and host of a runner, code of an event, what a condition waits for."),
    at: instant.nullable().describe("When it happened or last changed."),
    path: z.string().describe("The address of its page."),
  })
  .meta({ id: "FoundThing", description: "Something that a text may mean." });
export type FoundThing = z.infer<typeof FoundThing>;

export const FindAnswer = z
  .object({
    query: z.string(),
    matches: z.array(FoundThing).describe("The likeliest first."),
    complete: z.boolean().describe("The search was exhaustive: a single match is the only one."),
    tried: z.array(z.string()).describe("What was looked for: fragments of a sentence."),
    near: z.array(FoundThing).describe("If nothing matches: ids with a similar beginning, and similar names."),
  })
  .meta({ id: "FindAnswer", description: "What an id in any form, a name or a log line means." });
export type FindAnswer = z.infer<typeof FindAnswer>;

export const QueryCompletion = z
  .object({
    from: z.int().describe("Index of the first UTF-16 unit of the query that a suggestion replaces."),
    suggestions: z
      .array(
        z.object({
          text: z.string().describe("As it is written in a query: in quotes where it has to be."),
          about: z.string().nullable().describe("What it finds."),
          whole: z.boolean().describe("It ends a term; otherwise its value follows."),
        }),
      )
      .describe("The likeliest first, at most 20. Runners and exceptions are those of late."),
  })
  .meta({ id: "QueryCompletion", description: "What may stand at the end of a query." });
export type QueryCompletion = z.infer<typeof QueryCompletion>;
