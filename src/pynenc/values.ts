/**
 * Shows stored strings without Python (storage-format.md 4). Everything is untrusted text: nothing is executed, unpickled or resolved, and nothing
 * throws. The serializer of a value is not recorded, but recognised by its text (storage-format.md 4.2).
 */

import { closedJson, withoutCutEscape } from "./cut-json.ts";
import { CLIENT_DATA_PREFIX, isClientDataReference } from "./identifiers.ts";
import { cutText, jsonText } from "./json-text.ts";
import { grouped } from "./numbers.ts";
import { type JsonDocument, ROOT, scanPythonJson } from "./python-json.ts";
import type { CutMark } from "./records.ts";
import { instanceOf, usesEnvelopes, usesJsonpickle } from "./value-instances.ts";
import { argumentsText, pythonText } from "./value-text.ts";

/**
 * `json`: plain JSON of either JSON serializer; `jsonpickle`: with `py/...` keys; `json_envelope`: with JsonSerializer's envelopes;
 * `pickle`: base64 of a pickle; `reference`: into the client data store; `text`: anything else.
 */
export type ValueForm = "json" | "jsonpickle" | "json_envelope" | "pickle" | "reference" | "text";

/** A stored string, ready to be shown (not escaped). */
export interface DisplayValue {
  form: ValueForm;
  /**
   * `json`: over several lines with two spaces per level; `jsonpickle` and `json_envelope`: Python-like, `Pt(x=1, y=2.5)`; others: as stored. Numbers
   * keep their digits. At most `limit` UTF-16 units.
   */
  text: string;
  truncated: boolean;
  /** UTF-16 units of the stored string. If it is `cut`, its bytes, or null if not known. */
  size: number | null;
  /** Only the beginning was read, because of its size. */
  cut?: true;
  /** Additional information: `pickle, 12 bytes, not loaded`, `instance of tasks.Pt`, or null. */
  note: string | null;
  /** The full reference if `form` is `reference`. */
  reference: string | null;
}

/** A stored exception (storage-format.md 4.5), ready to be shown. No traceback is stored. */
export interface DisplayException {
  /** Class name, or `unreadable`. */
  error_name: string;
  /** Dotted path of the class if the serializer stores it: `builtins.ValueError`; else the class name. Null for `unreadable`. */
  type: string | null;
  /** Null if it could not be read; empty for an exception without a message. */
  message: string | null;
  /** An error of pynenc itself, which it stores in a separate format. */
  pynenc_error: boolean;
  /** Stored string of the exception object; may be a reference. */
  data: string | null;
  value: DisplayValue | null;
}

/** Default limit of characters shown of a value (storage-format.md 4.7). */
const DEFAULT_LIMIT = 10_000;

/** A pickle of protocol 2 or newer starts with byte 0x80, which is `gA` in base64; lines break every 76 characters. */
const PICKLE_BASE64 = /^gA[A-Za-z0-9+/\n]*={0,2}\n?$/;

export function displayValue(stored: string, limit = DEFAULT_LIMIT): DisplayValue {
  if (isClientDataReference(stored))
    return asStored("reference", stored, limit, "kept in the client data store", stored);
  const document = scanPythonJson(stored);
  if (document !== null) return displayDocument(document, limit);
  const pickled = pickleBytes(stored);
  if (pickled !== null) return asStored("pickle", stored, limit, `pickle, ${pickled} bytes, not loaded`, null);
  return asStored("text", stored, limit, null, null);
}

/**
 * A value of which only the beginning was read. It is not parsed, because the rest could change its meaning.
 *
 * @param size full size in bytes; null if not known.
 */
export function displayBeginning(beginning: string, size: number | null, limit = DEFAULT_LIMIT): DisplayValue {
  const pickled = PICKLE_BASE64.test(beginning);
  const long = size === null ? "" : `${grouped(size)} bytes, `;
  const note = `${pickled ? "pickle, not loaded; " : ""}${long}too large to read in full`;
  return { ...asStored(pickled ? "pickle" : "text", beginning, limit, note, null), truncated: true, size, cut: true };
}

