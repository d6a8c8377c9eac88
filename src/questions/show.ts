import { at } from "../inputs/common.ts";
import { text } from "../inputs/parameter.ts";
import { question } from "./model/declare.ts";

export const show = question({
  name: "show",
  area: "find",
  summary: "show everything about the object with this id, of any kind",
  details:
    "Takes what find takes: ids of every kind, in full, their first 4 or more characters, or shortened as pages and commands print them; names of tasks; and log lines. If several things match, they are listed.",
  input: {
    id: text("an id of any kind: in full, shortened, or its first 4 or more characters", {
      argument: "id",
      completion: "thing",
      required: true,
    }),
    at: { ...at, meaning: `an invocation, workflow run, event or trigger run ${at.meaning}` },
  },
  command: {
    usage: "show <text...>",
    web: (words) => `/search?q=${encodeURIComponent(words.join(" "))}`,
    examples: [
      "monitor show 93041383...4339",
      "monitor show shop.orders.place_order",
      "monitor show 93041383 --at 'yesterday 14:05'",
    ],
    exits: "Exits with 2 if several things match, and with 3 if nothing does.",
  },
  tool: {
    name: "show",
    takes: ["id", "at"],
    note: "Use it for the facts about one known thing: arguments, result, error with its traceback, status history, retries and children of an invocation; steps of a workflow run; payload of an event; conditions of a trigger; what a runner does.",
    async answers() {
      const [{ ShownOfAnyKind }, { FindAnswer }] = await Promise.all([
        import("../api/show.ts"),
        import("../api/find.ts"),
      ]);
      return [ShownOfAnyKind, FindAnswer];
    },
  },
  async answers() {
    const [{ ShownThing }, { FindAnswer }] = await Promise.all([import("../api/show.ts"), import("../api/find.ts")]);
    return [ShownThing, FindAnswer];
  },
});
