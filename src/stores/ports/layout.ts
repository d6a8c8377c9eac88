import type { EpochSeconds } from "../../pynenc/time.ts";
import type { ComponentName } from "./common.ts";

/** Rows and bytes of one table or key family. Bytes are null if reading them is expensive, and estimated from a few keys if the store keeps no total. */
export interface StorageFigure {
  name: string;
  component: ComponentName;
  rows: number;
  /**
   * False if counting would read too much. `rows` is then estimated from a sample of keys, or from the range of row numbers, which is exact unless
   * single rows were deleted.
   */
  exact: boolean;
  bytes: number | null;
}

/** One file of a store that is made of files. */
export interface StoreFile {
  path: string;
  /** Components whose data it holds. */
  components: ComponentName[];
  bytes: number;
  /** Size of the write-ahead log; null if there is none. */
  log_bytes: number | null;
  /** Null if not known. */
  journal_mode: "wal" | "rollback" | null;
  modified: EpochSeconds;
  /** The file or folder this user may not write to; null if writing is possible. */
  unwritable: string | null;
}

/** What the store of a component can provide. Pages explain what is missing instead of showing zeros. */
export interface Capabilities {
  /** Events and trigger runs are recorded: since 0.2.4. */
  events: boolean;
  /** Atomic-service executions are recorded: since 0.2.4. */
  executions: boolean;
  /** Whether the component's tables exist; false for a component kept in memory or in another store. */
  components: Record<ComponentName, boolean>;
  /** Messages of the queue can be listed, not only counted. */
  queue_peek: boolean;
  /** Heartbeats record which queues a runner consumes: since 0.4. Null if no heartbeats are stored. */
  consumed_queues: boolean | null;
  /** Other apps may use the same queue: counts and purges include their messages. */
  queue_shared: boolean;
  /** A purge is all or nothing. If false, an interrupted purge may be partly done. */
  purge_is_atomic: boolean;
  /** Why actions are refused, or null if they are possible. */
  writes_refused: string | null;
}

/** The layout, detected from tables and columns (storage-format.md 0.3). */
export interface LayoutReport {
  /** `0.2.0 to 0.2.3`, `0.2.4`, `0.3.0 to 0.3.1`, `0.4.0 or newer`, or `incomplete`. */
  label: string;
  /** The evidence, one sentence each. */
  evidence: string[];
  trigger_schema: number | null;
  /** Tables with the app's prefix that no known layout has. */
  unknown_tables: string[];
  /** What cannot be shown because columns that pynenc writes are missing: one sentence per table. */
  gaps: string[];
}

/** Facts about the store itself, in the same snapshot as the data. */
export interface LayoutReads {
  report(): Promise<LayoutReport>;
  capabilities(): Promise<Capabilities>;
  /** Rows and bytes per table. Walks an index of each, so cache the result. */
  figures(): Promise<StorageFigure[]>;
  /** Empty for a store that is a server. */
  files(): Promise<StoreFile[]>;
}
