/** What several ports use. */

export type ComponentName = "broker" | "orchestrator" | "state_backend" | "client_data_store" | "trigger";

export const COMPONENTS: readonly ComponentName[] = [
  "broker",
  "orchestrator",
  "state_backend",
  "client_data_store",
  "trigger",
];

/** A slice of an ordered list. */
export interface Slice {
  limit: number;
  offset: number;
}

/**
 * A place in the order "newest first" of one listing, handed out by the adapter with each row. Opaque to callers: pass it back to go
 * on after that row.
 */
export type Cursor = string;

/**
 * How many rows an answer about several ids holds at most: all together, or of each id, so that one id with many rows does not crowd out
 * the others.
 */
export type RowLimit = number | { each: number };

/** A runner's id with the part of it that was asked for. */
export interface RunnerIdMatch {
  part: string;
  runner_id: string;
}
