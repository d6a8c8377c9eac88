import { data } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const health = question({
  name: "health",
  area: "health",
  summary: "tell whether the monitor answers and could read its store",
  input: {},
  addresses: [data("/health")],
  command: null,
  answers: async () => [(await import("../api/health.ts")).Health],
});
