import { SEVERITIES } from "../api/words.ts";
import { word } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

export const doctor = question({
  name: "doctor",
  area: "health",
  summary: "check the store and the app; exits with 1 on problems",
  command: {
    usage: "doctor",
    group: "checks",
    rows: [
      { in: "verdicts", id: ["code"] },
      { in: "reports.verdicts", id: ["code"] },
    ],
    examples: ["monitor doctor", "monitor doctor --fail-on error", "monitor doctor --db app.db --json | jq .verdicts"],
    options: {
      fail_on: word("what exits with 1", SEVERITIES, {
        flag: "--fail-on <severity>",
        explained: { error: "only errors", warning: "warnings too" },
        usual: "warning",
      }),
    },
  },
  tool: {
    name: "doctor",
    takes: [],
    about:
      "Check the store itself and the settings: which file or server it is, its size, layout and version, whether it can be written, what is stored in each table, and problems of configuration.",
    note: "Use it when answers look incomplete or the store looks wrong; for problems of tasks, queues and runners use `why`. Only the present can be checked.",
  },
  async answers() {
    const { DoctorReport, DoctorReports } = await import("../api/health.ts");
    return [DoctorReport, DoctorReports];
  },
});
