import type { Cursor } from "./common.ts";

/**
 * An invocation with a stored definition but no status: an auto-purge (storage-format.md 7.3) or a purge of the orchestrator removed it, or a process
 * was killed while registering the invocation.
 */
export interface ForgottenInvocation {
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  /** Status of its last history entry; null without history. */
  last_status: string | null;
  /** Its position among definitions, as returned by `orderOf`. */
  order: number;
}

/** One step of a walk over the definitions. */
export interface ForgottenStep {
  rows: ForgottenInvocation[];
  /** Number of definitions read. */
  scanned: number;
  /** Cursor to continue from; null at the end. */
  next: Cursor | null;
  /** Position of the last definition read. */
  reached: number;
  /** Invocation of that definition; null if none was read. */
  last: string | null;
}

/** Reads across orchestrator and state backend: definitions without a status. */
export interface ForgottenReads {
  /** Reads about `scanLimit` definitions, newest registration first, and returns those without a status. */
  scan(scanLimit: number, after?: Cursor): Promise<ForgottenStep>;
  /**
   * Positions of these invocations in the order of registration: greater is later. Comparable only within one store. Invocations without a definition
   * are omitted.
   */
  orderOf(invocationIds: readonly string[]): Promise<Record<string, number>>;
}
