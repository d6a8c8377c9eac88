import { diffInput } from "../inputs/causes.ts";
import { onOff } from "../inputs/parameter.ts";
import { page, question } from "./model/declare.ts";

export const diff = question({
  name: "diff",
  area: "causes",
  summary: "compare two invocations or workflow runs",
  details: "Arguments, times, children and outcome.",
  input: diffInput,
  addresses: [page("/diff")],
  command: {
    usage: "diff <a> [b]",
    group: "time",
    examples: [
      "monitor diff 93041383 41351814",
      "monitor diff 93041383 --last-success",
      "monitor diff 93041383 --last-success --json | jq '.nodes[] | select(.differs != [])'",
    ],
    options: {
      last_success: onOff("compare with the newest success of the same task that was registered before", {
        flag: "--last-success",
      }),
    },
  },
  answers: async () => [(await import("../api/diff.ts")).Diff],
});
