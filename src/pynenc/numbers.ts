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

/** A non-negative duration in seconds: `350 µs`, `12 ms`, `1.24 s`, `3 m 05 s`, `2 h 04 m`, `3 d 4 h`. */
export function lasting(seconds: number): string {
  // Each unit is chosen by the rounded value: 999.7 µs is 1.0 ms, not 1000 µs.
  const micros = Math.round(seconds * 1e6);
  if (micros === 0) return "0 s";
  if (micros < 1000) return `${micros} µs`;
  if (micros < 9950) return `${(micros / 1000).toFixed(1)} ms`;
  const millis = Math.round(micros / 1000);
  if (millis < 1000) return `${millis} ms`;
  if (millis < 9995) return `${(millis / 1000).toFixed(2)} s`;
  if (millis < 59_950) return `${(millis / 1000).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${twoDigits(whole % 60)} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
  const hours = Math.round(whole / 3600);
  return `${grouped(Math.floor(hours / 24))} d ${hours % 24} h`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
