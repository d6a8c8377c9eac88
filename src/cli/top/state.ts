/** The user's choices in `monitor top`, and what each key changes. */

import type { Key } from "node:readline";
import type { ShownKind } from "../../api/show.ts";
import { STATS_ORDERS, TOP_RANGES } from "../../api/words.ts";

/** A row that can be opened. */
export interface Target {
  kind: ShownKind;
  id: string;
}

export interface TopState {
  sort: (typeof STATS_ORDERS)[number];
  range: string;
  /** Only rows that contain this text are shown. */
  filter: string;
  /** The user is typing the filter. */
  typing: boolean;
  paused: boolean;
  /** Key of the selected row; null before any was selected. */
  selected: string | null;
  /** Lines of the opened row, and the first one shown. */
  opened: { lines: readonly string[]; offset: number } | null;
}

export const INITIAL: Readonly<Omit<TopState, "range">> = {
  sort: "failed",
  filter: "",
  typing: false,
  paused: false,
  selected: null,
  opened: null,
};

/** What the program has to do besides repainting. */
export type Effect = "end" | "read" | "open" | null;

/**
 * @param keys of the rows, from top to bottom.
 * @param rows height of the terminal.
 */
export function keyPressed(state: TopState, key: Key, keys: readonly string[], rows: number): [TopState, Effect] {
  if (state.opened !== null) return inOpened(state, state.opened, key, rows);
  if (state.typing) return whileTyping(state, key);
  const move = (by: number): [TopState, Effect] => {
    const at = state.selected === null ? -1 : keys.indexOf(state.selected);
    const from = at === -1 && by < 0 ? 0 : at;
    const selected = keys[Math.max(0, Math.min(keys.length - 1, from + by))] ?? null;
    return [{ ...state, selected }, null];
  };
  switch (key.name ?? key.sequence) {
    case "q":
      return [state, "end"];
    case "up":
    case "k":
      return move(-1);
    case "down":
    case "j":
      return move(1);
    case "pageup":
      return move(-10);
    case "pagedown":
      return move(10);
    case "return":
    case "enter":
      return [state, state.selected === null ? null : "open"];
    case "s":
      return [{ ...state, sort: next(STATS_ORDERS, state.sort) }, "read"];
    case "r":
      return [{ ...state, range: next<string>(TOP_RANGES, state.range) }, "read"];
    case "p":
    case "space":
      return [{ ...state, paused: !state.paused }, state.paused ? "read" : null];
    case "escape":
      return [{ ...state, filter: "", selected: null }, null];
  }
  return key.sequence === "/" ? [{ ...state, typing: true }, null] : [state, null];
}

function next<Value>(all: readonly Value[], current: Value): Value {
  return all[(all.indexOf(current) + 1) % all.length] as Value;
}

function whileTyping(state: TopState, { name, sequence = "", ctrl = false }: Key): [TopState, Effect] {
  if (name === "return" || name === "enter") return [{ ...state, typing: false }, null];
  if (name === "escape") return [{ ...state, typing: false, filter: "" }, null];
  if (name === "backspace") return [{ ...state, filter: Array.from(state.filter).slice(0, -1).join("") }, null];
  // Sequences of keys such as the arrows begin with ESC.
  if (ctrl || sequence === "" || /\p{Cc}/u.test(sequence)) return [state, null];
  return [{ ...state, filter: state.filter + sequence }, null];
}

function inOpened(
  state: TopState,
  opened: NonNullable<TopState["opened"]>,
  { name }: Key,
  rows: number,
): [TopState, Effect] {
  const last = Math.max(0, opened.lines.length - textRows(rows));
  const to = (offset: number): [TopState, Effect] => [
    { ...state, opened: { ...opened, offset: Math.max(0, Math.min(last, offset)) } },
    null,
  ];
  switch (name) {
    case "q":
    case "escape":
    case "backspace":
    case "left":
      return [{ ...state, opened: null }, null];
    case "up":
    case "k":
      return to(opened.offset - 1);
    case "down":
    case "j":
      return to(opened.offset + 1);
    case "pageup":
      return to(opened.offset - textRows(rows));
    case "pagedown":
    case "space":
      return to(opened.offset + textRows(rows));
    case "home":
      return to(0);
    case "end":
      return to(last);
    default:
      return [state, null];
  }
}

/** Rows for the opened object, above the line of keys. */
export function textRows(rows: number): number {
  return Math.max(1, rows - 1);
}
