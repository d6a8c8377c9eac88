import { invocationPages } from "../inputs/tasks.ts";
import { page, question } from "./model/declare.ts";

export const task = question({
  name: "task",
  area: "tasks",
  summary: "show one task: counts by status, latest invocations, calls",
  input: invocationPages,
  addresses: [page("/tasks/:task_id_key")],
  command: {
    usage: "task <name>",
    group: "things",
    examples: ["monitor task shop.orders.place_order", "monitor task place_order --json | jq .task.statuses"],
    shows: "task",
  },
  answers: async () => [(await import("../api/tasks.ts")).TaskDetail],
});