/** The name of an exception that is in no form that can be read. */
const UNREADABLE_NAME = "unreadable";

/**
 * An exception of which only the beginning was read. Its class comes first; the message is the part that was read. If the message comes after the
 * part that was read, the arguments are shown instead, as far as they were read.
 */
export function displayExceptionBeginning(beginning: string, size: number, limit = DEFAULT_LIMIT): DisplayException {
  const closed = closedJson(beginning);
  const read = closed === null ? null : readException(closed, limit, () => undefined, true);
  const known = read ?? {
    error_name: "too large to be read",
    type: null,
    message: null,
    pynenc_error: false,
  };
  return { ...known, data: null, value: displayBeginning(beginning, size, limit) };
}

/**
 * Never throws: an unreadable exception has the name `unreadable` and the stored text as value.
 *
 * @param textBehind the value of a client data reference, if known: the exception object may be stored there.
 */
export function displayException(
  stored: string,
  limit = DEFAULT_LIMIT,
  textBehind: (reference: string) => TextBehind | undefined = () => undefined,
): DisplayException {
  const read = readException(stored, limit, textBehind, false);
  if (read === null) {
    const value = asStored("text", stored, limit, null, null);
    return { error_name: UNREADABLE_NAME, type: null, message: null, pynenc_error: false, data: null, value };
  }
  return { ...read, value: read.data === null ? null : displayValue(read.data, limit) };
}

/**
 * The class name of an exception as `displayException` gives it, without reading anything else of it.
 *
 * @param beginning only the beginning was read; then null if the name does not end in it.
 */
export function exceptionName(stored: string, beginning: boolean, limit = DEFAULT_LIMIT): string | null {
  const envelope = scanPythonJson(beginning ? (closedJson(stored) ?? "") : stored);
  const node = envelope?.member(ROOT, "error_name") ?? null;
  if (envelope === null || node === null || envelope.kind(node) !== "string") return beginning ? null : UNREADABLE_NAME;
  // The beginning of a name is closed by a quotation mark that is not in the text.
  return beginning && !stored.includes(envelope.raw(node)) ? null : cutText(envelope.string(node), limit).text;
}

/** A text of the client data store. */
export interface TextBehind {
  text: string;
  /** Only the beginning was read. */
  cut: boolean;
}

/** Null if the text is not such an envelope. @param cut its end was not read. */
function readException(
  text: string,
  limit: number,
  textBehind: (reference: string) => TextBehind | undefined,
  cut: boolean,
): Omit<DisplayException, "value"> | null {
  const envelope = scanPythonJson(text);
  const errorName = envelope?.memberString(ROOT, "error_name") ?? null;
  if (envelope === null || errorName === null) return null;
  const flag = envelope.member(ROOT, "pynenc_error");
  const pynencError = flag !== null && envelope.raw(flag) === "true";
  const data = errorData(envelope);
  const objectIn = (text: string) => (isClientDataReference(text) ? textBehind(text) : { text, cut });
  const object = data === null ? undefined : objectIn(data);
  const readable = object?.cut ? (closedJson(object.text) ?? object.text) : object?.text;
  const { type, message } = readable === undefined ? NOTHING_KNOWN : explainError(readable, pynencError, limit);
  const error_name = cutText(errorName, limit).text;
  return { error_name, type: type ?? error_name, message, pynenc_error: pynencError, data };
}

/**
 * Argument name to stored string, in stored order (storage-format.md 3.4). Null if the text is not a JSON object. A member that is not a string
 * (never written by pynenc) is kept as its JSON text.
 */
export function argumentsMap(serializedArguments: string): ReadonlyMap<string, string> | null {
  const document = scanPythonJson(serializedArguments);
  if (document === null || document.kind(ROOT) !== "object") return null;
  const stored = new Map<string, string>();
  for (const [key, value] of document.members(ROOT)) {
    stored.set(document.string(key), document.kind(value) === "string" ? document.string(value) : document.raw(value));
  }
  return stored;
}

