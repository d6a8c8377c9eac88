import { epochFromIso } from "../pynenc/time.ts";

/** The position of something within the page's time range, as shares from 0 to 1. */
export interface WindowBar {
  start: number;
  /** 0 for something without duration: a blocked run. */
  width: number;
}

/** @param span ISO 8601 times. Without an end it is still running and reaches to the end of the window, since its end is not known. */
export function windowBar(
  span: { start_time: string; end_time: string | null },
  window: { start: string; end: string } | null,
): WindowBar {
  const first = epochFromIso(window?.start ?? "");
  const last = epochFromIso(window?.end ?? "");
  const from = epochFromIso(span.start_time);
  if (first === null || last === null || from === null) return { start: 0, width: 0 };
  const length = last - first;
  if (length <= 0) return { start: 0, width: 1 };
  const to = span.end_time === null ? last : (epochFromIso(span.end_time) ?? from);
  return { start: (from - first) / length, width: Math.max(0, (to - from) / length) };
}
