import { queueInput } from "../inputs/components.ts";
import { page, question } from "./model/declare.ts";

export const queue = question({
  name: "queue",
  area: "components",
  summary: "list waiting messages, in the order they are taken",
  input: queueInput,
  addresses: [page("/broker/queue")],
  command: {
    usage: "queue [queue]",
    group: "things",
    rows: [{ in: "messages", id: ["invocation_id"] }],
    examples: ["monitor queue", "monitor queue mail", "monitor queue --json | jq .page.total"],
    watch: true,
  },
  tool: {
    name: "queue",
    takes: ["queue", "at", "page", "limit"],
    most: 200,
    note: "Use it for what waits for a runner and since when, what comes next, how long each queue is, and whether a runner takes from it.",
  },
  answers: async () => [(await import("../api/components.ts")).QueuePage],
  ask: async (app, input) => (await import("../services/components/broker.ts")).queuePage(app, input),
});
