/**
 * Compact storage for millions of forgotten invocations, newest registration first. An object for each would take about 300 bytes; columns of numbers
 * take about 40, and filtering a million of them takes a few milliseconds.
 */
import { UNKNOWN_STATUS } from "../../pynenc/statuses.ts";
import type { ForgottenInvocation } from "../../stores/ports/forgotten.ts";
import type { StatusFilter } from "../../stores/ports/orchestrator.ts";

/** Bytes per id: those of a UUID, or zeros and a number for any other id. */
const ID_BYTES = 16;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Positions of the digits in the text of a UUID. */
const DIGITS = [...Array(36).keys()].filter((i) => ![8, 13, 18, 23].includes(i));

/** A position in registration order: greater is later; among equals the smaller id comes first. */
export interface RegistrationPosition {
  order: number;
  invocation_id: string;
}

/** Negative if `a` comes before `b`: newest first. */
export function newestFirst(a: RegistrationPosition, b: RegistrationPosition): number {
  if (a.order !== b.order) return b.order - a.order;
  return a.invocation_id < b.invocation_id ? -1 : Number(a.invocation_id > b.invocation_id);
}

/** Maps words to small integers. */
class Words {
  readonly words: string[] = [];
  readonly #codes = new Map<string, number>();

  codeOf(word: string): number {
    let code = this.#codes.get(word);
    if (code === undefined) {
      code = this.words.push(word) - 1;
      this.#codes.set(word, code);
    }
    return code;
  }

  /** Undefined for a word that never occurred. */
  known(word: string): number | undefined {
    return this.#codes.get(word);
  }
}

/** Meaning of the codes in the columns. Shared by all columns of an app, so that they can be merged. */
export class Vocabulary {
  readonly statuses = new Words();
  readonly tasks = new Words();
  /** Ids that are not UUIDs. */
  readonly oddIds = new Words();
}

interface Arrays {
  ids: Uint8Array;
  orders: Float64Array;
  statuses: Uint16Array;
  tasks: Uint32Array;
  calls: Float64Array;
}

/** One writer appends; readers only use the length that they saw. */
export class ForgottenColumns {
  readonly #vocabulary: Vocabulary;
  #arrays: Arrays;
  #length = 0;

  constructor(vocabulary: Vocabulary, capacity = 64) {
    this.#vocabulary = vocabulary;
    this.#arrays = arraysOf(capacity);
  }

  /** Columns with these rows, sorted. */
  static of(vocabulary: Vocabulary, rows: readonly ForgottenInvocation[]): ForgottenColumns {
    const columns = new ForgottenColumns(vocabulary, rows.length);
    for (const row of [...rows].sort(newestFirst)) columns.push(row);
    return columns;
  }

  get length(): number {
    return this.#length;
  }

