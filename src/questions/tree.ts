import { at, limit } from "./model/common-input.ts";
import { onOff, page, question, text, whole } from "./model/declare.ts";

export const tree = question({
  name: "tree",
  area: "causes",
  summary: "show the family of an invocation: what led to it, and what its members started",
  input: {
    depth: whole(
      "levels to show below the first invocation, and below this one",
      { least: 1, most: 100, usual: 8 },
      { flag: "--depth <levels>" },
    ),
    limit: limit(2_000, 60, "show at most this many invocations", "--limit <number>"),
    expand: text("show four more levels and 30 more invocations below these: ids separated by commas, or repeated", {
      flag: "--expand <id...>",
    }),
    bare: onOff("only the picture, even in a browser", { usual: "0" }),
    at,
  },
  addresses: [page("/invocations/:id/family-tree")],
  command: {
    usage: "tree <invocation>",
    examples: [
      "monitor tree 0e5f93a1",
      "monitor tree 0e5f93a1 --limit 500",
      "monitor tree 0e5f93a1 --json | jq '.nodes[] | select(.status == \"failed\")'",
    ],
  },
  answers: async () => [(await import("../api/causes.ts")).FamilyTree],
});
