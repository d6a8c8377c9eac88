import { STATS_ORDERS, TOP_RANGES } from "../api/words.ts";
import { onOff, word } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

export const top = question({
  name: "top",
  area: "health",
  summary: "show problems, tasks, failures and runners, live",
  details:
    "Keys: up and down select a row, Enter opens it, s sorts tasks by the next column, r takes the next range, / filters rows by a text, p pauses, q quits.",
  input: {
    range: word("how far back figures reach", TOP_RANGES, { flag: "--range <length>", usual: "1h" }),
    sort: word("order of tasks", STATS_ORDERS, {
      flag: "--sort <column>",
      explained: { p95: "of runs" },
      usual: "failed",
    }),
  },
  command: {
    usage: "top",
    web: () => "/",
    examples: ["monitor top", "monitor top --range 24h --sort p95", "monitor top --once"],
    options: {
      once: onOff("print it once and exit; without a terminal nothing is cut", { flag: "--once" }),
    },
  },
  answers: async () => [(await import("../api/health.ts")).Top],
});
