import { data, fragment, page, question } from "./model/declare.ts";

const pynmon = () => import("../api/legacy.ts");

export const invocation = question({
  name: "invocation",
  area: "invocations",
  summary: "show everything about one invocation",
  details: "The start of its id is enough.",
  addresses: [
    page("/invocations/:id"),
    data("/invocations/:id/api", {
      summary: "One invocation, as clients of pynmon read it",
      answer: async () => (await pynmon()).InvocationApi,
    }),
    data("/invocations/:id/history", {
      summary: "The history of an invocation",
      answer: async () => (await pynmon()).InvocationHistory,
    }),
    data("/invocations/:id/trigger-context", {
      summary: "What triggered an invocation and what it triggered",
      answer: async () => (await pynmon()).TriggerContextApi,
    }),
    fragment("/invocations/:id/panel", "One invocation, for the timeline's panel"),
  ],
  command: {
    usage: "invocation <id>",
    group: "things",
    examples: ["monitor invocation 93041383", "monitor invocation 93041383 --json | jq .exception"],
    shows: "invocation",
  },
  answers: async () => [(await import("../api/invocations.ts")).InvocationDetail],
});
