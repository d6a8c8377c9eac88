/** Column values as records hold them. */

/** `''` and NULL both mean "none" (storage.md 13.2). */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
