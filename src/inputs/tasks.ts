/** What tasks and calls are asked for with. */
import { TASK_ORDERS } from "../api/words.ts";
import { paging } from "./common.ts";
import { text, withoutFlags, word } from "./parameter.ts";

export const tasksInput = {
  name: text("only tasks whose module.function contains this, ignoring case", { argument: "name" }),
  sort: word("order of the tasks", TASK_ORDERS, {
    flag: "--sort <order>",
    explained: { failing: "the most failed invocations first", name: "by name" },
    alias: { failed: "failing", task: "name" },
    usual: "failing",
  }),
} as const;

/** Pages of the invocations of a task or a call. */
export const invocationPages = withoutFlags(paging());
