import { data, fragment, page, question } from "./model/declare.ts";

const answers = () => import("../api/events.ts");

export const event = question({
  name: "event",
  area: "events",
  summary: "show everything about one event",
  details: "The start of its id is enough.",
  addresses: [
    page("/events/:event_id"),
    data("/events/:event_id/api", {
      summary: "One event with its trigger runs",
      answer: async () => (await answers()).EventApi,
    }),
    data("/events/:event_id/trigger-runs", {
      summary: "The trigger runs that an event took part in",
      answer: async () => (await answers()).EventTriggerRuns,
    }),
    fragment("/events/:id/panel", "One event, for the timeline's panel"),
  ],
  command: {
    usage: "event <id>",
    group: "things",
    examples: ["monitor event f9f93999", "monitor event f9f93999...7232 --json | jq .payload"],
    shows: "event",
  },
  answers: async () => [(await answers()).EventDetail],
});
