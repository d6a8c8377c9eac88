/**
 * Finds references in a log line: `kind:value`, lists `kinds:[a,b]`, statuses, and UUIDs on their own (storage-format.md 5.8, behaviour.md 7.2).
 */
import { cronConditionId } from "../pynenc/identifiers.ts";
import type { IdMark, LogMark, ReferenceKind, ReferenceMark } from "./model.ts";
import { isDigit, isLetter, isUuidAt, skipBlanks, uuidEnd } from "./scan.ts";

/** Endings of a role and the kind they stand for; the longest match wins: `source-invocation`, `current-owner-runner`. */
const KINDS: readonly (readonly [ending: string, kind: ReferenceKind])[] = [
  ["atomic-service-run", "atomic_service_run"],
  ["valid-condition", "valid_condition"],
  ["trigger-run", "trigger_run"],
  ["prior-running", "atomic_service_run"],
  ["invocation", "invocation"],
  ["condition", "condition"],
  ["workflow", "workflow"],
  ["trigger", "trigger"],
  ["runner", "runner"],
  ["worker", "runner"],
  ["event", "event"],
  ["cron", "condition"],
  ["task", "task"],
  ["call", "call"],
];

const STATUS_ROLES: readonly string[] = ["status", "from-status", "to-status"];

/** Their ids are UUIDs, so that whatever follows the UUID is not part of the id. */
const WITH_UUID: readonly ReferenceKind[] = ["invocation", "workflow", "event", "atomic_service_run", "runner"];

const LONGEST_ROLE = 40;
const LONGEST_VALUE = 2_000;
const STATUS_CLASS = "InvocationStatus.";

/** Limits per entry. The result says if something was left out. */
const MARKS_PER_ENTRY = 2_000;
const CHARACTERS_PER_ENTRY = 1_000_000;

/** Marks from `start` on, in text order, preceded by those in `before`. Two passes, each of which only moves forward or looks back a bounded distance. */
export function readMarks(
  complete: string,
  start: number,
  before: readonly LogMark[],
): { marks: LogMark[]; cut: boolean } {
  const text = complete.slice(0, CHARACTERS_PER_ENTRY);
  const { marks, cut } = markedWords(text, start, before);
  const all = [...marks, ...loneIds(text, start, marks)].sort((a, b) => a.start - b.start);
  return {
    marks: all.slice(0, MARKS_PER_ENTRY),
    cut: cut || text.length < complete.length || all.length > MARKS_PER_ENTRY,
  };
}

/** Whether the text contains any reference, including UUIDs on their own. */
export function namesSomething(text: string): boolean {
  return readMarks(text, 0, []).marks.length > 0;
}

/** References given by a word and a colon, and statuses. */
function markedWords(text: string, start: number, before: readonly LogMark[]): { marks: LogMark[]; cut: boolean } {
  const marks: LogMark[] = [...before];
  let behind = start;
  const add = (found: readonly LogMark[]) => {
    for (const mark of found) {
      marks.push(mark);
      behind = mark.end;
    }
  };
  let word = text.indexOf(STATUS_CLASS, start);
  for (let colon = text.indexOf(":", start); ; colon = text.indexOf(":", Math.max(colon + 1, behind))) {
    while (word >= 0 && (colon < 0 || word < colon)) {
      if (word >= behind) add(statusesAt(text, word + STATUS_CLASS.length));
      if (marks.length >= MARKS_PER_ENTRY) return { marks, cut: true };
      word = text.indexOf(STATUS_CLASS, Math.max(word + 1, behind));
    }
    if (colon < 0) return { marks, cut: false };
    add(namedAt(text, colon, behind));
    if (marks.length >= MARKS_PER_ENTRY) return { marks, cut: true };
  }
}

/** UUIDs between the marks, checked wherever there is a hyphen with enough text before it. */
function loneIds(text: string, start: number, marks: readonly LogMark[]): IdMark[] {
  const found: IdMark[] = [];
  let from = start;
  let next = 0;
  for (let hyphen = text.indexOf("-", start); hyphen >= 0; hyphen = text.indexOf("-", hyphen + 1)) {
    const begin = hyphen - FIRST_HYPHEN_OF_A_UUID;
    if (begin < from || continuesWord(text.charCodeAt(begin - 1)) || !isUuidAt(text, begin)) continue;
    const end = uuidEnd(begin);
    while ((marks[next]?.end ?? Number.POSITIVE_INFINITY) <= begin) next++;
    if ((marks[next]?.start ?? Number.POSITIVE_INFINITY) < end) continue;
    found.push({ kind: "id", start: begin, end, id: text.slice(begin, end) });
    if (found.length > MARKS_PER_ENTRY) break;
    from = end;
  }
  return found;
}

const FIRST_HYPHEN_OF_A_UUID = 8;

function continuesWord(code: number): boolean {
  return isRoleCharacter(code) || isDigit(code) || code > 0x7f;
}

/** The references made by the word before a colon and the value after it. */
function namedAt(text: string, colon: number, from: number): LogMark[] {
  const role = roleBefore(text, colon, from);
  if (role === "") return [];
  const name = role.toLowerCase().replaceAll("_", "-");
  if (STATUS_ROLES.includes(name)) return statusesAt(text, colon + 1);
  const listed = text[colon + 1] === "[";
  const kind = kindOf(name) ?? (listed && name.endsWith("s") ? kindOf(name.slice(0, -1)) : null);
  if (kind === null) return [];
  return listed ? listAt(text, colon + 2, kind, role) : valueAt(text, colon + 1, kind, role, false);
}

function kindOf(role: string): ReferenceKind | null {
  for (const [ending, kind] of KINDS) {
    if (role.endsWith(ending) && (role.length === ending.length || role.at(-ending.length - 1) === "-")) return kind;
  }
  return null;
}

