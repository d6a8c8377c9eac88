/** Decodes the bytes of Python's datetime values in pickles and jsonpickle. */

/**
 * `datetime` (10 bytes), `date` (4) or `time` (6) from base64: year in two bytes, month, day, hour, minute, second, microseconds in three,
 * all big-endian. ISO text without a zone; null for anything else.
 */
export function isoFromPickledBytes(type: string, base64: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  const bytes = Buffer.from(base64, "base64");
  if (type === "datetime.date" && bytes.length === 4) return dateText(bytes);
  if (type === "datetime.time" && bytes.length === 6) return timeText(bytes);
  if (type === "datetime.datetime" && bytes.length === 10) return `${dateText(bytes)}T${timeText(bytes.subarray(4))}`;
  return null;
}

function dateText(bytes: Uint8Array): string {
  const [high = 0, low = 0, month = 0, day = 0] = bytes;
  // The top bit of the month carries `fold`, which distinguishes two equal wall-clock times; it is not part of the date.
  return `${digits(high * 256 + low, 4)}-${digits(month & 0x7f, 2)}-${digits(day, 2)}`;
}

function timeText(bytes: Uint8Array): string {
  const [hour = 0, minute = 0, second = 0, high = 0, middle = 0, low = 0] = bytes;
  const micros = high * 65_536 + middle * 256 + low;
  const fraction = micros === 0 ? "" : `.${digits(micros, 6)}`;
  return `${digits(hour & 0x7f, 2)}:${digits(minute, 2)}:${digits(second, 2)}${fraction}`;
}

/** `+05:30` from the days and seconds of a timedelta. */
export function offsetText(days: number, seconds: number): string {
  const total = days * 86_400 + seconds;
  const minutes = Math.floor(Math.abs(total) / 60);
  return `${total < 0 ? "-" : "+"}${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
