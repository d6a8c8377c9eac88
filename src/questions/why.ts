import { whyInput } from "../inputs/find.ts";
import { page, question } from "./model/declare.ts";

export const why = question({
  name: "why",
  area: "health",
  summary: "explain what is wrong with the app, or with one thing",
  details:
    "Prints the verdict, its evidence and what to do, worst first. A kind before a name or an id says which is meant: queue mail, workflow 7f7489d9.",
  input: whyInput,
  addresses: [page("/why")],
  command: {
    usage: "why [id...]",
    examples: ["monitor why", "monitor why place_order", "monitor why --json | jq .verdict.code"],
  },
  tool: {
    name: "why",
    takes: ["id"],
    note: "Start here. Without an id: everything that looks wrong with the app now. With an id or the name of a task: why an invocation failed, waits, is stuck or is slow, why an event triggered nothing, why a runner counts as silent. Only the present can be judged: of the past, ask `status`, `queue`, `runners`, `timeline` or `show` with `at`, and `failures` or `stats` with `since` and `until`.",
  },
  answers: async () => [(await import("../api/why.ts")).WhyAnswer],
});
