/** Finds instances in scanned values, which jsonpickle and JsonSerializer wrap in envelopes (storage-format.md 4.3). */
import type { JsonDocument, JsonKind, JsonNode } from "./python-json.ts";

/** Keys with this prefix wrap jsonpickle values. */
const JSONPICKLE_KEY = "py/";

/** An object with exactly one of these keys wraps a JsonSerializer value (storage-format.md 4.3). */
const ENVELOPE_KEYS = [
  "__pynenc__std_py_exc__",
  "__pynenc__client_exception__",
  "__pynenc__json_serializable__",
  "__pynenc__enum__",
] as const;

export function usesJsonpickle(document: JsonDocument): boolean {
  // Most values have neither, and a text search is cheaper than a walk over their objects.
  if (!document.source.includes(JSONPICKLE_KEY)) return false;
  return document.someObject((node) => {
    for (const [key] of document.members(node)) if (document.keyStartsWith(key, JSONPICKLE_KEY)) return true;
    return false;
  });
}

export function usesEnvelopes(document: JsonDocument): boolean {
  if (!ENVELOPE_KEYS.some((key) => document.source.includes(key))) return false;
  return document.someObject((node) => envelopeOf(document, node) !== null);
}

/** An object that represents an instance: its type and constructor arguments. */
export interface InstanceShape {
  /** Dotted path as stored: `builtins.ValueError`, `tasks.Color`. */
  type: string;
  /** Positional arguments. */
  args: () => Iterable<JsonNode>;
  attributes: () => Iterable<[key: JsonNode, value: JsonNode]>;
  /** JsonSerializer stores the text of an exception in addition to its arguments. */
  message: string | null;
}

/** Reads an object node as an instance of either serializer; null if it is something else. */
export function instanceOf(document: JsonDocument, node: JsonNode): InstanceShape | null {
  return reducedInstance(document, node) ?? plainInstance(document, node) ?? envelopedInstance(document, node);
}

export function onlyMemberOfKind(
  document: JsonDocument,
  node: JsonNode,
  name: string,
  kind: JsonKind,
): JsonNode | null {
  const value = document.onlyMember(node, name);
  return value !== null && document.kind(value) === kind ? value : null;
}

/** `{"py/reduce": [type, arguments, state]}`: enum members, exceptions and many others. */
function reducedInstance(document: JsonDocument, node: JsonNode): InstanceShape | null {
  const reduce = onlyMemberOfKind(document, node, "py/reduce", "array");
  return reduce === null ? null : reduction(document, reduce);
}

/** `[type, arguments, state]`; list and dictionary items (fourth and fifth) are not handled here. */
function reduction(document: JsonDocument, array: JsonNode): InstanceShape | null {
  const parts = document.children(array);
  const [callable, args, state, excess] = [parts.next(), parts.next(), parts.next(), parts.next()].map(
    (part) => part.value,
  );
  if (callable === undefined || args === undefined || excess !== undefined) return null;
  const type = onlyMemberOfKind(document, callable, "py/type", "string");
  const argList = document.kind(args) === "array" ? args : onlyMemberOfKind(document, args, "py/tuple", "array");
  if (type === null || argList === null) return null;
  return {
    type: document.string(type),
    args: () => document.children(argList),
    attributes: () => (state === undefined ? [] : document.members(state)),
    message: null,
  };
}

/** `{"py/object": type, ...attributes}`. jsonpickle writes the type first, so a large dictionary need not be searched. */
function plainInstance(document: JsonDocument, node: JsonNode): InstanceShape | null {
  const members = document.members(node);
  const first = members.next().value;
  if (!first || !document.keyIs(first[0], "py/object") || document.kind(first[1]) !== "string") return null;
  const second = members.next().value;
  const alone = second !== undefined && members.next().done === true;
  if (alone && document.keyIs(second[0], "__reduce__") && document.kind(second[1]) === "array") {
    const reduced = reduction(document, second[1]);
    if (reduced !== null) return reduced;
  }
  const hasState = alone && document.keyIs(second[0], "py/state") && document.kind(second[1]) === "object";
  return {
    type: document.string(first[1]),
    args: () => [],
    attributes: () => (hasState ? document.members(second[1]) : membersAfterFirst(document, node)),
    message: null,
  };
}

function* membersAfterFirst(document: JsonDocument, node: JsonNode): Generator<[JsonNode, JsonNode]> {
  const members = document.members(node);
  members.next();
  yield* members;
}

function envelopeOf(
  document: JsonDocument,
  node: JsonNode,
): { key: (typeof ENVELOPE_KEYS)[number]; inner: JsonNode } | null {
  for (const key of ENVELOPE_KEYS) {
    const inner = onlyMemberOfKind(document, node, key, "object");
    if (inner !== null) return { key, inner };
  }
  return null;
}

function envelopedInstance(document: JsonDocument, node: JsonNode): InstanceShape | null {
  const envelope = envelopeOf(document, node);
  if (envelope === null) return null;
  const { key, inner } = envelope;
  const type = key === "__pynenc__std_py_exc__" ? builtinType(document, inner) : qualifiedType(document, inner);
  if (type === null) return null;
  const message = document.memberString(inner, "message");
  const none = () => [];
  if (key === "__pynenc__std_py_exc__" || key === "__pynenc__client_exception__") {
    const args = document.member(inner, "args");
    if (args === null || document.kind(args) !== "array") return null;
    return { type, args: () => document.children(args), attributes: none, message };
  }
  const content = document.member(inner, key === "__pynenc__enum__" ? "value" : "data");
  if (content === null) return null;
  if (document.kind(content) === "object") {
    return { type, args: none, attributes: () => document.members(content), message: null };
  }
  return { type, args: () => [content], attributes: none, message: null };
}

function builtinType(document: JsonDocument, inner: JsonNode): string | null {
  const name = document.memberString(inner, "type");
  return name && `builtins.${name}`;
}

function qualifiedType(document: JsonDocument, inner: JsonNode): string | null {
  const module = document.memberString(inner, "module");
  const qualname = document.memberString(inner, "qualname");
  return module === null || qualname === null ? null : `${module}.${qualname}`;
}
