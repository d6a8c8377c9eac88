/**
 * Everything a bucket counts for a member (a task, a runner, a group of failures) has a number, its slot. A bucket is a map from member and slot to a
 * number, so that merging two buckets means adding numbers with equal keys, whatever they count.
 */
import { PRINTS } from "../pynenc/row-prints.ts";
import { STATUSES } from "../pynenc/statuses.ts";
import { BINS } from "./quantile-bins.ts";

/** Statuses with a slot of their own; all others share the last one. */
const WORDS: readonly string[] = [...STATUSES.map((status) => status.name), "resumed"];
const OTHER = WORDS.length;

const STATUS_SLOTS = 32;
const LEAVING = STATUS_SLOTS;
const FIGURES = 2 * STATUS_SLOTS;

const SLOT_OF_WORD: ReadonlyMap<string, number> = new Map(WORDS.map((word, slot) => [word, slot]));

/** Slot for entries that enter a status. */
export function entering(status: string): number {
  return SLOT_OF_WORD.get(status) ?? OTHER;
}

/** Whether a slot belongs to `leaving`. */
export function isLeaving(slot: number): boolean {
  return slot >= LEAVING && slot < FIGURES;
}

/** Whether a slot belongs to `entering`. */
export function isEntering(slot: number): boolean {
  return slot < LEAVING;
}

/** Slot for entries that leave a status. */
export function leaving(status: string): number {
  return LEAVING + entering(status);
}

/** Converts a slot of `leaving` to the slot of `entering` for the same status. */
export function enteringOfLeaving(slot: number): number {
  return slot - LEAVING;
}

/** Statuses by slot of `entering`; the last entry is for unknown ones. */
export const ENTERED_WORDS: readonly string[] = [...WORDS, "other"];

/** Seconds in pauses, counted when a pause ends. */
export const PAUSED_SECONDS = FIGURES;
/** Seconds in `running`, counted when it ends, whatever the outcome. */
export const BUSY_SECONDS = FIGURES + 1;
/** `running` entries that continue a run after a pause. */
export const CONTINUED = FIGURES + 2;
/** Instants of the first and the last failure, in epoch seconds. */
export const FIRST_SEEN = FIGURES + 3;
export const LAST_SEEN = FIGURES + 4;
/** Stored rows that were read, and the sum of their fingerprints (`RowPrint`) modulo `PRINTS`. */
export const ROWS = FIGURES + 5;
export const DIGEST = FIGURES + 6;
/** When the oldest row was written that the counts of the bucket depend on, if that was in an earlier hour. */
export const BUILDS_ON = FIGURES + 7;

/** The longest wait and the longest run, in seconds: their bins give them within 1 % only. */
export const LONGEST_WAIT = FIGURES + 8;
export const LONGEST_RUN = FIGURES + 9;

export const WAIT_BINS = 128;
export const RUN_BINS = WAIT_BINS + BINS;

/** Low bits of a key that hold the slot, enough for the highest one; the bits above hold the member. */
const SLOT_BITS = 12;

export function keyOf(member: number, slot: number): number {
  return (member << SLOT_BITS) | slot;
}

export function memberOf(key: number): number {
  return key >>> SLOT_BITS;
}

export function slotOf(key: number): number {
  return key & ((1 << SLOT_BITS) - 1);
}

/** Whether the number of such a key is an integer count; all others are seconds or instants. */
export function isCount(key: number): boolean {
  const slot = slotOf(key);
  return slot < FIGURES || slot >= WAIT_BINS || slot === CONTINUED || slot === ROWS;
}

/** Combines two numbers of one slot. */
export function merged(slot: number, a: number, b: number): number {
  if (slot === LAST_SEEN || slot === LONGEST_WAIT || slot === LONGEST_RUN) return Math.max(a, b);
  if (slot === DIGEST) return (a + b) % PRINTS;
  return slot === FIRST_SEEN || slot === BUILDS_ON ? Math.min(a, b) : a + b;
}
