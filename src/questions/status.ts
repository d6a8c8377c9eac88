import { at } from "../inputs/common.ts";
import { question } from "./model/declare.ts";

const answers = async () => {
  const { StatusAt, StatusReport } = await import("../api/health.ts");
  return [StatusReport, StatusAt];
};

export const status = question({
  name: "status",
  area: "health",
  summary: "show what looks wrong, and counts by status, queue and runner",
  details: "Of the past, only the counts by status are known.",
  input: { at },
  command: {
    usage: "status",
    web: () => "/",
    examples: ["monitor status", "monitor status --watch", "monitor status --at 'yesterday 14:05'"],
    watch: true,
  },
  tool: {
    name: "status",
    takes: ["at"],
    note: "An overview in one small answer: how many invocations are in each status, messages in the queues, runners, and one sentence for each problem. For reasons and evidence use `why`.",
    answers,
  },
  answers,
});
