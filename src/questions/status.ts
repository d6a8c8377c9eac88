import { at } from "../inputs/common.ts";
import { question } from "./model/declare.ts";

export const status = question({
  name: "status",
  area: "health",
  summary: "show counts by status, queue, runners, events, and what looks wrong",
  details: "Of the past, only the counts by status are known.",
  input: { at },
  command: {
    usage: "status",
    examples: [
      "monitor status",
      "monitor status --json | jq .statuses.failed",
      "monitor --db app.db status",
      "monitor status --watch",
      "monitor status --at 'yesterday 14:05'",
    ],
    watch: true,
  },
  async answers() {
    const { StatusAt, StatusReport } = await import("../api/health.ts");
    return [StatusReport, StatusAt];
  },
});
