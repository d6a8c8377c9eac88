/**
 * How much of one stored value a read hands out. A value may be of any size; of a larger one its beginning is read, and how long it is
 * (`CutMark`). Only what registers a call again reads its arguments whole.
 */

/** Bytes of one value where that is what was asked for: a page about an invocation, a call, an event. */
export const VALUE_BYTES = 2_000_000;

/** Bytes of one value where a line of a list is made of it. */
export const PREVIEW_BYTES = 2_000;

/** Bytes of an exception where a list tells its class and the first line of its message, which stands behind its arguments. */
export const EXCEPTION_BYTES = 20_000;

/** Bytes behind a large member of a document that are read for the members after it: ids and names. */
export const TAIL_BYTES = 20_000;
