/** What a search and a diagnosis are asked with. */
import { ID_KINDS } from "../pynenc/id-kinds.ts";
import { text, word } from "./parameter.ts";

export const findInput = {
  q: text("an id in any form, a name, or a log line", { argument: "text", completion: "thing" }),
  kind: word("only things of this kind", ID_KINDS),
} as const;

export const queryCompletionInput = { q: text("a query up to the cursor") } as const;

export const whyInput = {
  id: text(
    "an id of an invocation, workflow run, event, trigger, runner or another stored object, in any form, or the name of a task, queue or workflow type; the app if absent",
    { argument: "id", completion: "thing" },
  ),
} as const;
