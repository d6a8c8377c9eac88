/** Numbers as people read them. `toLocaleString` is not used: the first call costs 10 ms of every command. */

/** `1,234,567`, `−1,234.5`: thousands apart, with a true minus. */
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
