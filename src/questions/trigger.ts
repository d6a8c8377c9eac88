import { page, question } from "./model/declare.ts";

export const trigger = question({
  name: "trigger",
  area: "triggers",
  summary: "show one trigger",
  addresses: [page("/triggers/:id")],
  answers: async () => [(await import("../api/triggers.ts")).TriggerDetail],
});
