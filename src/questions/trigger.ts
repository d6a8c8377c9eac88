import { page } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const trigger = question({
  name: "trigger",
  area: "triggers",
  summary: "show one trigger",
  input: {},
  addresses: [page("/triggers/:id")],
  command: null,
  answers: async () => [(await import("../api/triggers.ts")).TriggerDetail],
});