/** The arguments in the beginning of their map: all but the last are complete, the last may be cut. Null if there is not even one. */
export function argumentsBeginning(
  beginning: string,
): { whole: ReadonlyMap<string, string>; cut: [string, string] } | null {
  const stored = argumentsMap(`${withoutCutEscape(beginning)}"}`) ?? argumentsMap(`${beginning}}`);
  const last = [...(stored ?? [])].at(-1);
  if (stored === null || last === undefined) return null;
  return { whole: new Map([...stored].slice(0, -1)), cut: last };
}

/** As `argumentsMap`. If only the beginning of the text was read, the last value may be cut. */
export function argumentsAsRead(serialized: string, { whole_size }: CutMark): ReadonlyMap<string, string> | null {
  if (whole_size === undefined) return argumentsMap(serialized);
  const read = argumentsBeginning(serialized);
  return read === null ? null : new Map([...read.whole, read.cut]);
}

/** Distinct client data references among stored strings and inside exception envelopes, in order of occurrence. */
export function referencesIn(stored: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const text of stored) {
    const reference = isClientDataReference(text) ? text : referenceInException(text);
    if (reference !== null) found.add(reference);
  }
  return [...found];
}

function displayDocument(document: JsonDocument, limit: number): DisplayValue {
  const form = formOf(document);
  const { text, truncated } = form === "json" ? jsonText(document, limit) : pythonText(document, limit);
  return { form, text, truncated, size: document.source.length, note: noteOn(document), reference: null };
}

function formOf(document: JsonDocument): ValueForm {
  if (usesJsonpickle(document)) return "jsonpickle";
  return usesEnvelopes(document) ? "json_envelope" : "json";
}

function noteOn(document: JsonDocument): string | null {
  const instance = instanceOf(document, ROOT);
  return instance === null ? null : `instance of ${cutText(instance.type, 200).text}`;
}

function asStored(
  form: ValueForm,
  stored: string,
  limit: number,
  note: string | null,
  reference: string | null,
): DisplayValue {
  return { form, ...cutText(stored, Math.max(0, limit)), size: stored.length, note, reference };
}

/** Bytes of a pickle, computed from the length of its base64; null if the text is not one. */
function pickleBytes(stored: string): number | null {
  if (!PICKLE_BASE64.test(stored)) return null;
  const base64 = stored.replaceAll("\n", "");
  if (base64.length % 4 !== 0) return null;
  const padding = base64.length - base64.replace(/=+$/, "").length;
  return (base64.length / 4) * 3 - padding;
}

const NOTHING_KNOWN = { type: null, message: null } as const;

function errorData(envelope: JsonDocument): string | null {
  const data = envelope.member(ROOT, "error_data");
  if (data === null || envelope.raw(data) === "null") return null;
  return envelope.kind(data) === "string" ? envelope.string(data) : envelope.raw(data);
}

/** Formats an exception as in storage-format.md 4.5. */
function explainError(
  data: string,
  pynencError: boolean,
  limit: number,
): { type: string | null; message: string | null } {
  const document = scanPythonJson(data);
  if (document === null) return NOTHING_KNOWN;
  if (pynencError) return { type: null, message: cutText(frameworkMessage(document), limit).text };
  const instance = instanceOf(document, ROOT);
  const message = instance === null ? document.memberString(ROOT, "message") : instance.message;
  const text = message ?? (instance && argumentsText(document, instance, limit)) ?? null;
  return { type: instance?.type ?? null, message: text && cutText(text, limit).text };
}

/** An error of pynenc is stored as its attributes: the message is one of them, or all of them are shown. */
function frameworkMessage(document: JsonDocument): string {
  const message = document.memberString(ROOT, "message");
  if (message !== null) return message;
  return document.kind(ROOT) === "object" && [...document.members(ROOT)].length === 0 ? "" : document.source;
}

function referenceInException(text: string): string | null {
  // Most stored strings have no reference: check the text before scanning.
  if (!text.includes(CLIENT_DATA_PREFIX)) return null;
  const envelope = scanPythonJson(text);
  if (envelope === null || envelope.member(ROOT, "error_name") === null) return null;
  const data = envelope.memberString(ROOT, "error_data");
  return data !== null && isClientDataReference(data) ? data : null;
}
