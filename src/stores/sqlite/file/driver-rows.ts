import type { Row } from "./connection.ts";

/** A row in the format that drivers read fastest: values in column order. */
export type ArrayRow = readonly unknown[];

/** Objects filled in the same order share one hidden class, which makes access fast. */
export function rowFrom(names: readonly string[], values: ArrayRow): Row {
  const row: Row = {};
  for (let i = 0; i < names.length; i++) row[names[i] as string] = readable(values[i]);
  return row;
}

/**
 * Converts blobs to text. pynenc stores only text and numbers, whatever the column type, and a tool may have copied a text as bytes. Invalid UTF-8
 * becomes U+FFFD.
 */
export function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
}
