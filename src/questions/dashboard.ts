import { TIME_RANGE } from "../inputs/common.ts";
import { page, question } from "./model/declare.ts";

export const dashboard = question({
  name: "dashboard",
  area: "health",
  summary: "show what is wrong and what happened lately",
  input: TIME_RANGE,
  addresses: [page("/")],
  answers: async () => [(await import("../api/health.ts")).Dashboard],
});
