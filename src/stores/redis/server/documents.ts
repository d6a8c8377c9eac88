/** JSON documents of which one member may be of any size: it is left out of those that are too large. */
import { withoutLargeMember } from "../../../pynenc/large-document.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
import type { RedisDb } from "./db.ts";

export interface BoundedDocument {
  /** Whole, or with an empty map in place of the member. */
  json: string;
  /** What was left out; null where the document is whole. */
  left_out: { beginning: string; size: number } | null;
}

/**
 * The documents at these keys in their order, null where there is none. One round trip, and one or two more where some are too large. One that is
 * not as pynenc writes it is read whole.
 *
 * @param bytes above which the member is left out; the text before it is always read.
 */
export async function boundedDocuments(
  db: RedisDb,
  keys: readonly string[],
  bytes: number,
  member: string,
): Promise<(BoundedDocument | null)[]> {
  const heads = await db.beginnings(keys, Math.max(bytes, TAIL_BYTES));
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
  const wholes = await db.strings(odd.map(({ key }) => key));
  for (const [i, { at }] of odd.entries()) {
    const json = wholes[i] ?? null;
    bounded[at] = json === null ? null : { json, left_out: null };
  }
  return bounded;
}
