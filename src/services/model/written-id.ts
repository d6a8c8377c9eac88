/** Ids as people type them: full, a prefix, or shortened in the middle as pages and commands print them. */

import type { IdKind } from "../../pynenc/id-kinds.ts";
import { CLIENT_DATA_PREFIX } from "../../pynenc/identifiers.ts";
import type { KnownId, PartialId } from "../../stores/ports/ids.ts";

/** Minimum number of known characters for searching by part of an id. */
export const MIN_CHARACTERS = 4;

/** What pages and commands print for an omission, and what people can type for it. */
const ELLIPSIS = /…|\.{3,}/;

const OPENING = new Set(["(", "[", "{", "<"]);
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" };
const QUOTES = /^["'`“”‘’«»]$/;

/** Strips surrounding blanks, quotes, brackets and punctuation, and reduces the URL of a page to its id. Keeps a bracket whose partner is inside the text. */
export function bare(text: string): string {
  const left = unwrapped(text);
  return idInAddress(left) ?? left;
}

/** Last path segments of subpages about one object. */
const SUBPAGES: ReadonlySet<string> = new Set([
  "api",
  "family-tree",
  "history",
  "requeue",
  "rerun",
  "trace",
  "trigger-context",
  "trigger-runs",
]);

/** Parameters that contain the id of the shown object, on pages that do not have it in the path. */
const ID_PARAMETERS = ["call_id_key", "condition_id", "id", "reference", "valid_condition_id"];

/** The id in a page URL, which may be given without the host; null if the text is no such URL. */
function idInAddress(text: string): string | null {
  if (!/^(?:https?:\/\/[^\s/]+)?\/[a-z-]+\b/i.test(text) || !URL.canParse(text, "http://localhost")) return null;
  const { pathname, searchParams } = new URL(text, "http://localhost");
  const parameter = ID_PARAMETERS.flatMap((name) => searchParams.get(name) ?? [])[0];
  const [, ...parts] = pathname.split("/").filter((part) => part !== "");
  if (parts.length > 1 && SUBPAGES.has(parts.at(-1) ?? "")) parts.pop();
  return parameter ?? decoded(parts.at(-1));
}

function decoded(part: string | undefined): string | null {
  try {
    return part === undefined ? null : decodeURIComponent(part);
  } catch {
    return null;
  }
}

function unwrapped(text: string): string {
  let left = text.trim();
  for (let before = ""; before !== left; ) {
    before = left;
    const first = left.at(0) ?? "";
    const last = left.at(-1) ?? "";
    const closing = CLOSING[last];
    const opens =
      OPENING.has(first) && !Object.entries(CLOSING).some(([end, start]) => start === first && left.includes(end));
    const encloses = OPENING.has(first) && CLOSING[last] === first;
    if (encloses) left = left.slice(1, -1).trim();
    else if (QUOTES.test(first) || first === "," || first === ";" || opens) left = left.slice(1).trim();
    else if (QUOTES.test(last) || ",;:!?".includes(last) || (closing !== undefined && !left.includes(closing))) {
      left = left.slice(0, -1).trim();
    } else if (last === "." && !left.endsWith("..")) left = left.slice(0, -1).trim();
  }
  return left;
}

/** A text that may be an id, split into its known parts. */
export interface WrittenId {
  /** The known parts in order, with an unknown part between each two. */
  pieces: readonly string[];
  /** Nothing is omitted. */
  whole: boolean;
}

export function writtenId(text: string): WrittenId {
  const pieces = text.split(ELLIPSIS);
  return { pieces, whole: pieces.length === 1 };
}

/** Whether an id contains the pieces in order, the first at its start and the last at its end. */
export function fits({ pieces, whole }: WrittenId, id: string): boolean {
  const [first = "", ...others] = pieces;
  if (whole) return id.startsWith(first);
  const last = others.pop() ?? "";
  let at = first.length;
  if (!id.startsWith(first)) return false;
  for (const piece of others) {
    const found = id.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return id.endsWith(last) && id.length - last.length >= at;
}

/** Whether the text may name calls: a call id or a prefix of one, `…name:1b2c…3d4e`, or the digits of the arguments alone. */
export function mayBeCall(text: string): boolean {
  return text.includes(":") || /^(?:no_args|[0-9a-f]+)$/i.test(text.split(ELLIPSIS, 1)[0] ?? "");
}

/** Full ids of a kind that the text may be. */
export function fullIds(kind: IdKind, text: string, tasks: readonly string[]): KnownId[] {
  const written = writtenId(text);
  if (kind === "call") {
    const ofArguments = written.whole ? { owner: "", digits: text } : shortenedOwner(written);
    const named = text.includes(":") && written.whole ? [text] : [];
    if (ofArguments === null || ofArguments.digits === "" || written.pieces.length > 2)
      return named.map((id) => ({ kind, id }));
    const owners = written.whole && text.includes(":") ? [] : tasks.filter((task) => task.endsWith(ofArguments.owner));
    return [...named, ...owners.map((task) => `${task}:${ofArguments.digits}`)].map((id) => ({ kind, id }));
  }
  if (!written.whole) return [];
  return kind === "client_data" ? [text, CLIENT_DATA_PREFIX + text].map((id) => ({ kind, id })) : [{ kind, id: text }];
}

/** Partial ids to search for; empty if too few characters are known. */
export function partsOf(kind: IdKind, text: string, tasks: readonly string[]): PartialId[] {
  const written = writtenId(text);
  const [first = ""] = written.pieces;
  const ending = written.whole ? "" : (written.pieces.at(-1) ?? "");
  if (kind === "call") {
    const owner = shortenedOwner(written);
    if (owner !== null) {
      const last = written.pieces.length > 2 ? ending : "";
      return tasks
        .filter((task) => task.endsWith(owner.owner))
        .map((task) => ({ kind, beginning: `${task}:${owner.digits}`, ending: last }));
    }
    if (enough(first, ending) && !text.includes(":")) {
      return tasks.map((task) => ({ kind, beginning: `${task}:${first}`, ending }));
    }
  }
  if (first === "" || !enough(first, ending)) return [];
  const beginnings = kind === "client_data" ? [first, CLIENT_DATA_PREFIX + first] : [first];
  return beginnings.map((beginning) => ({ kind, beginning, ending }));
}

function enough(first: string, ending: string): boolean {
  return first.length + ending.length >= MIN_CHARACTERS;
}

/** Parses `…on_name:1b2c…3d4e` into the end of a task key and the first digits. Null if the text does not start with an ellipsis. */
function shortenedOwner({ pieces, whole }: WrittenId): { owner: string; digits: string } | null {
  const [first, second = ""] = pieces;
  if (whole || first !== "") return null;
  const colon = second.lastIndexOf(":");
  return colon < 0 ? null : { owner: second.slice(0, colon), digits: second.slice(colon + 1) };
}