/** The role before the colon, if it is a complete word. */
function roleBefore(text: string, colon: number, from: number): string {
  const least = Math.max(from, colon - LONGEST_ROLE);
  let at = colon;
  while (at > least && isRoleCharacter(text.charCodeAt(at - 1))) at--;
  // A longer word, or one preceded by other characters, is not one of these roles.
  if (at > 0 && isWordCharacter(text.charCodeAt(at - 1))) return "";
  return text.slice(at, colon);
}

function isRoleCharacter(code: number): boolean {
  return isLetter(code) || code === 0x2d || code === 0x5f;
}

function isWordCharacter(code: number): boolean {
  return isRoleCharacter(code) || isDigit(code) || code === 0x2e || code === 0x2f || code > 0x7f;
}

/** `kinds:[a,b]`. Reads values up to the first one that is not followed by a comma. */
function listAt(text: string, start: number, kind: ReferenceKind, role: string): LogMark[] {
  const marks: LogMark[] = [];
  for (let at = start; marks.length < MARKS_PER_ENTRY; ) {
    at = skipBlanks(text, at);
    const [mark] = valueAt(text, at, kind, role, true);
    if (mark === undefined) break;
    marks.push(mark);
    at = skipBlanks(text, mark.end);
    if (text[at] === "'" || text[at] === '"') at++;
    if (text[at] !== ",") break;
    at++;
  }
  return marks;
}

function valueAt(text: string, start: number, kind: ReferenceKind, role: string, listed: boolean): ReferenceMark[] {
  const quoted = text[start] === "'" || text[start] === '"';
  const from = quoted ? start + 1 : start;
  if (WITH_UUID.includes(kind) && isUuidAt(text, from)) return [markOf(text, from, uuidEnd(from), kind, role)];
  if (kind === "condition" || kind === "valid_condition") {
    const end = endOfSchedule(text, from, role, listed);
    if (end > from) return [scheduleOf(text, from, end, kind, role)];
  }
  const end = endOfValue(text, from);
  if (end === from) return [];
  // `runner:ThreadRunner(b6276e23)`
  if (kind === "runner" && text[end] === "(") {
    const inner = endOfValue(text, end + 1);
    if (inner > end + 1 && text[inner] === ")") return [{ ...markOf(text, end + 1, inner, kind, role), partial: true }];
  }
  return [markOf(text, from, end, kind, role)];
}

function markOf(text: string, start: number, end: number, kind: ReferenceKind, role: string): ReferenceMark {
  const id = text.slice(start, end);
  return { kind, start, end, role, id, partial: kind === "runner" && isDigest(id) };
}

/** The first digits of a UUID. */
function isDigest(id: string): boolean {
  return id.length < 36 && /^[0-9a-f]{8}(?:-[0-9a-f-]*)?$/.test(id);
}

/** Values end at a blank, quote or bracket. A full stop or colon at the end belongs to the sentence. */
function endOfValue(text: string, start: number): number {
  const last = Math.min(text.length, start + LONGEST_VALUE);
  let end = start;
  while (end < last && !endsValue(text.charCodeAt(end))) end++;
  while (end > start && (text[end - 1] === "." || text[end - 1] === ":" || text[end - 1] === "…")) end--;
  return end;
}

function endsValue(code: number): boolean {
  return code <= 0x20 || code === 0x7f || ENDS.includes(String.fromCharCode(code));
}

const ENDS = "\"'`,;()[]{}<>|\\";

const FIELDS_OF_A_SCHEDULE = 5;

/** The id of a cron condition contains blanks: `cron_* * * * *` has five fields. -1 if there is no schedule at this offset. */
function endOfSchedule(text: string, start: number, role: string, listed: boolean): number {
  const prefix = ["cron_", "valid_condition_cron_"].find((one) => text.startsWith(one, start)) ?? "";
  if (prefix === "" && role.toLowerCase() !== "cron") return -1;
  let at = start + prefix.length;
  for (let field = 1; field <= FIELDS_OF_A_SCHEDULE; field++) {
    const from = at;
    if (field === FIELDS_OF_A_SCHEDULE && prefix.startsWith("valid")) return endOfValue(text, at);
    while (isCronCharacter(text, at, listed && field === FIELDS_OF_A_SCHEDULE)) at++;
    if (at === from || at - start > LONGEST_VALUE) return -1;
    if (field === FIELDS_OF_A_SCHEDULE) return at;
    if (text[at] !== " ") return -1;
    at++;
  }
  return -1;
}

/** In a list, a comma after the last field separates two conditions, unless the field continues: no condition id starts like a field. */
function isCronCharacter(text: string, at: number, lastOfList: boolean): boolean {
  const character = text[at] ?? "";
  if (character === "," && lastOfList) return /^[0-9*A-Z]$/.test(text[at + 1] ?? "");
  return /^[0-9A-Za-z*/,?#-]$/.test(character);
}

function scheduleOf(text: string, start: number, end: number, kind: ReferenceKind, role: string): ReferenceMark {
  const written = text.slice(start, end);
  const id = kind === "condition" && !written.startsWith("cron_") ? cronConditionId(written) : written;
  return { kind, start, end, role, id, partial: false };
}

/** A status, in upper or lower case. */
function statusesAt(text: string, start: number): LogMark[] {
  let end = start;
  while (end - start < LONGEST_ROLE && (isLetter(text.charCodeAt(end)) || text[end] === "_")) end++;
  if (end === start || text.startsWith(STATUS_CLASS.slice(0, -1), start)) return [];
  return [{ kind: "status", start, end, status: text.slice(start, end).toLowerCase() }];
}
