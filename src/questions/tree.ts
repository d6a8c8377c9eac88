import { bare, familyTreeInput } from "../inputs/causes.ts";
import { at } from "../inputs/common.ts";
import { page, question } from "./model/declare.ts";

export const tree = question({
  name: "tree",
  area: "causes",
  summary: "show what led to an invocation, and what it started",
  input: { ...familyTreeInput, bare, at },
  addresses: [page("/invocations/:id/family-tree")],
  command: {
    usage: "tree <invocation>",
    group: "time",
    rows: [{ in: "nodes", id: ["invocation_id"] }],
    examples: [
      "monitor tree 93041383",
      "monitor tree 93041383 --limit 500",
      "monitor tree 93041383 --json | jq '.nodes[] | select(.status == \"failed\")'",
    ],
  },
  answers: async () => [(await import("../api/causes.ts")).FamilyTree],
});
