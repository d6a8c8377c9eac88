import { at, columns, MOMENTS } from "../inputs/common.ts";
import { onOff } from "../inputs/parameter.ts";
import { runnersInput } from "../inputs/runners.ts";
import { page, question, refresh } from "./model/declare.ts";
import { instantIn } from "./model/instant.ts";

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
  tool: {
    name: "runners",
    takes: ["show", "at", "page", "limit"],
    options: { at: { ...at, meaning: `those that were active then, from their heartbeats: ${MOMENTS}` } },
    most: 200,
    note: "Use it for which workers live, on which hosts, since when and which queues they take from; `show: all` lists silent ones too.",
    async answers() {
      const { RunnerList, RunnersAt } = await import("../api/runners.ts");
      return [RunnerList, RunnersAt];
    },
    async ask(app, { at, ...input }) {
      if (at === undefined) return (await import("../services/runners/runners.ts")).listRunners(app, input);
      return (await import("../services/runners/runners-at.ts")).runnersAt(app, await instantIn(app, at));
    },
  },
  answers: async () => [(await import("../api/runners.ts")).RunnerList],
});
