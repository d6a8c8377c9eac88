import { RUNNER_SCOPES } from "../api/words.ts";
import { columns, paging } from "./model/common-input.ts";
import { onOff, page, question, refresh, word } from "./model/declare.ts";

export const runners = question({
  name: "runners",
  area: "runners",
  summary: "list active runners",
  input: {
    show: word("runners with a recent heartbeat, or all", RUNNER_SCOPES, { usual: "active" }),
    ...paging(500, 100),
    fields: columns,
  },
  addresses: [page("/runners/"), refresh("/runners/refresh", "the list of runners")],
  command: {
    usage: "runners",
    examples: ["monitor runners", "monitor runners --all --limit 20"],
    options: { all: onOff("list all recorded runners", { flag: "--all" }) },
    watch: true,
  },
  answers: async () => [(await import("../api/runners.ts")).RunnerList],
});
