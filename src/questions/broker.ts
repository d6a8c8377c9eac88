import { page, question, refresh } from "./model/declare.ts";

export const broker = question({
  name: "broker",
  area: "components",
  summary: "show queues and the messages that are taken next",
  addresses: [page("/broker/"), refresh("/broker/refresh", "the broker page")],
  answers: async () => [(await import("../api/components.ts")).BrokerOverview],
});
