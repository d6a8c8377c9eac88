import { coarse } from "../pynenc/numbers.ts";

/** Shown for a value that is absent or not a number. */
export const NOTHING = "–";

/** Seconds as a distance from now: `just now`, `3 s ago`, `5 min ago`, `in 2 h`. Used by server and browser; does not touch the DOM. */
export function age(seconds: number): string {
  if (!Number.isFinite(seconds)) return NOTHING;
  if (Math.abs(seconds) < 1) return "just now";
  const words = coarse(Math.abs(seconds));
  return seconds <= -1 ? `in ${words}` : `${words} ago`;
}

/** Age of a heartbeat. One from the future was stamped by a clock that is ahead. */
export function heartbeatAge(silentSeconds: number): string {
  return silentSeconds <= -1 ? `clock ${coarse(-silentSeconds)} ahead` : age(silentSeconds);
}
