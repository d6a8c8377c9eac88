import { validConditionInput } from "../inputs/triggers.ts";
import { page, question } from "./model/declare.ts";

export const validCondition = question({
  name: "valid-condition",
  area: "triggers",
  summary: "show one condition that was met",
  input: validConditionInput,
  addresses: [page("/trigger-runs/valid-condition")],
  answers: async () => [(await import("../api/conditions.ts")).ValidConditionDetail],
  ask: async (app, input) =>
    (await import("../services/triggers/valid-conditions.ts")).validConditionDetail(app, input),
});
