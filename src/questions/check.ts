import { checkInput } from "../inputs/health.ts";
import { question } from "./model/declare.ts";

export const check = question({
  name: "check",
  area: "health",
  summary: "print whether the app is healthy; exits with 1 if not",
  details: "For cron, alarms and health checks of containers. Muted verdicts do not count.",
  input: checkInput,
  command: {
    usage: "check",
    examples: [
      "monitor check",
      "monitor check --max-failed 5% --since 30m --max-queue-age 5m",
      "monitor check --task ship --max-failed 0 --since 24h --fail-on warning",
    ],
    exits:
      "Exits with 0 if all is well, 1 if not or if it is not known.",
  },
  answers: async () => [(await import("../api/health.ts")).AppCheck],
});
