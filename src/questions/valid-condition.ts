import { page } from "./model/addresses.ts";
import { text } from "./model/parameters.ts";
import { question } from "./model/question.ts";

export const validCondition = question({
  name: "valid-condition",
  area: "triggers",
  summary: "show one condition that was met",
  input: { valid_condition_id: text("", { required: true }) },
  addresses: [page("/trigger-runs/valid-condition")],
  command: null,
  answers: async () => [(await import("../api/conditions.ts")).ValidConditionDetail],
});
