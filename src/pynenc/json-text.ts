import { type JsonDocument, type JsonNode, ROOT } from "./python-json.ts";

export interface LimitedText {
  /** At most `limit` UTF-16 units; never ends within a surrogate pair. */
  text: string;
  truncated: boolean;
}

/** Deeper nesting is shown as `…`, because it is not readable and printing is recursive. */
export const MAX_DEPTH = 100;

/** A Python-like container is printed on one line if it fits into this many columns. */
export const LINE_WIDTH = 80;

/** Minimum number of columns for a container, however deep it is nested. */
export const NARROWEST = 20;

/** Cuts to the limit, between characters. */
export function cutText(text: string, limit: number): LimitedText {
  if (text.length <= limit) return { text, truncated: false };
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return { text: text.slice(0, splitsPair ? limit - 1 : limit), truncated: true };
}

/** JSON on several lines with two spaces per level, like `JSON.stringify(value, null, 2)`, but numbers keep their digits. */
export function jsonText(document: JsonDocument, limit: number): LimitedText {
  const out = new Output(limit);
  writeJson(document, ROOT, 0, out);
  return out.result();
}

/** A string as it is, anything else as JSON without blanks; numbers keep their digits. */
export function plainText(document: JsonDocument, node: JsonNode): string {
  if (document.kind(node) === "string") return document.string(node);
  return document
    .raw(node)
    .replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : ""));
}

/** JSON or Python-like text with its escapes decoded, so that strings in it are as they are: `{"path": "C:\Users"}`. */
export function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(["'\\/bfnrt]))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (CONTROLS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Collects text up to the limit. */
export class Output {
  readonly #parts: string[] = [];
  readonly #limit: number;
  #length = 0;

  constructor(limit: number) {
    this.#limit = Math.max(0, limit);
  }

  /** The limit is exceeded: further text is dropped, so writers may stop. */
  get full(): boolean {
    return this.#length > this.#limit;
  }

  /** How much of a string to decode: just enough to exceed the limit if it is longer. */
  get worthDecoding(): number {
    return Math.max(0, this.#limit - this.#length) + 2;
  }

  write(text: string): void {
    if (this.full) return;
    this.#parts.push(text);
    this.#length += text.length;
  }

  result(): LimitedText {
    return cutText(this.#parts.join(""), this.#limit);
  }
}

function writeJson(document: JsonDocument, node: JsonNode, depth: number, out: Output): void {
  const kind = document.kind(node);
  if (kind === "object" || kind === "array") writeJsonContainer(document, node, kind, depth, out);
  else if (kind === "string") out.write(JSON.stringify(document.string(node, out.worthDecoding)));
  else out.write(document.raw(node));
}

function writeJsonContainer(
  document: JsonDocument,
  node: JsonNode,
  kind: "object" | "array",
  depth: number,
  out: Output,
): void {
  const [open, close] = kind === "object" ? ["{", "}"] : ["[", "]"];
  if (document.isEmpty(node) || depth >= MAX_DEPTH) {
    out.write(document.isEmpty(node) ? open + close : `${open}…${close}`);
    return;
  }
  out.write(open);
  let separator = "";
  for (const { key, value } of jsonItems(document, node)) {
    if (out.full) return;
    out.write(`${separator}${newLine(depth + 1)}`);
    separator = ",";
    if (key !== null) out.write(`${JSON.stringify(document.string(key, out.worthDecoding))}: `);
    writeJson(document, value, depth + 1, out);
  }
  out.write(newLine(depth) + close);
}

function* jsonItems(document: JsonDocument, node: JsonNode): Generator<{ key: JsonNode | null; value: JsonNode }> {
  if (document.kind(node) === "array") for (const value of document.children(node)) yield { key: null, value };
  else for (const [key, value] of document.members(node)) yield { key, value };
}

export function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}
