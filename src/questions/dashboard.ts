import { timeRange } from "./model/common-input.ts";
import { page, question } from "./model/declare.ts";

export const dashboard = question({
  name: "dashboard",
  area: "health",
  summary: "show what is wrong and what happened lately",
  input: timeRange("what happened at or after this time", "what happened at or before this time"),
  addresses: [page("/")],
  answers: async () => [(await import("../api/health.ts")).Dashboard],
});
