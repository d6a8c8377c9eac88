/** Things with an id of their own. A workflow run has the id of the invocation that defines it. */
export const ID_KINDS = [
  "invocation",
  "workflow",
  "event",
  "trigger_run",
  "trigger",
  "condition",
  "valid_condition",
  "runner",
  "atomic_service_run",
  "call",
  "client_data",
] as const;

export type IdKind = (typeof ID_KINDS)[number];

export interface KnownId {
  kind: IdKind;
  id: string;
}

/** An id of which the middle or the end is missing. */
export interface PartOfId {
  kind: IdKind;
  /** Not empty. */
  beginning: string;
  /** Behind the beginning; empty where only that is known. */
  ending: string;
}

export interface IdMatches {
  /** In the order of their bytes. */
  ids: string[];
  /** False if there are more, or not everything was checked. */
  complete: boolean;
}

/** Ids of all components, whole and in part. */
export interface IdReads {
  /** Which of these are stored. */
  known(ids: readonly KnownId[]): Promise<KnownId[]>;
  /**
   * Ids with these parts, at most `limit` for each part: one answer for each, in their order. An index leads to them, or else no more is looked at
   * than a page can wait for.
   */
  matching(parts: readonly PartOfId[], limit: number): Promise<IdMatches[]>;
}
