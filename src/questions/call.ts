import { text } from "../inputs/parameter.ts";
import { invocationPages } from "../inputs/tasks.ts";
import { page, question } from "./model/declare.ts";

export const call = question({
  name: "call",
  area: "tasks",
  summary: "show one call: a task with its arguments, its invocations",
  input: invocationPages,
  addresses: [
    page("/calls/", {
      input: { call_id_key: text("`module.function:arguments_id`", { required: true }), ...invocationPages },
    }),
    page("/calls/**:call_id_key"),
  ],
  command: {
    usage: "call <id>",
    group: "things",
    examples: ["monitor call shop.orders.place_order:1b2c...3d4e", "monitor call 1b2c3d4e --json | jq .arguments"],
    shows: "call",
  },
  answers: async () => [(await import("../api/tasks.ts")).CallDetail],
});
