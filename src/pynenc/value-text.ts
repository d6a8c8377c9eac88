/**
 * Readable text of scanned values, in two formats: JSON, and Python-like text for values that jsonpickle and JsonSerializer wrap in envelopes
 * (storage-format.md 4.3). Type names are printed, never resolved. Both formats stop at a length limit and a depth limit.
 */

import { LINE_WIDTH, type LimitedText, MAX_DEPTH, NARROWEST, newLine, Output } from "./json-text.ts";
import { isoFromPickledBytes, offsetText } from "./python-datetime.ts";
import { type JsonDocument, type JsonNode, ROOT } from "./python-json.ts";
import { type InstanceShape, instanceOf, onlyMemberOfKind } from "./value-instances.ts";

/** Python-like text: `Pt(x=1, y=2.5)`, `(1, 2)`, `{1, 3}`, `ValueError('bad', 3)`; on one line where that fits. */
export function pythonText(document: JsonDocument, limit: number): LimitedText {
  const out = new Output(limit);
  writePython(document, ROOT, 0, out);
  return out.result();
}

/** Arguments of an instance as readable text: a single string without quotes, otherwise as Python would print them. */
export function argumentsText(document: JsonDocument, instance: InstanceShape, limit: number): string {
  const out = new Output(limit);
  const [first, second] = instance.args();
  if (first !== undefined && second === undefined && document.kind(first) === "string") {
    out.write(document.string(first, out.worthDecoding));
  } else {
    writeItemsInline(document, unlabelled(instance.args()), 0, out);
  }
  return out.result().text;
}

/** One item between brackets with its prefix: none, `x=` or `'x': `. */
interface Item {
  label: string;
  node: JsonNode;
}

/** How a node is printed in Python: a single token, or items between brackets. */
type Shape =
  | { atom: string }
  | {
      atom: null;
      open: string;
      close: string;
      /** Lazy, because only items within the limit are needed. */
      items: () => Iterable<Item>;
    };

function writePython(document: JsonDocument, node: JsonNode, depth: number, out: Output): void {
  const line = new Output(Math.max(NARROWEST, LINE_WIDTH - 2 * depth));
  writeInline(document, node, 0, line);
  if (!line.full) {
    out.write(line.result().text);
    return;
  }
  const shape = shapeOf(document, node, out);
  if (shape.atom !== null) {
    out.write(shape.atom);
  } else if (depth >= MAX_DEPTH) {
    out.write(`${shape.open}…${shape.close}`);
  } else {
    out.write(shape.open);
    writeItemLines(document, shape.items(), depth + 1, out);
    out.write(newLine(depth) + shape.close);
  }
}

function writeItemLines(document: JsonDocument, items: Iterable<Item>, depth: number, out: Output): void {
  let separator = "";
  for (const item of items) {
    if (out.full) return;
    out.write(`${separator}${newLine(depth)}${item.label}`);
    separator = ",";
    writePython(document, item.node, depth, out);
  }
}

function writeInline(document: JsonDocument, node: JsonNode, depth: number, out: Output): void {
  const shape = shapeOf(document, node, out);
  if (shape.atom !== null) {
    out.write(shape.atom);
  } else if (depth >= MAX_DEPTH) {
    out.write(`${shape.open}…${shape.close}`);
  } else {
    out.write(shape.open);
    writeItemsInline(document, shape.items(), depth + 1, out);
    out.write(shape.close);
  }
}

function writeItemsInline(document: JsonDocument, items: Iterable<Item>, depth: number, out: Output): void {
  let separator = "";
  for (const item of items) {
    if (out.full) return;
    out.write(separator + item.label);
    separator = ", ";
    writeInline(document, item.node, depth, out);
  }
}

function shapeOf(document: JsonDocument, node: JsonNode, out: Output): Shape {
  switch (document.kind(node)) {
    case "string":
      return { atom: pythonString(document.string(node, out.worthDecoding)) };
    case "number":
      return { atom: document.raw(node) };
    case "literal":
      return { atom: PYTHON_LITERALS.get(document.raw(node)) ?? document.raw(node) };
    case "array":
      return { atom: null, open: "[", close: "]", items: () => unlabelled(document.children(node)) };
    case "object":
      return objectShape(document, node, out);
  }
}

/** `NaN` and the infinities are printed as stored. */
const PYTHON_LITERALS: ReadonlyMap<string, string> = new Map([
  ["null", "None"],
  ["true", "True"],
  ["false", "False"],
]);

