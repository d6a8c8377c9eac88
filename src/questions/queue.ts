import { paging, queueFilter } from "./model/common-input.ts";
import { page, question } from "./model/declare.ts";

export const queue = question({
  name: "queue",
  area: "components",
  summary: "list waiting messages, in the order they will be taken",
  input: { queue: queueFilter, ...paging(1_000) },
  addresses: [page("/broker/queue")],
  command: {
    usage: "queue",
    examples: ["monitor queue", "monitor queue --queue mail", "monitor queue --json | jq .page.total"],
    watch: true,
  },
  answers: async () => [(await import("../api/components.ts")).QueuePage],
  ask: async (app, input) => (await import("../services/components/broker.ts")).queuePage(app, input),
});
