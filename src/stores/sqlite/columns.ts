/** Column values as records hold them. */

/** `''` and NULL both mean "none" (storage.md 13.2). */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Bytes as text; what is no UTF-8 becomes U+FFFD. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
