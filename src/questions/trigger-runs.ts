import { CONTEXT_KINDS } from "../pynenc/context-summary.ts";
import { after, columns, paging, timeRange } from "./model/common-input.ts";
import { page, question, text, word } from "./model/declare.ts";

export const triggerRuns = question({
  name: "trigger-runs",
  area: "triggers",
  summary: "list trigger runs, newest first",
  input: {
    task: text("that started this task: module.function", { flag: "--task <key>", completion: "task" }),
    trigger: text("of this trigger", { flag: "--trigger <id>" }),
    kind: word("caused by this kind of participant", CONTEXT_KINDS, { flag: "--kind <kind>" }),
    ...timeRange("executed at or after this time", "executed at or before this time"),
    ...paging(200, 25),
    after,
    fields: columns,
  },
  addresses: [page("/trigger-runs/")],
  command: {
    usage: "trigger-runs",
    examples: [
      "monitor trigger-runs --kind exception",
      "monitor trigger-runs --task shop.orders.ship --since 2026-07-04T10:00",
      "monitor trigger-runs --json | jq -r '.trigger_runs[].trigger_run_id'",
    ],
    watch: true,
  },
  answers: async () => [(await import("../api/trigger-runs.ts")).TriggerRunList],
  ask: async (app, input) => (await import("../services/triggers/trigger-runs.ts")).listTriggerRuns(app, input),
});
