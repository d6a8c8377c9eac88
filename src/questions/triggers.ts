import { triggersInput } from "../inputs/triggers.ts";
import { page, question } from "./model/declare.ts";

export const triggers = question({
  name: "triggers",
  area: "triggers",
  summary: "list triggers by task, and when schedules are due next",
  input: triggersInput,
  addresses: [page("/triggers/")],
  command: {
    usage: "triggers",
    group: "things",
    rows: [{ in: "tasks.triggers", id: ["trigger_id"] }],
    examples: ["monitor triggers", "monitor triggers --json | jq -r '.tasks[].task_id_key'"],
  },
  tool: {
    name: "triggers",
    takes: ["page", "limit"],
    note: "Use it for which events, schedules or results start which tasks. Only those that are registered now are known.",
  },
  answers: async () => [(await import("../api/triggers.ts")).TriggerList],
  ask: async (app, input) => (await import("../services/triggers/triggers.ts")).listTriggers(app, input),
});
