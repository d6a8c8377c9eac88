import { page } from "./model/addresses.ts";
import { paging } from "./model/common-input.ts";
import { withoutFlags } from "./model/parameters.ts";
import { question } from "./model/question.ts";

export const task = question({
  name: "task",
  area: "tasks",
  summary: "show one task: its invocations by status, the latest of them, and its calls",
  input: withoutFlags(paging()),
  addresses: [page("/tasks/:task_id_key")],
  command: {
    usage: "task <name>",
    group: "terminal",
    examples: ["monitor task shop.orders.ship", "monitor task ship --json | jq .task.statuses"],
    shows: "task",
  },
  answers: async () => [(await import("../api/tasks.ts")).TaskDetail],
});
