import { page, question, text } from "./model/declare.ts";

export const validCondition = question({
  name: "valid-condition",
  area: "triggers",
  summary: "show one condition that was met",
  input: { valid_condition_id: text("", { required: true }) },
  addresses: [page("/trigger-runs/valid-condition")],
  answers: async () => [(await import("../api/conditions.ts")).ValidConditionDetail],
  ask: async (app, input) =>
    (await import("../services/triggers/valid-conditions.ts")).validConditionDetail(app, input),
});
