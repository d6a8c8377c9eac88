import { familyInput } from "../inputs/causes.ts";
import { page, question } from "./model/declare.ts";

export const tree = question({
  name: "tree",
  area: "causes",
  summary: "show what led to an invocation, and what it started",
  input: familyInput,
  addresses: [
    page("/invocations/:id/family-tree"),
    page("/trace/:id", { summary: "The family of an event, an invocation, a trigger run or a workflow run" }),
  ],
  command: {
    usage: "tree <invocation>",
    group: "time",
    rows: [{ in: "rows", id: ["id"] }],
    examples: [
      "monitor tree 93041383",
      "monitor tree 93041383 --limit 500",
      "monitor tree 93041383 --json | jq '.rows[].invocation.status'",
    ],
  },
  answers: async () => [(await import("../api/causes.ts")).FamilyPicture],
});
