import { familyPictureInput } from "../inputs/causes.ts";
import { page, question } from "./model/declare.ts";

export const familyPicture = question({
  name: "family-picture",
  area: "causes",
  summary: "show the family of an event, an invocation, a trigger run or a workflow run over time",
  input: familyPictureInput,
  addresses: [page("/trace/:id")],
  answers: async () => [(await import("../api/causes.ts")).FamilyPicture],
});
