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

/** Entries that enter a status. */
export function entering(status: string): number {
  const at = WORDS.indexOf(status);
  return at === -1 ? OTHER : at;
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
/** Entries `running` that go on with a run after a pause. */
export const CONTINUED = FIGURES + 2;
/** Instants of the first and the last failure, in epoch seconds. */
export const FIRST_SEEN = FIGURES + 3;
export const LAST_SEEN = FIGURES + 4;

export const WAIT_BINS = 128;
export const RUN_BINS = WAIT_BINS + BINS;

/** More than any slot: a key is `member * SLOTS + slot`. */
export const SLOTS = 4_096;

/** How two numbers of one slot become one. */
export function merged(slot: number, a: number, b: number): number {
  if (slot === LAST_SEEN) return Math.max(a, b);
  return slot === FIRST_SEEN ? Math.min(a, b) : a + b;
}
