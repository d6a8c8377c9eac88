/** Parses arbitrary JSON without throwing. Numbers become JavaScript numbers, so use it for structure, not for values that are shown. */

/** Null if the text is malformed. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The value if it is an object; null for anything else, including arrays. */
export function objectOrNull(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
