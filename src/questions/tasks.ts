import { TASK_ORDERS } from "../api/words.ts";
import { columns } from "./model/common-input.ts";
import { page, question, refresh, text, word } from "./model/declare.ts";

export const tasks = question({
  name: "tasks",
  area: "tasks",
  summary: "list tasks with their invocations by status, failing ones first",
  input: {
    name: text("only tasks whose module.function contains this, ignoring case", { argument: "name" }),
    sort: word("order of the tasks", TASK_ORDERS, {
      flag: "--sort <order>",
      explained: { failing: "the most failed invocations first", name: "by name" },
      usual: "failing",
    }),
    fields: columns,
  },
  addresses: [page("/tasks/"), refresh("/tasks/refresh", "the list of tasks")],
  command: {
    usage: "tasks [name]",
    examples: ["monitor tasks", "monitor tasks orders", "monitor tasks --json | jq -r '.tasks[].task_id_key'"],
    watch: true,
  },
  answers: async () => [(await import("../api/tasks.ts")).TaskList],
});
