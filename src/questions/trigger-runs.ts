import { columns } from "../inputs/common.ts";
import { triggerRunsInput } from "../inputs/triggers.ts";
import { page, question } from "./model/declare.ts";

export const triggerRuns = question({
  name: "trigger-runs",
  area: "triggers",
  summary: "list trigger runs, newest first",
  input: { ...triggerRunsInput, fields: columns },
  addresses: [page("/trigger-runs/")],
  command: {
    usage: "trigger-runs",
    group: "things",
    rows: [{ in: "trigger_runs", id: ["trigger_run_id"] }],
    examples: [
      "monitor trigger-runs --kind exception",
      "monitor trigger-runs --task shop.orders.place_order --since 2026-07-04T10:00",
    ],
    watch: true,
  },
  answers: async () => [(await import("../api/trigger-runs.ts")).TriggerRunList],
  ask: async (app, input) => (await import("../services/triggers/trigger-runs.ts")).listTriggerRuns(app, input),
});
