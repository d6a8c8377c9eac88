/** Reads JSON documents with one member of unbounded size, which is left out if the document is too large. */
import { withoutLargeMember } from "../../../pynenc/large-document.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
import type { RedisDb } from "./db.ts";

export interface BoundedDocument {
  /** Complete, or with an empty map in place of the member. */
  json: string;
  /** The omitted member; null if the document is complete. */
  left_out: { beginning: string; size: number } | null;
}

/**
 * The documents at these keys in order, null for a missing key. One round trip, plus one or two if some are too large. A document not in pynenc's
 * format is read completely.
 *
 * @param bytes size above which the member is left out. The text before the member is always read.
 */
export async function boundedDocuments(
  db: RedisDb,
  keys: readonly string[],
  bytes: number,
  member: string,
): Promise<(BoundedDocument | null)[]> {
  const heads = await db.cutStrings(keys, Math.max(bytes, TAIL_BYTES));
  const large = keys.flatMap((key, at) => {
    const head = heads[at];
    return head?.whole_size === undefined ? [] : [{ key, at, head: head.text, size: head.whole_size }];
  });
  const tails = await db.exchange(large.map(({ key }) => ["GETRANGE", key, String(-TAIL_BYTES), "-1"]));
  const bounded = heads.map((head): BoundedDocument | null => head && { json: head.text, left_out: null });
  const odd: { key: string; at: number }[] = [];
  for (const [i, { key, at, head, size }] of large.entries()) {
    const tail = tails[i];
    const ends = typeof tail === "string" ? withoutLargeMember(head, tail, size, member) : null;
    if (ends === null) odd.push({ key, at });
    else bounded[at] = { json: ends.json, left_out: { beginning: ends.beginning, size: ends.size } };
  }
  const texts = await db.strings(odd.map(({ key }) => key));
  for (const [i, { at }] of odd.entries()) {
    const json = texts[i] ?? null;
    bounded[at] = json === null ? null : { json, left_out: null };
  }
  return bounded;
}
