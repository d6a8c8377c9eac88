import { conditionInput } from "../inputs/triggers.ts";
import { page, question } from "./model/declare.ts";

export const condition = question({
  name: "condition",
  area: "triggers",
  summary: "show one condition with its triggers",
  input: conditionInput,
  addresses: [page("/trigger-runs/condition")],
  answers: async () => [(await import("../api/conditions.ts")).ConditionDetail],
  ask: async (app, input) => (await import("../services/triggers/conditions.ts")).conditionDetail(app, input),
});
