import { columns } from "../inputs/common.ts";
import { tasksInput } from "../inputs/tasks.ts";
import { page, question, refresh } from "./model/declare.ts";

export const tasks = question({
  name: "tasks",
  area: "tasks",
  summary: "list tasks with counts by status, failing ones first",
  input: { ...tasksInput, fields: columns },
  addresses: [page("/tasks/"), refresh("/tasks/refresh", "the list of tasks")],
  command: {
    usage: "tasks [name]",
    group: "things",
    rows: [{ in: "tasks", id: ["task_id_key"] }],
    examples: ["monitor tasks", "monitor tasks orders", "monitor tasks --json | jq -r '.tasks[].task_id_key'"],
    watch: true,
  },
  answers: async () => [(await import("../api/tasks.ts")).TaskList],
});
