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
  tool: {
    name: "tasks",
    takes: ["name", "sort"],
    note: "Use it for which tasks there are, and for counts since the beginning; for a range of time, also of the past, use `stats`.",
    ask: async (app, input) => (await import("../services/tasks/tasks.ts")).listTasks(app, input),
  },
  answers: async () => [(await import("../api/tasks.ts")).TaskList],
});
