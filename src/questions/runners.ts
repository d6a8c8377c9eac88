import { columns } from "../inputs/common.ts";
import { onOff } from "../inputs/parameter.ts";
import { runnersInput } from "../inputs/runners.ts";
import { page, question, refresh } from "./model/declare.ts";

export const runners = question({
  name: "runners",
  area: "runners",
  summary: "list active runners",
  input: { ...runnersInput, fields: columns },
  addresses: [page("/runners/"), refresh("/runners/refresh", "the list of runners")],
  command: {
    usage: "runners",
    group: "things",
    rows: [{ in: "runners", id: ["runner_id"] }],
    examples: ["monitor runners", "monitor runners --all --limit 20"],
    options: { all: onOff("list all recorded runners", { flag: "--all" }) },
    watch: true,
  },
  answers: async () => [(await import("../api/runners.ts")).RunnerList],
});
