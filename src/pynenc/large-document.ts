/** Documents of which one member is too large to be read: arguments and payloads, maps of names to stored strings. */

/** What the ends of such a document tell. */
export interface LargeDocument {
  /** The document with an empty map in place of the member. */
  json: string;
  /** The beginning of the member as it is stored. */
  beginning: string;
  /** Bytes of the whole member. */
  size: number;
}

/**
 * Reads a document without its large member.
 *
 * The map holds nothing but strings, so it ends with the first `}` after which the rest reads as members of the document: a quotation mark inside
 * a string is escaped, and one that ends a string is followed by no member.
 *
 * @param head the first bytes of the document; the member begins in them.
 * @param tail its last bytes; the member ends in them.
 * @param size bytes of the document.
 * @returns null where the ends do not tell the rest.
 */
export function withoutLargeMember(head: string, tail: string, size: number, member: string): LargeDocument | null {
  const key = `"${member}": `;
  const start = head.indexOf(`${key}{`);
  if (start === -1) return null;
  const front = head.slice(0, start);
  const rest = restOf(tail);
  if (rest === null) return null;
  const beginning = head.slice(start + key.length);
  const around = Buffer.byteLength(front) + key.length + Buffer.byteLength(rest);
  return { json: `${front}${key}{}${rest}`, beginning, size: size - around };
}

/** From behind the member to the end of the document. */
function restOf(tail: string): string | null {
  for (let at = tail.indexOf('}, "'); at !== -1; at = tail.indexOf('}, "', at + 1)) {
    const rest = tail.slice(at + 1);
    if (isMembers(rest)) return rest;
  }
  return null;
}

/** `, "name": value, ...}` */
function isMembers(rest: string): boolean {
  try {
    JSON.parse(`{${rest.slice(1)}`);
    return true;
  } catch {
    return false;
  }
}
