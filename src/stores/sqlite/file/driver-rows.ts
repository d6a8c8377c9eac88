import type { Row } from "./connection.ts";

/** A row as drivers read it fastest: values in the order of the columns. */
export type ArrayRow = readonly unknown[];

/** Objects that are filled in the same order share one hidden class, which makes reading them fast. */
export function rowFrom(names: readonly string[], values: ArrayRow): Row {
  const row: Row = {};
  for (let i = 0; i < names.length; i++) row[names[i] as string] = readable(values[i]);
  return row;
}

/**
 * A value as readers get it: bytes as text. Everything that pynenc stores is text or a number, whatever the column says, and a tool that copied
 * a text as bytes meant the same text. What is no UTF-8 becomes U+FFFD.
 */
export function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
}