  push(row: ForgottenInvocation): void {
    this.#reserve(this.#length + 1);
    const at = this.#length++;
    const { ids, orders, statuses, tasks, calls } = this.#arrays;
    writeId(ids, at, row.invocation_id, this.#vocabulary);
    orders[at] = row.order;
    statuses[at] = this.#vocabulary.statuses.codeOf(row.last_status ?? UNKNOWN_STATUS);
    tasks[at] = this.#vocabulary.tasks.codeOf(row.task_id_key);
    calls[at] = hashOf(row.call_id_key);
  }

  idAt(position: number): string {
    return readId(this.#arrays.ids, position, this.#vocabulary);
  }

  orderAt(position: number): number {
    return this.#arrays.orders[position] ?? 0;
  }

  /** Number of rows before this position, which is the index of the row if it exists. Rows must be sorted. */
  positionOf(row: RegistrationPosition, length = this.#length): number {
    let [low, high] = [0, length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const here = { order: this.orderAt(middle), invocation_id: this.idAt(middle) };
      if (newestFirst(here, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(row: RegistrationPosition): boolean {
    const position = this.positionOf(row);
    if (position >= this.#length || this.orderAt(position) !== row.order) return false;
    return this.idAt(position) === row.invocation_id;
  }

  /** The sorted union of both. */
  mergedWith(other: ForgottenColumns): ForgottenColumns {
    const merged = new ForgottenColumns(this.#vocabulary, this.#length + other.#length);
    let [a, b] = [0, 0];
    while (a < this.#length || b < other.#length) {
      const difference = this.#compareAt(a, other, b);
      if (difference <= 0) {
        merged.#copy(this, a++);
        if (difference === 0) b++;
      } else merged.#copy(other, b++);
    }
    return merged;
  }

  /** The rows registered before `order`, sorted. */
  before(order: number): ForgottenColumns {
    const older = new ForgottenColumns(this.#vocabulary, this.#length);
    for (let at = 0; at < this.#length; at++) if (this.orderAt(at) < order) older.#copy(this, at);
    return older;
  }

  /** A sorted copy, because the steps of a pass may not arrive in order. */
  sorted(): ForgottenColumns {
    const positions = Uint32Array.from({ length: this.#length }, (_, at) => at);
    positions.sort((a, b) => this.#compareAt(a, this, b));
    const sorted = new ForgottenColumns(this.#vocabulary, this.#length);
    for (const at of positions) {
      if (sorted.#length > 0 && sorted.#compareAt(sorted.#length - 1, this, at) === 0) continue;
      sorted.#copy(this, at);
    }
    return sorted;
  }

  /** Counts by task and status. */
  shares(length: number): { task_id_key: string; status: string; count: number }[] {
    const { statuses, tasks } = this.#vocabulary;
    const width = statuses.words.length;
    const counts = new Float64Array(width * tasks.words.length);
    for (let at = 0; at < length; at++) {
      const cell = (this.#arrays.tasks[at] ?? 0) * width + (this.#arrays.statuses[at] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    return [...counts].flatMap((count, cell) => {
      const [task_id_key, status] = [tasks.words[Math.floor(cell / width)], statuses.words[cell % width]];
      return count === 0 || task_id_key === undefined || status === undefined ? [] : [{ task_id_key, status, count }];
    });
  }

  /** Positions of the rows that meet the filter, among the first `length`. */
  matching(filter: StatusFilter, length: number): Uint32Array {
    const { statuses, tasks } = this.#vocabulary;
    const words = filter.statuses?.map((word) => statuses.known(word));
    const wanted = words === undefined ? null : new Set(words);
    const task = filter.task_id_key === undefined ? null : (tasks.known(filter.task_id_key) ?? -1);
    const call = filter.call_id_key === undefined ? null : hashOf(filter.call_id_key);
    const begins = beginning(filter.id_prefix ?? "");
    const found = new Uint32Array(length);
    let n = 0;
    const arrays = this.#arrays;
    for (let at = 0; at < length; at++) {
      if (wanted !== null && !wanted.has(arrays.statuses[at])) continue;
      if (task !== null && arrays.tasks[at] !== task) continue;
      if (call !== null && arrays.calls[at] !== call) continue;
      if (begins !== null && !begins(arrays.ids, at, this.#vocabulary)) continue;
      found[n++] = at;
    }
    return found.slice(0, n);
  }

  #compareAt(a: number, other: ForgottenColumns, b: number): number {
    if (a >= this.#length) return 1;
    if (b >= other.#length) return -1;
    const [first, second] = [this.orderAt(a), other.orderAt(b)];
    if (first !== second) return second - first;
    const [firstId, secondId] = [this.idAt(a), other.idAt(b)];
    return firstId < secondId ? -1 : Number(firstId > secondId);
  }

  #copy(from: ForgottenColumns, position: number): void {
    this.#reserve(this.#length + 1);
    const at = this.#length++;
    const [to, source] = [this.#arrays, from.#arrays];
    to.ids.set(source.ids.subarray(position * ID_BYTES, (position + 1) * ID_BYTES), at * ID_BYTES);
    to.orders[at] = source.orders[position] ?? 0;
    to.statuses[at] = source.statuses[position] ?? 0;
    to.tasks[at] = source.tasks[position] ?? 0;
    to.calls[at] = source.calls[position] ?? 0;
  }

  #reserve(length: number): void {
    const capacity = this.#arrays.orders.length;
    if (length <= capacity) return;
    const larger = arraysOf(Math.max(length, Math.ceil(capacity * 1.5)));
    for (const name of Object.keys(larger) as (keyof Arrays)[]) larger[name].set(this.#arrays[name]);
    this.#arrays = larger;
  }
}

function arraysOf(capacity: number): Arrays {
  return {
    ids: new Uint8Array(capacity * ID_BYTES),
    orders: new Float64Array(capacity),
    statuses: new Uint16Array(capacity),
    tasks: new Uint32Array(capacity),
    calls: new Float64Array(capacity),
  };
}

function writeId(ids: Uint8Array, position: number, id: string, vocabulary: Vocabulary): void {
  const start = position * ID_BYTES;
  if (UUID.test(id)) {
    for (let byte = 0; byte < ID_BYTES; byte++) {
      const [high = 0, low = 0] = [DIGITS[byte * 2], DIGITS[byte * 2 + 1]];
      ids[start + byte] = Number.parseInt((id[high] ?? "0") + (id[low] ?? "0"), 16);
    }
    // A UUID that looks like the number of an odd id is stored as an odd id, too.
    if (!isOdd(ids, position)) return;
  }
  ids.fill(0, start, start + ID_BYTES);
  new DataView(ids.buffer).setUint32(start + 12, vocabulary.oddIds.codeOf(id));
}

function isOdd(ids: Uint8Array, position: number): boolean {
  const start = position * ID_BYTES;
  for (let byte = start; byte < start + 12; byte++) if (ids[byte] !== 0) return false;
  return true;
}

function readId(ids: Uint8Array, position: number, vocabulary: Vocabulary): string {
  const start = position * ID_BYTES;
  if (isOdd(ids, position)) {
    return vocabulary.oddIds.words[new DataView(ids.buffer).getUint32(start + 12)] ?? "";
  }
  const digits = Buffer.from(ids.buffer, start, ID_BYTES).toString("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** A test for ids with this prefix; null if every id matches. */
function beginning(prefix: string): ((ids: Uint8Array, position: number, vocabulary: Vocabulary) => boolean) | null {
  if (prefix === "") return null;
  // The first byte rules out most ids, so that few have to be converted to text.
  const firstByte = /^[0-9a-f]{2}/.test(prefix) ? Number.parseInt(prefix.slice(0, 2), 16) : null;
  return (ids, position, vocabulary) => {
    if (firstByte !== null && ids[position * ID_BYTES] !== firstByte && !isOdd(ids, position)) return false;
    return readId(ids, position, vocabulary).startsWith(prefix);
  };
}

/**
 * A 53-bit hash of a text, from the FNV-1a hashes of the text and of its reverse. For a million calls, the probability of any collision is about
 * one in twenty thousand.
 */
function hashOf(text: string): number {
  let [forwards, backwards] = [0x811c9dc5, 0x811c9dc5];
  for (let i = 0, end = text.length - 1; i <= end; i++) {
    forwards = Math.imul(forwards ^ text.charCodeAt(i), 0x01000193);
    backwards = Math.imul(backwards ^ text.charCodeAt(end - i), 0x01000193);
  }
  return (forwards & 0x1fffff) * 2 ** 32 + (backwards >>> 0);
}
