/** What the timeline is drawn with. */
import { LANES, TIMELINE_FORMATS } from "../api/words.ts";
import { at, inv_ids, invocationFilter, limit } from "./common.ts";
import { onOff, text, withoutFlags, word } from "./parameter.ts";

/** Invocations that are drawn one by one. */
export const MAX_DRAWN = 5_000;

export const timelineInput = {
  ...invocationFilter,
  ...withoutFlags({ status_mode: invocationFilter.status_mode }),
  from: {
    ...invocationFilter.from,
    meaning: "start of the window: 5m (default), 2h, yesterday 14:05, 2026-07-04T10:00",
  },
  to: { ...invocationFilter.to, meaning: "end of the window" },
  inv_ids: {
    ...inv_ids,
    meaning: "only these invocations, by id; without a start and an end, the window is fitted to them; repeatable",
    flag: "--id <id>",
    repeatable: true,
  },
  limit: limit(
    MAX_DRAWN,
    500,
    "draw at most this many invocations one by one; the rest are only counted",
    "--limit <invocations>",
  ),
  group: word("what a lane is", LANES, {
    flag: "--group <what>",
    explained: {
      task: "those that failed most first",
      cause: "what started an invocation: a task, an event or a schedule",
    },
    usual: "runner",
  }),
  collapse_external: onOff(
    "processes outside of runners share one lane, and the one-shot workers of a runner share another",
    { usual: "1" },
  ),
  show_system: onOff("include pynenc's own tasks", { usual: "1" }),
  show_atomic_service: onOff("include runs of the atomic service", { usual: "1" }),
  open: text(
    "a runner or task whose lane has bars even where those are short, or the name of a lane of many runners to have a lane for each; * for all lanes",
    {
      read: "all",
      flag: "--open <lane>",
      repeatable: true,
    },
  ),
  selected: text("the selected invocation"),
  focus_event: text("the selected event"),
  histogram_status: text("statuses to count over time, separated by commas: registered, pending, running"),
  at: { ...at, meaning: `${at.meaning}; without a window, the 5 minutes before` },
} as const;

export const timelineFormat = word("a file to save instead of the page", TIMELINE_FORMATS);
