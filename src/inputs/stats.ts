/** What figures over time are asked with. */
import { FAILURE_GROUPS, STATS_GROUPS, STATS_ORDERS } from "../api/words.ts";
import { limit, timeRange } from "./common.ts";
import { text, word } from "./parameter.ts";

const range = timeRange("from this time on (default 1h)", "up to this time");
const task_id = text("only this task: module.function", { flag: "--task <task>", completion: "task" });

export const statsInput = {
  ...range,
  by: word("what rows stand for, by default task, or runner if one runner is requested", STATS_GROUPS, {
    flag: "--by <what>",
  }),
  sort: word("order of the rows, greatest first except by name; exceptions take failed or name", STATS_ORDERS, {
    flag: "--sort <column>",
    explained: { p95: "of runs", wait: "its p95", busy: "seconds" },
    alias: {
      duration: "p95",
      run: "p95",
      run_p95: "p95",
      wait_p95: "wait",
      ...{ task: "name", runner: "name", host: "name", exception: "name" },
    },
    usual: "failed",
  }),
  task_id,
  runner: text("only this runner", { flag: "--runner <id>" }),
  compare: text(
    "another range whose figures are printed beside them: previous, yesterday, last-week, or how long before (1d)",
    { flag: "--compare <range>" },
  ),
  limit: limit(1_000, 100, "rows"),
} as const;

export const failuresInput = {
  ...range,
  by: word("what failures are grouped by", FAILURE_GROUPS, {
    flag: "--by <what>",
    explained: {
      type: "task and exception",
      group: "task, exception and kind of message",
      exception: "exception and kind of message",
    },
    usual: "type",
  }),
  task_id,
  limit: limit(500, 50, "groups", "--limit <groups>"),
} as const;
