import { page } from "./model/addresses.ts";
import { at, limit } from "./model/common-input.ts";
import { question } from "./model/question.ts";

export const familyPicture = question({
  name: "family-picture",
  area: "causes",
  summary: "show the family of an event, an invocation, a trigger run or a workflow run over time",
  input: { limit: limit(1_000, 200, "maximum number of events, trigger runs and invocations"), at },
  addresses: [page("/trace/:id")],
  command: null,
  answers: async () => [(await import("../api/causes.ts")).FamilyPicture],
});
