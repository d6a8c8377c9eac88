import { EXPORT_FORMATS } from "../api/words.ts";
import { columns, fileFormat } from "../inputs/common.ts";
import { onOff, word } from "../inputs/parameter.ts";
import { eventFilter, eventMarkersInput, eventsInput } from "../inputs/triggers.ts";
import { data, file, page, question } from "./model/declare.ts";

export const events = question({
  name: "events",
  area: "events",
  summary: "list events, newest first",
  input: { ...eventsInput, fields: columns },
  addresses: [
    page("/events/"),
    file("/events/export", ["text/csv", "application/x-ndjson"], {
      summary: "All events that match, as a file",
      input: { ...eventFilter, format: fileFormat },
    }),
    data("/events/api/markers", {
      summary: "Events in a window of time, as marks on a timeline",
      answer: async () => (await import("../api/events.ts")).EventMarkers,
      input: eventMarkersInput,
    }),
  ],
  command: {
    usage: "events",
    group: "things",
    rows: [{ in: "events", id: ["event_id"] }],
    examples: [
      "monitor events --code order.placed --triggered no",
      "monitor events --since 1h --format ids",
      "monitor events --follow --code order.placed",
    ],
    options: {
      format: word("print one page, or all matching rows", ["table", ...EXPORT_FORMATS, "ids"], {
        flag: "--format <format>",
        usual: "table",
      }),
      follow: onOff("print a JSON line for each event from now on, until Ctrl-C", { flag: "--follow" }),
    },
    watch: true,
  },
  tool: {
    name: "events",
    takes: ["event_code", "from", "to", "matched", "triggered", "limit", "after"],
    note: "Use it for which events were emitted, and which of them met no condition or started nothing (`triggered: no`); then `why` with the id of one. A time in the past is the range from `since` to `until`. For the next ones, pass `older` of an answer as `after`.",
    async ask(app, input) {
      const service = await import("../services/triggers/events.ts");
      return service.listEvents(app, service.parseEventInput(input, app.now()));
    },
  },
  async answers() {
    const { EventList, EventRow } = await import("../api/events.ts");
    return [EventList, EventRow];
  },
});
