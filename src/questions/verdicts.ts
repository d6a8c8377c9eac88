import { data, question } from "./model/declare.ts";

export const verdicts = question({
  name: "verdicts",
  area: "health",
  summary: "list what looks wrong now, and nothing else",
  addresses: [data("/verdicts")],
  answers: async () => [(await import("../api/verdicts.ts")).VerdictList],
});
