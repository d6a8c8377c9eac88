/**
 * Finds the matches of a filter that were called by other matches, directly or through other invocations. Only calls count, because it is not certain
 * that a trigger fires again.
 */

import type { AppReads } from "../../stores/ports/store.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { InvocationWalk, noInventory } from "../model/invocation-walk.ts";

/** Limit of generations read above a match. Each takes one read for all matches of a batch. */
export const GENERATIONS = 100;

export interface Match {
  invocation_id: string;
  parent_invocation_id: string | null;
}

/** Caches what it has read, because matches of one family usually come in several batches. */
export class MatchingFamilies {
  readonly #filter: InvocationFilter;
  /** Parent of each invocation; null if no invocation called it, or if its definition is not stored. */
  readonly #parents = new Map<string, string | null>();
  readonly #matches = new Set<string>();

  constructor(filter: InvocationFilter) {
    this.#filter = filter;
  }

  /**
   * The topmost match above each of these, or the match itself if there is none. In damaged data, matches can call each other in a cycle; then each
   * of them counts as topmost.
   */
  async topmost(reads: AppReads, matches: readonly Match[]): Promise<Map<string, string>> {
    for (const { invocation_id, parent_invocation_id } of matches) {
      this.#parents.set(invocation_id, parent_invocation_id);
      this.#matches.add(invocation_id);
    }
    let above = this.#unread(matches.map((match) => match.parent_invocation_id));
    for (let read = 0; above.length > 0 && read < GENERATIONS; read++) above = await this.#readAll(reads, above);
    return new Map(matches.map(({ invocation_id: id }) => [id, this.#topmostAbove(id)]));
  }

  /** Reads these invocations and returns their callers that are not read yet. */
  async #readAll(reads: AppReads, ids: readonly string[]): Promise<string[]> {
    const [definitions, matching] = await Promise.all([
      reads.state_backend.invocationsByIds(ids),
      matchesAmong(reads, this.#filter, ids),
    ]);
    for (const id of ids) this.#parents.set(id, null);
    for (const { invocation_id, parent_invocation_id } of definitions) {
      this.#parents.set(invocation_id, parent_invocation_id);
    }
    for (const id of matching) this.#matches.add(id);
    return this.#unread(definitions.map((definition) => definition.parent_invocation_id));
  }

  #unread(ids: readonly (string | null)[]): string[] {
    return [...new Set(ids.flatMap((id) => (id === null || this.#parents.has(id) ? [] : [id])))];
  }

  #topmostAbove(id: string): string {
    let topmost = id;
    const passed = new Set<string>();
    for (let at = this.#parents.get(id) ?? null; at !== null && passed.size < GENERATIONS; ) {
      if (at === id) return id;
      if (passed.has(at)) break;
      passed.add(at);
      if (this.#matches.has(at)) topmost = at;
      at = this.#parents.get(at) ?? null;
    }
    return topmost;
  }
}

/** The invocations that match the filter. */
async function matchesAmong(reads: AppReads, filter: InvocationFilter, ids: readonly string[]): Promise<string[]> {
  const requested = filter.invocation_ids;
  const wanted = requested.length === 0 ? [...ids] : ids.filter((id) => requested.includes(id));
  if (wanted.length === 0) return [];
  const walk = new InvocationWalk({ ...filter, invocation_ids: wanted }, noInventory);
  return walk.next(reads, wanted.length, wanted.length);
}
