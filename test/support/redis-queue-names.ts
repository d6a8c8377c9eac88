/**
 * Names that a plugin for pynenc 0.4 may give to the keys of its queues: they are not known from a release (storage-format.md 9.6), so that the
 * monitor must find whatever they are. Behind `__pynenc__:<app>:broker:`.
 */
export interface QueueNames {
  /** What stands before the name of a queue: empty, or words that end with a colon. */
  head: string;
  /** The counter that numbers messages. */
  counter: string;
}

const HEADS = ["", "queue:", "broker_queue:", "q:v2:", "queues:by[name]*:", "messages:?:"];
const COUNTERS = ["sequence", "broker_sequence", "queue:sequence", "0", "zz:counter", "messages:[seq]"];

/** The same for the same number; consecutive numbers differ in both. */
export function queueNamesOf(seed: number): QueueNames {
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  return { head: at(HEADS, seed), counter: at(COUNTERS, seed + Math.floor(seed / HEADS.length)) };
}
