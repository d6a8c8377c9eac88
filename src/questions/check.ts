import { SEVERITIES } from "../api/words.ts";
import { question, text, word } from "./model/declare.ts";

export const check = question({
  name: "check",
  area: "health",
  summary: "print one line saying whether the app is healthy; exits with 1 if not",
  details: "For cron, alarms and health checks of containers. Muted verdicts do not count.",
  input: {
    fail_on: word("which verdicts count", SEVERITIES, {
      flag: "--fail-on <severity>",
      explained: { warning: "and errors" },
      usual: "error",
    }),
    max_failed: text("how many invocations may have failed: a number such as 10, or a share such as 5%", {
      flag: "--max-failed <limit>",
    }),
    from: text("since when --max-failed counts (default 1h)", { flag: "--since <time>" }),
    task_id: text("the task that --max-failed counts; a part of its name is enough", {
      flag: "--task <task>",
      completion: "task",
    }),
    max_queue_age: text("how long the oldest message in the queues may have waited: 90s, 5m", {
      flag: "--max-queue-age <length>",
    }),
  },
  command: {
    usage: "check",
    examples: [
      "monitor check",
      "monitor check --max-failed 5% --since 30m --max-queue-age 5m",
      "monitor check --task ship --max-failed 0 --since 24h --fail-on warning",
      "monitor check --json | jq .ok",
    ],
    exits:
      "Exits with 0 if all is well, 1 if not or if it is not known, 2 for wrong options, 3 if there is no such app or task, 4 if the store cannot be reached.",
  },
  answers: async () => [(await import("../api/health.ts")).AppCheck],
});
