import { statsInput } from "../inputs/stats.ts";
import { page, question } from "./model/declare.ts";

export const stats = question({
  name: "stats",
  area: "tasks",
  summary: "show how much ran, how long, and how often it failed",
  details:
    "Covers the last hour unless another range is given. Quantiles are accurate to within 1 %. Without a running monitor serve, the history of the range is read first; the output says if that is incomplete.",
  input: statsInput,
  addresses: [page("/stats/")],
  command: {
    usage: "stats",
    group: "time",
    rows: [{ in: "rows", id: ["task_id_key", "runner_id", "host", "exception"] }],
    examples: [
      "monitor stats --since 24h --sort p95",
      "monitor stats --since 1h --compare yesterday",
      "monitor stats --by host --json | jq '.rows[] | {host, failed}'",
    ],
    watch: true,
  },
  tool: {
    name: "stats",
    takes: ["from", "to", "by", "task_id", "sort", "compare", "limit"],
    most: 500,
    note: "Use it for figures: throughput, durations and waits (p50, p95), failure rates, by task, runner, host or exception; and with `compare` for what got slower or fails more than in an earlier range. A time in the past is the range from `since` to `until`.",
  },
  answers: async () => [(await import("../api/stats.ts")).Stats],
  ask: async (app, input) => (await import("../services/stats/stats.ts")).stats(app, input),
});
