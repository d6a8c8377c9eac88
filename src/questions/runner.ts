import { page, question } from "./model/declare.ts";

export const runner = question({
  name: "runner",
  area: "runners",
  summary: "show one runner: its heartbeat, and what it worked on",
  addresses: [page("/runners/:runner_id")],
  command: {
    usage: "runner <id>",
    group: "things",
    examples: ["monitor runner 9a3f11c2", "monitor runner ExternalRunner@host-4711 --json | jq .registered"],
    shows: "runner",
  },
  answers: async () => [(await import("../api/runners.ts")).RunnerDetail],
});
