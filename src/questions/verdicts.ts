import { data } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const verdicts = question({
  name: "verdicts",
  area: "health",
  summary: "list what looks wrong now, and nothing else",
  input: {},
  addresses: [data("/verdicts")],
  command: null,
  answers: async () => [(await import("../api/verdicts.ts")).VerdictList],
});
