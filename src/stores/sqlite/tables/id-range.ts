/** Bounds for "begins with" on a text column, so that its index serves: LIKE would treat `_` and `%` as wild cards (storage-format.md 3.8). */
export function idRange(prefix: string): { from: string; to: string } {
  // U+10FFFF encodes to the largest UTF-8 sequence, and SQLite compares text by its bytes.
  return { from: prefix, to: `${prefix}\u{10ffff}` };
}
