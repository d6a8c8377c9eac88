/** What events, triggers and trigger runs are asked for with. */
import { EVENT_ANSWERS, EVENT_STATES } from "../api/words.ts";
import { CONTEXT_KINDS } from "../pynenc/context-summary.ts";
import { after, paging, timeRange } from "./common.ts";
import { text, whole, word } from "./parameter.ts";

const event_code = text("with this event code", { flag: "--code <code>", completion: "event_code" });
const emitted = timeRange("emitted at or after this time", "emitted at or before this time");

/** Also of their files. */
export const eventFilter = {
  event_code,
  ...emitted,
  matched: word("that met a condition", EVENT_ANSWERS, { flag: "--matched <answer>", usual: "all" }),
  triggered: word("that started an invocation", EVENT_ANSWERS, { flag: "--triggered <answer>", usual: "all" }),
  ...paging(200, 25),
} as const;

export const eventsInput = { ...eventFilter, after } as const;

export const eventMarkersInput = {
  ...emitted,
  event_code,
  state: word("only these events", EVENT_STATES, { usual: "all" }),
  limit: whole("maximum number of events", { least: 1, most: 5_000, usual: 1_000 }),
  offset: whole("number of events to skip", { least: 0, usual: 0 }),
} as const;

export const triggersInput = paging(200);

export const triggerRunsInput = {
  task: text("that started this task: module.function", { flag: "--task <key>", completion: "task" }),
  trigger: text("of this trigger", { flag: "--trigger <id>" }),
  kind: word("what caused it", CONTEXT_KINDS, { flag: "--kind <kind>" }),
  ...timeRange("executed at or after this time", "executed at or before this time"),
  ...paging(200, 25),
  after,
} as const;

// Codes inside these ids may start or end with a space.
export const conditionInput = {
  condition_id: text("", { required: true, read: "exact", accepted: "the whole id of a condition" }),
} as const;

export const validConditionInput = {
  valid_condition_id: text("", { required: true, read: "exact", accepted: "the whole id of a valid condition" }),
} as const;
