import { SEVERITIES } from "../api/words.ts";
import { word } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

export const doctor = question({
  name: "doctor",
  area: "health",
  summary: "check the store; exits with 1 if something is wrong",
  command: {
    usage: "doctor",
    group: "checks",
    examples: ["monitor doctor", "monitor doctor --fail-on error", "monitor doctor --db app.db --json | jq .verdicts"],
    options: {
      fail_on: word("what exits with 1", SEVERITIES, {
        flag: "--fail-on <severity>",
        explained: { error: "only errors", warning: "warnings too" },
        usual: "warning",
      }),
    },
  },
  async answers() {
    const { DoctorReport, DoctorReports } = await import("../api/health.ts");
    return [DoctorReport, DoctorReports];
  },
});
