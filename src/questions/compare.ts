import { compareInput } from "../inputs/invocations.ts";
import { page, question } from "./model/declare.ts";

export const compare = question({
  name: "compare",
  area: "invocations",
  summary: "show what differs between some invocations and others",
  details:
    "Compares the invocations that match a search or lie in a range with a baseline, by task, arguments, host, runner, hour of day, parent task, trigger, retries, exception and status, and by how long they ran and waited. Lists only differences that are larger than chance, the greatest first, with the counts of both sides. If there are many invocations, a sample is compared, and the answer says so (docs/compare.md).",
  input: compareInput,
  addresses: [page("/compare/")],
  command: {
    usage: "compare [query...]",
    group: "time",
    rows: [{ in: "differences", id: [] }],
    examples: [
      "monitor compare 'run>5s' --since 24h",
      "monitor compare status:failed task:place_order --with task:place_order",
      "monitor compare status:failed --json | jq -r '.differences[].sentence'",
    ],
  },
  tool: {
    name: "compare",
    takes: ["q", "with", "from", "to", "limit"],
    note: "Use it for what the failed or slow ones have in common: an argument, a host, an hour. For how figures changed over time use `stats` with `compare`. A time in the past is the range from `since` to `until`.",
  },
  answers: async () => [(await import("../api/compare.ts")).Comparison],
  ask: async (app, input) => (await import("../services/compare/compare.ts")).compare(app, input),
});
