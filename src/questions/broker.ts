import { page, refresh } from "./model/addresses.ts";
import { question } from "./model/question.ts";

export const broker = question({
  name: "broker",
  area: "components",
  summary: "show queues and the messages that are taken next",
  input: {},
  addresses: [page("/broker/"), refresh("/broker/refresh", "the broker page")],
  command: null,
  answers: async () => [(await import("../api/components.ts")).BrokerOverview],
});
