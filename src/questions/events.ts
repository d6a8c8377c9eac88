import { EVENT_ANSWERS, EVENT_STATES, EXPORT_FORMATS } from "../api/words.ts";
import { after, columns, fileFormat, paging, timeRange } from "./model/common-input.ts";
import { data, file, onOff, page, question, text, whole, word } from "./model/declare.ts";

const event_code = text("with this event code", { flag: "--code <code>", completion: "event_code" });
const range = timeRange("emitted at or after this time", "emitted at or before this time");

const exported = {
  event_code,
  ...range,
  matched: word("that met a condition", EVENT_ANSWERS, { flag: "--matched <answer>", usual: "all" }),
  triggered: word("that started an invocation", EVENT_ANSWERS, { flag: "--triggered <answer>", usual: "all" }),
  ...paging(200, 25),
} as const;

export const events = question({
  name: "events",
  area: "events",
  summary: "list events, newest first",
  input: { ...exported, after, fields: columns },
  addresses: [
    page("/events/"),
    file("/events/export", ["text/csv", "application/x-ndjson"], {
      summary: "All events that match, as a file",
      input: { ...exported, format: fileFormat },
    }),
    data("/events/api/markers", {
      summary: "Events in a window of time, as marks on a timeline",
      answer: async () => (await import("../api/events.ts")).EventMarkers,
      input: {
        ...range,
        event_code,
        state: word("only these events", EVENT_STATES, { usual: "all" }),
        limit: whole("maximum number of events", { least: 1, most: 5_000, usual: 1_000 }),
        offset: whole("number of events to skip", { least: 0, usual: 0 }),
      },
    }),
  ],
  command: {
    usage: "events",
    examples: [
      "monitor events --code order.created --triggered no",
      "monitor events --since 2026-07-04T10:00 --limit 100",
      "monitor events --format jsonl | jq -r .event_id",
      "monitor events --follow --code order.created",
    ],
    options: {
      format: word("print one page, or all matching rows", ["table", ...EXPORT_FORMATS], {
        flag: "--format <format>",
        usual: "table",
      }),
      follow: onOff("print a JSON line for each event from now on, until Ctrl-C", { flag: "--follow" }),
    },
    watch: true,
  },
  async answers() {
    const { EventList, EventRow } = await import("../api/events.ts");
    return [EventList, EventRow];
  },
});
