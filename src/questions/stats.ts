import { STATS_GROUPS, STATS_ORDERS } from "../api/words.ts";
import { limit, timeRange } from "./model/common-input.ts";
import { page, question, text, word } from "./model/declare.ts";

export const stats = question({
  name: "stats",
  area: "tasks",
  summary: "show how much ran, how long it waited and ran, and how often it failed",
  details:
    "Covers the last hour unless another range is given. Quantiles are accurate to within 1 %. Without a running monitor serve, the history of the range is read first; the output says if that is incomplete.",
  input: {
    ...timeRange("from this time on (default 1h)", "up to this time"),
    by: word("what rows stand for, by default task, or runner if one runner is requested", STATS_GROUPS, {
      flag: "--by <what>",
    }),
    sort: word("order of the rows, greatest first except by name; exceptions take failed or name", STATS_ORDERS, {
      flag: "--sort <column>",
      explained: { p95: "of runs", wait: "its p95", busy: "seconds" },
      usual: "failed",
    }),
    task_id: text("only this task: module.function", { flag: "--task <task>", completion: "task" }),
    runner: text("only this runner", { flag: "--runner <id>" }),
    compare: text(
      "another range whose figures are printed beside them: previous, yesterday, last-week, or how long before (1d)",
      { flag: "--compare <range>" },
    ),
    limit: limit(1_000, 100, "rows"),
  },
  addresses: [page("/stats/")],
  command: {
    usage: "stats",
    examples: [
      "monitor stats",
      "monitor stats --since 24h --sort p95",
      "monitor stats --since 1h --compare yesterday",
      "monitor stats --by host --json | jq '.rows[] | {host, failed}'",
    ],
    watch: true,
  },
  tool: { name: "stats", takes: ["from", "to", "by", "task_id", "sort", "compare", "limit"], most: 500 },
  answers: async () => [(await import("../api/stats.ts")).Stats],
  ask: async (app, input) => (await import("../services/stats/stats.ts")).stats(app, input),
});
