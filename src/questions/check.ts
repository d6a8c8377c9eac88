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
      "monitor check --follow --fail-on warning --on-verdict ./tell-the-team.sh",
    ],
    options: {
      follow: onOff("print a JSON line for each verdict that appears or ends from now on, until Ctrl-C", {
        flag: "--follow",
      }),
      on_verdict: text("with --follow: run this command for each, passed as JSON on standard input; no shell", {
        flag: "--on-verdict <command>",
      }),
    },
    exits: "Exits with 0 if all is well, 1 if not or if it is not known.",
  },
  async answers() {
    const [{ AppCheck }, { VerdictAlarm }] = await Promise.all([
      import("../api/health.ts"),
      import("../api/verdicts.ts"),
    ]);
    return [AppCheck, VerdictAlarm];
  },
});
