/** The search. */
import { z } from "zod";
import { ID_KINDS } from "../pynenc/id-kinds.ts";
import { instant, statusWord, taskIdKey } from "./model/common.ts";

export const FoundKind = z
  .enum([...ID_KINDS, "task", "queue", "event_code", "workflow_type", "family", "page", "action", "query"])
  .meta({
    id: "FoundKind",
    description: "What a text may mean. family: an invocation with all that followed it, shown as a tree.",
  });
export type FoundKind = z.infer<typeof FoundKind>;

export const FoundThing = z
  .object({
    kind: FoundKind,
    id: z
      .string()
      .describe(
        "The id; the name of things without an id; the key of a page or an action; the query of a search for invocations.",
      ),
    label: z.string().describe("A short text for people; the id if nothing else is known."),
    task_id_key: taskIdKey.nullable(),
    status: statusWord.nullable().describe("Of invocations, workflow runs and runs of the atomic service."),
    detail: z.string().nullable().describe("Class and host of a runner, code of an event, what a condition waits for."),
    at: instant.nullable().describe("When it happened or last changed."),
    path: z.string().describe("The address of its page."),
    app_id: z.string().exactOptional().describe("The app of the store that has it, if it is not the one searched."),
  })
  .meta({ id: "FoundThing", description: "Something that a text may mean." });
export type FoundThing = z.infer<typeof FoundThing>;

export const FindAnswer = z
  .object({
    query: z.string(),
    matches: z.array(FoundThing).describe("The likeliest first."),
    complete: z.boolean().describe("The search was exhaustive, so a single match is the only one."),
    tried: z.array(z.string()).describe("What was searched for, as sentence fragments."),
    near: z
      .array(FoundThing)
      .describe(
        "If nothing matches: ids, names and searches in arguments in other apps of the store, ids with a similar beginning, and similar names. Also if only a task matches and the ids of a log line are in other apps.",
      ),
  })
  .meta({ id: "FindAnswer", description: "What an id in any form, a name or a log line means." });
export type FindAnswer = z.infer<typeof FindAnswer>;

export const QueryCompletion = z
  .object({
    from: z.int().describe("Index of the first UTF-16 unit of the query that a suggestion replaces."),
    suggestions: z
      .array(
        z.object({
          text: z.string().describe("As written in a query, quoted if necessary."),
          about: z.string().nullable().describe("A description of what it finds."),
          whole: z.boolean().describe("It completes a term; otherwise a value follows."),
        }),
      )
      .describe("The likeliest first, at most 20. Only recent runners and exceptions."),
  })
  .meta({ id: "QueryCompletion", description: "Completions for the end of a query." });
export type QueryCompletion = z.infer<typeof QueryCompletion>;
