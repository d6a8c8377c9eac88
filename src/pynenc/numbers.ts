/** Formats numbers for people. Avoids `toLocaleString`, whose first call would cost every command 10 ms. */

/** `1,234,567`, `−1,234.5`: with thousands separators and a true minus sign. */
export function grouped(value: number): string {
  const [whole = "0", fraction] = String(Math.abs(value)).split(".");
  if (whole.includes("e")) return String(value);
  const thousands = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${value < 0 ? "−" : ""}${thousands}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** `1 message`, `2,000 messages`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(n)} ${n === 1 ? noun : plural}`;
}

/** A fraction as percentage: `3.2 %`; more digits if it is small. */
export function percentage(share: number): string {
  const percent = share * 100;
  if (percent === 0 || percent >= 9.95) return `${Math.round(percent)} %`;
  return percent < 0.1 ? "under 0.1 %" : `${percent.toFixed(1)} %`;
}

/** A non-negative duration in seconds: `350 µs`, `180 ms`, `2.4 s`, `3 min 5 s`, `2 h 4 min`, `3 d`. */
export function lasting(seconds: number): string {
  // Each unit is chosen by the rounded value: 999.7 µs is 1 ms, not 1000 µs.
  const micros = Math.round(seconds * 1e6);
  if (micros === 0) return "0 s";
  if (micros < 1000) return `${micros} µs`;
  if (micros < 9950) return `${rounded(micros / 1000, 1)} ms`;
  const millis = Math.round(micros / 1000);
  if (millis < 1000) return `${millis} ms`;
  if (micros < 59_950_000) return `${rounded(micros / 1e6, micros < 9_995_000 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return inUnits(whole, 60, "min", "s");
  const minutes = Math.round(whole / 60);
  if (minutes < 24 * 60) return inUnits(minutes, 60, "h", "min");
  return inUnits(Math.round(whole / 3600), 24, "d", "h");
}

/** Seconds until or since now: `3 s`, `117 min`, `2 h`, `3 d`. One unit is enough for what changes while it is read. */
export function coarse(exact: number): string {
  // As precise as the times beside it: 37.9999 s, from a difference of doubles, is 38 s.
  const seconds = Math.round(exact * 1000) / 1000;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  // "1 h" of 119 minutes would be nearly two.
  if (minutes < 120 && minutes !== 60) return `${minutes} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${grouped(Math.floor(seconds / 86_400))} d`;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function inUnits(value: number, size: number, large: string, small: string): string {
  const rest = value % size;
  return `${grouped(Math.floor(value / size))} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}
