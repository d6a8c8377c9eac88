import type { IdKind } from "../../pynenc/id-kinds.ts";

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
