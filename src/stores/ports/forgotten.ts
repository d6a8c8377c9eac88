import type { Cursor } from "./common.ts";

/**
 * An invocation whose definition is stored and that the orchestrator has no status of: an auto-purge took it (storage-format.md 7.3) or a purge of
 * the orchestrator, or a process was killed while it registered the invocation.
 */
export interface ForgottenInvocation {
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  /** Of its last history entry; null when it has no history. */
  last_status: string | null;
  /** Its position among definitions, as returned by `orderOf`. */
  order: number;
}

/** One step of a walk over the definitions. */
export interface ForgottenStep {
  rows: ForgottenInvocation[];
  /** Number of definitions read. */
  looked: number;
  /** Where to continue; null at the end. */
  next: Cursor | null;
  /** Position of the last definition read. */
  reached: number;
  /** Its invocation; null if there was none. */
  last: string | null;
}

/** What lies between the orchestrator and the state backend: definitions without a status. */
export interface ForgottenReads {
  /** Reads about `lookLimit` definitions, newest registration first, and returns those without a status. */
  scan(lookLimit: number, after?: Cursor): Promise<ForgottenStep>;
  /**
   * Places of these invocations in the order of registration: greater is later. Comparable within one store only. Those without a
   * definition are left out.
   */
  orderOf(invocationIds: readonly string[]): Promise<Record<string, number>>;
}
