import { failuresInput } from "../inputs/stats.ts";
import { page, question } from "./model/declare.ts";

export const failures = question({
  name: "failures",
  area: "tasks",
  summary: "group failures by task and exception",
  details:
    "Most frequent first; retries too. Covers the last hour unless another range is given. `--by group` divides the groups by kind of message. Ids, numbers, paths, quoted values, addresses and dates in messages are replaced, so that failures with the same cause form one group. The exception of a retry is not stored, so the retries of each task are a group of their own.",
  input: failuresInput,
  addresses: [page("/failures/")],
  command: {
    usage: "failures",
    group: "time",
    rows: [{ in: "groups", id: ["invocation_ids"] }],
    examples: [
      "monitor failures",
      "monitor failures --since 24h --by group",
      "monitor failures --json | jq -r '.groups[0].invocation_ids[]'",
    ],
    watch: true,
  },
  tool: {
    name: "failures",
    takes: ["from", "to", "by", "task_id", "limit"],
    note: "Use it for which errors there were, how often, since when, and ids of examples. A time in the past is the range from `since` to `until`.",
  },
  answers: async () => [(await import("../api/stats.ts")).Failures],
  ask: async (app, input) => (await import("../services/stats/failures.ts")).failures(app, input),
});
