/** The time range of lists as text. */

/** The time ranges offered, with their labels. */
export const TIME_PRESETS: Readonly<Record<string, string>> = {
  "1m": "Last minute",
  "5m": "Last 5 minutes",
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "3h": "Last 3 hours",
  "12h": "Last 12 hours",
  "1d": "Last 24 hours",
  "3d": "Last 3 days",
  "1w": "Last 7 days",
};

/** Empty if no preset is meant: a form used to send `custom` together with a start and an end. */
export function presetWords(range: string): string {
  if (range === "" || range === "custom") return "";
  return TIME_PRESETS[range] ?? `Last ${range}`;
}

/** A range without a preset: `13:45 to 14:46`, `2026-11-27 22:10 to 2026-11-28 01:00:30`. @param today ISO 8601: its date is left out. */
export function rangeWords(start: string | null, end: string | null, today: string | null): string {
  if (start !== null && end !== null) {
    const sameDay = start.slice(0, DAY) === end.slice(0, DAY);
    return `${momentWords(start, today)} to ${momentWords(end, sameDay ? start : null)}`;
  }
  if (start !== null) return `since ${momentWords(start, today)}`;
  return end === null ? "All time" : `until ${momentWords(end, today)}`;
}

const DAY = "2026-11-21".length;

/** An instant without what goes without saying: the day of `today`, and seconds that are zero. Text that is no instant stays as it is. */
export function momentWords(iso: string, today: string | null): string {
  const [, day = "", clock = iso] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::(?!00(?:\D|$))\d{2})?)/.exec(iso) ?? [];
  return day === "" || day === today?.slice(0, DAY) ? clock : `${day} ${clock}`;
}
