/** Parses documents with one member too large to read: arguments and payloads, maps of names to stored strings. */

/** What can be read from both ends of such a document. */
export interface LargeDocument {
  /** The document with an empty map in place of the member. */
  json: string;
  /** The beginning of the member as stored. */
  beginning: string;
  /** Bytes of the complete member. */
  size: number;
}

/**
 * Reads a document without its large member.
 *
 * The map contains only strings, so it ends at the first `}` after which the rest parses as members of the document: a quotation mark inside a string
 * is escaped, and one that ends a string cannot be followed by a member.
 *
 * @param head the first bytes of the document; the member begins in them.
 * @param tail its last bytes; the member ends in them.
 * @param size bytes of the document.
 * @returns null if the ends are not sufficient.
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

/** The document from after the member to its end. */
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
