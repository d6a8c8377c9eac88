import { page } from "./model/addresses.ts";
import { text } from "./model/parameters.ts";
import { question } from "./model/question.ts";

export const condition = question({
  name: "condition",
  area: "triggers",
  summary: "show one condition with its triggers",
  input: { condition_id: text("", { required: true }) },
  addresses: [page("/trigger-runs/condition")],
  command: null,
  answers: async () => [(await import("../api/conditions.ts")).ConditionDetail],
});
