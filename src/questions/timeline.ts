import { TIMELINE_FORMATS } from "../api/words.ts";
import { outFile } from "../inputs/common.ts";
import { text, word } from "../inputs/parameter.ts";
import { timelineFormat, timelineInput } from "../inputs/timeline.ts";
import { fragment, page, question } from "./model/declare.ts";

export const timeline = question({
  name: "timeline",
  area: "timeline",
  summary: "show what every runner did in a time window",
  input: timelineInput,
  addresses: [
    {
      ...page("/invocations/timeline", { input: { ...timelineInput, format: timelineFormat } }),
      forms: ["text/html", "image/svg+xml"],
    },
    fragment("/invocations/timeline/compact", "A small timeline, for other pages", timelineInput),
  ],
  command: {
    usage: "timeline",
    group: "time",
    examples: [
      "monitor timeline --since 1h",
      "monitor timeline --since 1h --out timeline.svg",
      "monitor timeline --at 'yesterday 14:05'",
    ],
    options: {
      ...outFile,
      out: text(
        "write a drawing (.svg), trace events for Perfetto (.trace.json) or data (.json); - is standard output",
        {
          flag: "-o, --out <file>",
        },
      ),
      format: word("format, whatever the file is called; without --out to standard output", TIMELINE_FORMATS, {
        flag: "--format <format>",
      }),
    },
  },
  tool: {
    name: "timeline",
    about:
      "Count what happened over time: status changes in up to 24 slices of a window, in all and for each runner or task, with how long each runner was busy. Covers the last 5 minutes unless a window is given.",
    takes: ["from", "to", "group", "q", "task_id", "runner", "at"],
    note: "Use it for when something began, stopped or peaked, and for which runner was idle when. For totals use `stats`.",
    answers: async () => [(await import("../api/timeline.ts")).TimelineInCounts],
    ask: async (app, input) => (await import("../services/timeline/timeline-counts.ts")).timelineCounts(app, input),
  },
  async answers() {
    const [{ Timeline }, { WrittenFile }] = await Promise.all([
      import("../api/timeline.ts"),
      import("../api/written-file.ts"),
    ]);
    return [Timeline, WrittenFile];
  },
});
