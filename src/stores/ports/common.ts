/** Shared by several ports. */

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

/** A position in one newest-first listing, returned with each row. Opaque to callers: pass it back to continue after that row. */
export type Cursor = string;

/** Most rows returned for several ids: in total, or per id, so that one id with many rows does not crowd out the others. */
export type RowLimit = number | { each: number };
