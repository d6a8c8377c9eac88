/**
 * Scans JSON as written by Python: with `NaN`, `Infinity` and `-Infinity`, and with integers of any length (storage-format.md 4.3). Nothing is
 * converted: every node is a range of the source, so numbers keep their digits. Scanning is linear and not recursive, however deep the nesting.
 */
import { LONGEST_ESCAPE, withoutCutEscape } from "./cut-json.ts";

/** Index of a node in its document. The root is 0; an object's children are keys and values in turn. */
export type JsonNode = number;

export type JsonKind = "object" | "array" | "string" | "number" | "literal";

/** The root of every document. */
export const ROOT: JsonNode = 0;

const CLOSING = { object: "}", array: "]" } as const;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LITERALS = ["null", "true", "false", "NaN", "Infinity", "-Infinity"] as const;

/** A scanned text. Nodes are in document order; `after` of a node is the next node that is not inside it. */
export class JsonDocument {
  readonly source: string;
  readonly #kinds: JsonKind[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #after: number[] = [];

  constructor(source: string) {
    this.source = source;
  }

  kind(node: JsonNode): JsonKind {
    return this.#kinds[node] ?? "literal";
  }

  /** The node's text in the source. */
  raw(node: JsonNode): string {
    return this.source.slice(this.#starts[node], this.#ends[node]);
  }

  /**
   * The decoded text of a string node. With `atMost` a longer string is cut early, to no fewer than `atMost - 1` and no more than six times as many
   * UTF-16 units, so that the cost of a large string depends on the part that is shown.
   */
  string(node: JsonNode, atMost = Number.POSITIVE_INFINITY): string {
    const start = (this.#starts[node] ?? 0) + 1;
    const end = (this.#ends[node] ?? 2) - 1;
    const most = atMost * LONGEST_ESCAPE;
    const body =
      end - start <= most ? this.source.slice(start, end) : withoutCutEscape(this.source.slice(start, start + most));
    return JSON.parse(`"${body}"`) as string;
  }

  isEmpty(node: JsonNode): boolean {
    return this.#after[node] === node + 1;
  }

  /** Children of an array; keys and values in turn of an object. */
  *children(node: JsonNode): Generator<JsonNode, void, undefined> {
    const end = this.#after[node] ?? 0;
    for (let child = node + 1; child < end; child = this.#after[child] ?? end) yield child;
  }

  /** Key and value nodes of an object; none for other kinds. */
  *members(node: JsonNode): Generator<[key: JsonNode, value: JsonNode], void, undefined> {
    if (this.kind(node) !== "object") return;
    const end = this.#after[node] ?? 0;
    for (let key = node + 1; key < end; key = this.#after[key + 1] ?? end) yield [key, key + 1];
  }

  /** The value of an object's only member if its key is `name`. */
  onlyMember(node: JsonNode, name: string): JsonNode | null {
    if (this.kind(node) !== "object" || this.isEmpty(node)) return null;
    const value = node + 2;
    return this.#after[value] === this.#after[node] && this.keyIs(node + 1, name) ? value : null;
  }

  /** The value of the last member with this key: like Python and JavaScript, the last duplicate wins. */
  member(node: JsonNode, name: string): JsonNode | null {
    let found: JsonNode | null = null;
    for (const [key, value] of this.members(node)) if (this.keyIs(key, name)) found = value;
    return found;
  }

  /** The decoded text of the member if it exists and is a string. */
  memberString(node: JsonNode, name: string): string | null {
    const value = this.member(node, name);
    return value !== null && this.kind(value) === "string" ? this.string(value) : null;
  }

  /** Compares a key without decoding it, because the requested names need no escapes. */
  keyIs(key: JsonNode, name: string): boolean {
    const start = (this.#starts[key] ?? 0) + 1;
    return this.#ends[key] === start + name.length + 1 && this.source.startsWith(name, start);
  }

  keyStartsWith(key: JsonNode, beginning: string): boolean {
    return this.source.startsWith(beginning, (this.#starts[key] ?? 0) + 1);
  }

  /** Whether the root or anything in it is an object that `test` accepts. */
  someObject(test: (node: JsonNode) => boolean): boolean {
    return this.#kinds.some((kind, node) => kind === "object" && test(node));
  }

  /** For the scanner: adds a node; `end` is `start` while the node is open. */
  add(kind: JsonKind, start: number, end: number): JsonNode {
    this.#starts.push(start);
    this.#ends.push(end);
    const node = this.#kinds.push(kind) - 1;
    this.#after.push(node + 1);
    return node;
  }

  /** For the scanner: closes an open object or array after its bracket. */
  close(node: JsonNode, end: number): void {
    this.#ends[node] = end;
    this.#after[node] = this.#kinds.length;
  }
}

/** Scans a text; null if it is not JSON of Python's `json` module. Never throws. */
export function scanPythonJson(text: string): JsonDocument | null {
  return new Scanner(text).scan();
}

class Scanner {
  readonly #text: string;
  readonly #document: JsonDocument;
  /** Containers that are still open, outermost first. */
  readonly #open: JsonNode[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#document = new JsonDocument(text);
  }

  scan(): JsonDocument | null {
    do {
      if (!this.#value()) return null;
    } while (this.#closeAndContinue());
    return this.#open.length === 0 && this.#at === this.#text.length ? this.#document : null;
  }

  /** Reads a scalar, an empty container, or opening brackets down to the first scalar or empty container. */
  #value(): boolean {
    for (;;) {
      if (!this.#keyIfInObject()) return false;
      const start = this.#at;
      const kind = this.#containerKind();
      if (kind === null) return this.#string() || this.#literal() || this.#number();
      const node = this.#document.add(kind, start, start);
      this.#open.push(node);
      this.#at++;
      this.#skipSpace();
      if (this.#text[this.#at] === CLOSING[kind]) return true;
    }
  }

  /** Skips closing brackets and a comma. True if there was a comma, so that another value must follow. */
  #closeAndContinue(): boolean {
    for (;;) {
      this.#skipSpace();
      const container = this.#open.at(-1);
      if (container === undefined) return false;
      const character = this.#text[this.#at];
      const closing = this.#isObject(container) ? CLOSING.object : CLOSING.array;
      if (character !== closing && character !== ",") return false;
      this.#at++;
      if (character === ",") return true;
      this.#document.close(container, this.#at);
      this.#open.pop();
    }
  }

  #keyIfInObject(): boolean {
    this.#skipSpace();
    const container = this.#open.at(-1);
    if (container === undefined || !this.#isObject(container)) return true;
    if (!this.#string()) return false;
    this.#skipSpace();
    if (this.#text[this.#at] !== ":") return false;
    this.#at++;
    this.#skipSpace();
    return true;
  }

  #containerKind(): "object" | "array" | null {
    const character = this.#text[this.#at];
    if (character === "{") return "object";
    return character === "[" ? "array" : null;
  }

  #isObject(node: JsonNode): boolean {
    return this.#document.kind(node) === "object";
  }

  /** Checks escapes and refuses raw control characters, so that `JSON.parse` accepts every string node. */
  #string(): boolean {
    if (this.#text[this.#at] !== '"') return false;
    let at = this.#at + 1;
    for (;;) {
      const unit = this.#text.charCodeAt(at);
      if (unit === QUOTE) break;
      // NaN means the end of the text.
      if (Number.isNaN(unit) || unit < SPACE) return false;
      if (unit !== BACKSLASH) {
        at++;
        continue;
      }
      const length = this.#escapeLength(at);
      if (length === 0) return false;
      at += length;
    }
    this.#document.add("string", this.#at, at + 1);
    this.#at = at + 1;
    return true;
  }

  /** Length of the escape at `at`, or 0 if it is not one. */
  #escapeLength(at: number): number {
    const letter = this.#text[at + 1];
    if (letter === undefined) return 0;
    if (letter === "u")
      return /^[0-9a-fA-F]{4}$/.test(this.#text.slice(at + 2, at + LONGEST_ESCAPE)) ? LONGEST_ESCAPE : 0;
    return '"\\/bfnrt'.includes(letter) ? 2 : 0;
  }

  #literal(): boolean {
    const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#at));
    if (literal === undefined) return false;
    this.#document.add("literal", this.#at, this.#at + literal.length);
    this.#at += literal.length;
    return true;
  }

  #number(): boolean {
    let at = this.#at;
    if (this.#text[at] === "-") at++;
    const integer = this.#digitsEnd(at);
    // JSON does not allow leading zeros.
    if (integer === at || (this.#text[at] === "0" && integer > at + 1)) return false;
    at = integer;
    if (this.#text[at] === ".") {
      const fraction = this.#digitsEnd(at + 1);
      if (fraction === at + 1) return false;
      at = fraction;
    }
    if (this.#text[at] === "e" || this.#text[at] === "E") {
      const sign = this.#text[at + 1];
      const digits = sign === "+" || sign === "-" ? at + 2 : at + 1;
      at = this.#digitsEnd(digits);
      if (at === digits) return false;
    }
    this.#document.add("number", this.#at, at);
    this.#at = at;
    return true;
  }

  #digitsEnd(from: number): number {
    let at = from;
    while (isDigit(this.#text.charCodeAt(at))) at++;
    return at;
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
  }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isSpace(unit: number): boolean {
  return unit === SPACE || (unit >= 0x09 && unit <= 0x0d && unit !== 0x0b && unit !== 0x0c);
}
