import { data, fragment, page, question } from "./model/declare.ts";

export const triggerRun = question({
  name: "trigger-run",
  area: "triggers",
  summary: "show one trigger run: its conditions, and what it started",
  details: "The start of its id is enough.",
  addresses: [
    page("/trigger-runs/:id"),
    data("/trigger-runs/:id/api", {
      summary: "One trigger run, as clients of pynmon read it",
      answer: async () => (await import("../api/legacy.ts")).TriggerRunApi,
    }),
    fragment("/trigger-runs/:id/panel", "One trigger run, for the timeline's panel"),
  ],
  command: {
    usage: "trigger-run <id>",
    group: "things",
    examples: ["monitor trigger-run 56782980", "monitor trigger-run 56782980 --json | jq .notes"],
    shows: "trigger_run",
  },
  answers: async () => [(await import("../api/trigger-runs.ts")).TriggerRunDetail],
});
