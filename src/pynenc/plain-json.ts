/** JSON that may be anything, read without throwing. Numbers are JavaScript's: for structure, not for values that are shown. */

/** Null when the text is malformed. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The value as an object with members; null for anything else, arrays included. */
export function objectOrNull(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
