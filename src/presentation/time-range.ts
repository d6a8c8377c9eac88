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
