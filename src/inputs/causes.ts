/** What causes and families are asked for with. */
import { TRACE_DIRECTIONS } from "../api/words.ts";
import { at, limit } from "./common.ts";
import { onOff, text, word } from "./parameter.ts";

export const traceInput = {
  direction: word("which way to go", TRACE_DIRECTIONS, {
    flag: "--direction <direction>",
    explained: { down: "what it caused", up: "what led to it" },
    usual: "down",
  }),
  limit: limit(20_000, 5_000, "read at most this many nodes", "--limit <nodes>"),
} as const;

export const familyInput = {
  limit: limit(2_000, 200, "show at most this many events, trigger runs and invocations", "--limit <number>"),
  expand: text("show 50 more below these invocations: ids separated by commas, or repeated", {
    flag: "--expand <id...>",
    read: "list",
    most: 40,
  }),
  bare: onOff("only the picture, even in a browser", { usual: "0" }),
  at,
} as const;

/** Keyword accepted instead of the id of `b`. */
export const LAST_SUCCESS = "last-success";

const DIFFERED = "the id of an invocation or a workflow run";

export const diffInput = {
  a: text(DIFFERED, { argument: "a", accepted: DIFFERED }),
  b: text(`another, or ${LAST_SUCCESS}: the newest success of the same task that was registered before`, {
    argument: "b",
    accepted: `${DIFFERED}, or ${LAST_SUCCESS}`,
  }),
} as const;
