import { checkInput } from "../inputs/health.ts";
import { onOff, text } from "../inputs/parameter.ts";
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
    options: {
      follow: onOff("print a JSON line for each error or warning that appears or ends, until Ctrl-C", {
        flag: "--follow",
      }),
      on_verdict: text("with --follow: run this command for each, passed as JSON on standard input; no shell", {
        flag: "--on-verdict <command>",
      }),
    },
    exits: "Exits with 0 if all is well, 1 if not or if it is not known.",
  },
  answers: async () => [(await import("../api/health.ts")).AppCheck],
});
