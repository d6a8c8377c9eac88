/** Splits answers into pages small enough for an assistant: each page follows the same schema, and a cursor leads to the rest of its lists. */
import { randomUUID } from "node:crypto";
import { RefusedError } from "../../errors.ts";

/** Maximum bytes of one answer, its words beside it included: an assistant reads all of it. */
export const MOST_BYTES = 8_000;
/** The same where an answer has a larger part that cannot be divided. */
export const MOST_UNDIVIDED_BYTES = 20_000;
/** Bytes of what is around the document. */
const AROUND = 2_000;
/** Lengths in characters to which long texts are cut, tried in this order until the answer fits. */
const TEXT_LENGTHS = [4_000, 1_000, 200] as const;
/** Items kept of a list within an item, if nothing else makes it fit. */
const INNER_ITEMS = 5;
/** How many answers are kept so that the rest can be requested. */
const KEPT = 20;

/** A list that is only partly on this page. */
export interface ListPart {
  /** Member names, separated by dots. */
  list: string;
  /** Index of its first item on this page, from 0. */
  from: number;
  items: number;
  of: number;
}

export interface AnswerPage {
  answer: object;
  /** Requests the next page; null at the end. */
  cursor: string | null;
  parts: ListPart[];
  /** Texts and nested lists that were shortened to fit. */
  shortened: number;
}

interface OpenList {
  path: string[];
  from: number;
}

interface Rest {
  document: object;
  /** What remains, in order. */
  open: OpenList[];
  shortened: number;
  /** Bytes of the document on a page. */
  room: number;
}

/** Keeps the rest of the latest answers, unchanged since they were made. */
export class AnswerPages {
  readonly #rests = new Map<string, Rest>();

  /** The first page of an answer. @param answer plain JSON @throws RefusedError if it is too large even without its lists. */
  first(answer: object): AnswerPage {
    for (const room of [MOST_BYTES - AROUND, MOST_UNDIVIDED_BYTES - AROUND]) {
      for (const inner of [Number.POSITIVE_INFINITY, INNER_ITEMS]) {
        for (const characters of TEXT_LENGTHS) {
          const { document, shortened } = reduced(answer, characters, inner);
          if (bytesOf(document) <= room) return { answer: document, cursor: null, parts: [], shortened };
          const lists = listsIn(document);
          const bare = bytesOf(withoutLists(document, lists));
          const largest = Math.max(0, ...lists.flatMap(({ path }) => listAt(document, path).map(bytesOf)));
          if (bare + largest + 1 > room) continue;
          return this.#page({ document, open: lists.map(({ path }) => ({ path, from: 0 })), shortened, room });
        }
      }
    }
    throw new RefusedError("The answer is too large.", "Request less: use a smaller limit, or one thing.", 409);
  }

  /** The page of a cursor; null if the cursor is not or no longer known. A cursor works once. */
  next(cursor: string): AnswerPage | null {
    const rest = this.#rests.get(cursor);
    if (rest === undefined) return null;
    this.#rests.delete(cursor);
    return this.#page(rest);
  }

  /** Fills the page from the lists in turn, with as many items as fit. */
  #page({ document, open, shortened, room: most }: Rest): AnswerPage {
    let page = withoutLists(document, listsIn(document));
    let room = most - bytesOf(page);
    const parts: ListPart[] = [];
    const left: OpenList[] = [];
    for (const { path, from } of open) {
      const all = listAt(document, path);
      let to = from;
      while (to < all.length) {
        room -= bytesOf(all[to]) + 1;
        if (room < 0) break;
        to++;
      }
      page = withList(page, path, all.slice(from, to));
      if (to < all.length) left.push({ path, from: to });
      if (from > 0 || to < all.length) parts.push({ list: path.join("."), from, items: to - from, of: all.length });
    }
    const cursor = left.length === 0 ? null : this.#keep({ document, open: left, shortened, room: most });
    return { answer: page, cursor, parts, shortened };
  }

  #keep(rest: Rest): string {
    const cursor = randomUUID();
    this.#rests.set(cursor, rest);
    for (const oldest of this.#rests.keys()) {
      if (this.#rests.size <= KEPT) break;
      this.#rests.delete(oldest);
    }
    return cursor;
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Lists that are not inside another list, smallest first, so that most of them are complete on the first page. */
function listsIn(document: object): { path: string[]; bytes: number }[] {
  const found: { path: string[]; bytes: number }[] = [];
  const look = (value: unknown, path: string[]) => {
    if (Array.isArray(value)) found.push({ path, bytes: bytesOf(value) });
    else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value)) look(member, [...path, name]);
  };
  look(document, []);
  return found.sort((a, b) => a.bytes - b.bytes);
}

function withoutLists(document: object, lists: readonly { path: string[] }[]): object {
  return lists.reduce((less, { path }) => withList(less, path, []), document);
}

function listAt(document: object, path: readonly string[]): unknown[] {
  let value: unknown = document;
  for (const name of path) value = (value as Record<string, unknown>)[name];
  return value as unknown[];
}

function withList(document: object, [name = "", ...rest]: readonly string[], list: unknown[]): object {
  const member = (document as Record<string, unknown>)[name] as object;
  return { ...document, [name]: rest.length === 0 ? list : withList(member, rest, list) };
}

/** Both ends of a text: the end of a traceback says most, and its beginning where it started. */
function cutInside(text: string, characters: number): string {
  const end = Math.floor(characters / 2);
  return `${text.slice(0, characters - end)} … ${text.slice(text.length - end)}`;
}

/** A copy with texts cut to this many characters, and nested lists cut to this many items. */
function reduced(answer: object, characters: number, innerItems: number): { document: object; shortened: number } {
  let shortened = 0;
  const copy = (value: unknown, inList: boolean): unknown => {
    if (typeof value === "string" && value.length > characters) {
      shortened++;
      return cutInside(value, characters);
    }
    if (Array.isArray(value)) {
      const cut = inList && value.length > innerItems;
      if (cut) shortened++;
      return (cut ? value.slice(0, innerItems) : value).map((one) => copy(one, true));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member, inList)]));
  };
  return { document: copy(answer, false) as object, shortened };
}
