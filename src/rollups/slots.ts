/**
 * What a bucket counts of one member (a task, a runner, a group of failures), each as a number: a slot. A bucket is a set of numbers by
 * member and slot, so that merging two buckets, whatever they count, is adding numbers with equal keys.
 */
import { STATUSES } from "../pynenc/statuses.ts";
import { BINS } from "./quantile-bins.ts";

/** Status words with a slot of their own; others share the last one. */
const WORDS: readonly string[] = [...STATUSES.map((status) => status.name), "resumed"];
const OTHER = WORDS.length;

const STATUS_SLOTS = 32;
const LEAVING = STATUS_SLOTS;
const FIGURES = 2 * STATUS_SLOTS;

const SLOT_OF_WORD: ReadonlyMap<string, number> = new Map(WORDS.map((word, slot) => [word, slot]));

/** Entries that enter a status. */
export function entering(status: string): number {
  return SLOT_OF_WORD.get(status) ?? OTHER;
}

/** Whether a slot is one of `entering`. */
export function isEntering(slot: number): boolean {
  return slot < LEAVING;
}

/** Entries that leave a status, by the status that they leave. */
export function leaving(status: string): number {
  return LEAVING + entering(status);
}

/** The slot of `entering` for the status that a slot of `leaving` is about. */
export function enteringOfLeaving(slot: number): number {
  return slot - LEAVING;
}

/** Words of the slots of `entering`, the last standing for all that are not known. */
export const ENTERED_WORDS: readonly string[] = [...WORDS, "other"];

/** Seconds between pauses and what ended them, where they ended. */
export const PAUSED_SECONDS = FIGURES;
/** Seconds in `running`, whatever ended it, where it ended. */
export const BUSY_SECONDS = FIGURES + 1;
/** Entries `running` that resume a run after a pause. */
export const CONTINUED = FIGURES + 2;
/** Instants of the first and the last failure, in epoch seconds. */
export const FIRST_SEEN = FIGURES + 3;
export const LAST_SEEN = FIGURES + 4;

export const WAIT_BINS = 128;
export const RUN_BINS = WAIT_BINS + BINS;

/** More than any slot, a power of two: a key is a member and a slot of it. */
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

/** The number of such a key is whole; others are seconds or instants. */
export function isCount(key: number): boolean {
  const slot = slotOf(key);
  return slot < FIGURES || slot >= WAIT_BINS || slot === CONTINUED;
}

/** How two numbers of one slot become one. */
export function merged(slot: number, a: number, b: number): number {
  if (slot === LAST_SEEN) return Math.max(a, b);
  return slot === FIRST_SEEN ? Math.min(a, b) : a + b;
}