function objectShape(document: JsonDocument, node: JsonNode, out: Output): Shape {
  const instance = instanceOf(document, node);
  if (instance !== null) {
    const moment = momentText(document, instance);
    if (moment !== null) return { atom: `${lastName(instance.type)}(${moment})` };
    return {
      atom: null,
      open: `${lastName(instance.type)}(`,
      close: ")",
      items: () => instanceItems(document, instance, out),
    };
  }
  return wrappedShape(document, node, out) ?? dictShape(document, node, out);
}

/** ISO text of a datetime, date or time, whose arguments are bytes and an optional zone; null for other instances. */
function momentText(document: JsonDocument, instance: InstanceShape): string | null {
  if (!instance.type.startsWith("datetime.")) return null;
  const [packed, zone] = instance.args();
  if (packed === undefined || document.kind(packed) !== "string") return null;
  const iso = isoFromPickledBytes(instance.type, document.string(packed, 40));
  if (iso === null || zone === undefined) return iso;
  const offset = zoneOffset(document, zone);
  return offset === null ? null : iso + offset;
}

/** Offset of `timezone(timedelta(days, seconds, microseconds))`; null for zones that are not just an offset. */
function zoneOffset(document: JsonDocument, zone: JsonNode): string | null {
  const timezone = document.kind(zone) === "object" ? instanceOf(document, zone) : null;
  if (timezone?.type !== "datetime.timezone") return null;
  const [delta] = timezone.args();
  const shift = delta !== undefined && document.kind(delta) === "object" ? instanceOf(document, delta) : null;
  if (shift?.type !== "datetime.timedelta") return null;
  const [days = 0, seconds = 0] = [...shift.args()].map((part) => Number(document.raw(part)));
  return offsetText(days, seconds);
}

/** A value that jsonpickle wraps in an object with a single `py/...` key. */
function wrappedShape(document: JsonDocument, node: JsonNode, out: Output): Shape | null {
  const tuple = onlyMemberOfKind(document, node, "py/tuple", "array");
  if (tuple !== null) return tupleShape(document, tuple);
  const set = onlyMemberOfKind(document, node, "py/set", "array");
  if (set !== null) return setShape(document, set);
  const type = onlyMemberOfKind(document, node, "py/type", "string");
  if (type !== null) return { atom: lastName(document.string(type, out.worthDecoding)) };
  const base64 = onlyMemberOfKind(document, node, "py/b64", "string");
  if (base64 !== null) return { atom: pythonBytes(document.string(base64, 2 * out.worthDecoding), out.worthDecoding) };
  const id = onlyMemberOfKind(document, node, "py/id", "number");
  if (id !== null) return { atom: `<same as object ${document.raw(id)}>` };
  return null;
}

function tupleShape(document: JsonDocument, array: JsonNode): Shape {
  const items = document.children(array);
  const single = !items.next().done && items.next().done === true;
  return { atom: null, open: "(", close: single ? ",)" : ")", items: () => unlabelled(document.children(array)) };
}

function setShape(document: JsonDocument, array: JsonNode): Shape {
  if (document.isEmpty(array)) return { atom: "set()" };
  return { atom: null, open: "{", close: "}", items: () => unlabelled(document.children(array)) };
}

function dictShape(document: JsonDocument, node: JsonNode, out: Output): Shape {
  return { atom: null, open: "{", close: "}", items: () => dictItems(document, node, out) };
}

function* dictItems(document: JsonDocument, node: JsonNode, out: Output): Generator<Item> {
  for (const [key, value] of document.members(node)) {
    yield { label: `${pythonString(document.string(key, out.worthDecoding))}: `, node: value };
  }
}

function* instanceItems(document: JsonDocument, instance: InstanceShape, out: Output): Generator<Item> {
  yield* unlabelled(instance.args());
  for (const [key, value] of instance.attributes()) {
    const name = document.string(key, out.worthDecoding);
    yield { label: `${IDENTIFIER.test(name) ? name : pythonString(name)}=`, node: value };
  }
}

const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

function* unlabelled(nodes: Iterable<JsonNode>): Generator<Item> {
  for (const node of nodes) yield { label: "", node };
}

function lastName(dotted: string): string {
  return dotted.slice(dotted.lastIndexOf(".") + 1);
}

/** Like Python's repr, but readable letters of any script are kept; characters that JSON escapes are escaped the same way. */
function pythonString(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  if (escaped.includes("'") && !escaped.includes('"')) return `"${escaped}"`;
  return `'${escaped.replaceAll("'", "\\'")}'`;
}

/** `b'...'` of the first `atMost` bytes. */
function pythonBytes(base64: string, atMost: number): string {
  const bytes = Buffer.from(base64, "base64").subarray(0, atMost);
  return `b'${Array.from(bytes, pythonByte).join("")}'`;
}

function pythonByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "\\" || character === "'") return `\\${character}`;
  return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, "0")}`;
}
