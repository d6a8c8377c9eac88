import type { IdKind } from "../../pynenc/id-kinds.ts";

export interface KnownId {
  kind: IdKind;
  id: string;
}

/** An id whose middle or end is unknown. */
export interface PartialId {
  kind: IdKind;
  /** Not empty. */
  beginning: string;
  /** Suffix of the id; empty if only the beginning is known. */
  ending: string;
}

export interface IdMatches {
  /** In byte order. */
  ids: string[];
  /** False if there are more, or not everything was checked. */
  complete: boolean;
}

/** A runner id and the requested part that matched it. */
export interface RunnerIdMatch {
  part: string;
  runner_id: string;
}

/** Looks up full and partial ids in all components. */
export interface IdReads {
  /** Which of these are stored. */
  known(ids: readonly KnownId[]): Promise<KnownId[]>;
  /**
   * Ids that match these parts, at most `limit` per part; one result per part, in the same order. Uses an index, or else scans only as much as a page
   * can wait for.
   */
  matching(parts: readonly PartialId[], limit: number): Promise<IdMatches[]>;
  /**
   * Runner ids by a part of them, because logs shorten ids: at most `limit` per part of contexts, and of heartbeats; one that has both may come twice.
   * `anywhere` checks every id for each part.
   */
  runnersLike(parts: readonly string[], where: "beginning" | "anywhere", limit: number): Promise<RunnerIdMatch[]>;
}
