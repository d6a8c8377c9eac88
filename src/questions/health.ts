import { data, question } from "./model/declare.ts";

export const health = question({
  name: "health",
  area: "health",
  summary: "tell whether the monitor answers and could read its store",
  addresses: [data("/health")],
  answers: async () => [(await import("../api/health.ts")).Health],
});
