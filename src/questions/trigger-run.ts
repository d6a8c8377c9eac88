import { data, fragment, page } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const triggerRun = question({
  name: "trigger-run",
  area: "triggers",
  summary: "show one trigger run: what met the conditions, and what it started; the start of its id is enough",
  input: {},
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
    group: "terminal",
    examples: ["monitor trigger-run 56782980", "monitor trigger-run 56782980 --json | jq .notes"],
    shows: "trigger_run",
  },
  answers: async () => [(await import("../api/trigger-runs.ts")).TriggerRunDetail],
});
