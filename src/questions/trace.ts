import { TRACE_FORMATS } from "../api/words.ts";
import { traceInput } from "../inputs/causes.ts";
import { at } from "../inputs/common.ts";
import { text, word } from "../inputs/parameter.ts";
import { data, question } from "./model/declare.ts";
import { instantIn } from "./model/instant.ts";

export const trace = question({
  name: "trace",
  area: "causes",
  summary: "show what something caused, or why it happened",
  details: "Takes an event, an invocation or a trigger run.",
  input: {
    id: text("an id of an event, invocation or trigger run: in full, shortened, or its first 4 or more characters", {
      argument: "id",
      required: true,
    }),
    ...traceInput,
  },
  addresses: [data("/events/:event_id/trace", { summary: "The causal chain around an event", input: traceInput })],
  command: {
    usage: "trace <id>",
    group: "time",
    examples: [
      "monitor trace 93041383",
      "monitor trace 93041383 --direction up",
      "monitor trace 93041383 --format dot | dot -Tsvg > trace.svg",
    ],
    options: {
      at,
      format: word("what to print; unless given, a tree on a terminal and otherwise json", TRACE_FORMATS, {
        flag: "--format <format>",
      }),
    },
  },
  tool: {
    name: "trace",
    takes: ["id", "direction", "limit", "at"],
    options: { at },
    most: 5_000,
    note: "Use it for causes and effects across invocations, events and triggers: direction `down` for everything that followed, `up` for what led to it.",
  },
  answers: async () => [(await import("../api/causes.ts")).Trace],
  async ask(app, { id, at: then, ...raw }) {
    const [causes, { withId }] = await Promise.all([
      import("../services/causes/trace.ts"),
      import("../services/model/resolve-ids.ts"),
    ]);
    const input = causes.parseTraceInput(raw);
    const about = { parameter: "id", kinds: causes.TRACED, text: id?.at(-1) ?? "" };
    if (then === undefined) return withId(app, about, (whole) => causes.trace(app, null, whole, input));
    const { asOf } = await import("../services/app/as-of.ts");
    const instant = await instantIn(app, then);
    return withId(app, about, (whole) => asOf(app, instant, (past) => causes.trace(past, null, whole, input)));
  },
});
