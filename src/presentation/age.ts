/** Seconds as a distance from now: `3 s ago`, `5 min ago`, `in 2 h`. Used by server and browser; does not touch the DOM. */
export function age(seconds: number): string {
  if (!Number.isFinite(seconds)) return "—";
  const distance = Math.abs(seconds);
  if (distance < 1) return "just now";
  const words = coarse(distance);
  return seconds < 0 ? `in ${words}` : `${words} ago`;
}

/** Age of a heartbeat. One from the future was stamped by a clock that is ahead. */
export function heartbeatAge(silentSeconds: number): string {
  return silentSeconds <= -1 ? `clock ${coarse(-silentSeconds)} ahead` : age(silentSeconds);
}

/** `3 s`, `12 min`, `2 h`, `3 d`. One unit is enough, because the exact instant is shown with it. */
export function coarse(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
