/**
 * How much of one stored value a read returns. Values may be of any size; larger ones are cut, with their full size (`CutMark`). Only a rerun reads
 * arguments completely.
 */

/** Bytes of a value on a page about it: an invocation, a call, an event. */
export const VALUE_BYTES = 2_000_000;

/** Most bytes of one value in the rows of a list. A document that a list has to parse is not read if it is larger. */
export const LIST_BYTES = 200_000;

/** Bytes of each of several values on one page: of one as many as on a page about it, of many as in a list. */
export function bytesOfEach(count: number): number {
  return Math.max(LIST_BYTES, Math.floor(VALUE_BYTES / Math.max(1, count)));
}

/**
 * SQLite has no way to read only the beginning of a value: 50 MB take 45 ms, whatever is kept of them. Lists show only the size of values larger
 * than this; a page about one value waits.
 */
export const UNREAD_BYTES = 4_000_000;

/** Bytes of a value shown in a line of a list. */
export const PREVIEW_BYTES = 2_000;

/** Bytes of an exception in a list that shows its class and the first line of its message, which comes after its arguments. */
export const EXCEPTION_BYTES = 20_000;

/** Bytes read after a large member of a document, to get the members that follow it: ids and names. */
export const TAIL_BYTES = 20_000;

/** Drops a character that the cut would split. The result does not keep the longer text in memory. */
export function cutToBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
}
