/** Bounds for a prefix search on an indexed text column. LIKE would treat `_` and `%` as wildcards (storage-format.md 3.8). */
export function idRange(prefix: string): { from: string; to: string } {
  // U+10FFFF encodes to the largest UTF-8 sequence, and SQLite compares text by its bytes.
  return { from: prefix, to: `${prefix}\u{10ffff}` };
}
