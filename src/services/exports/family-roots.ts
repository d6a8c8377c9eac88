/** Finds the root of the family of each invocation: its ancestor without a parent. */
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";

type Parentage = Pick<InvocationRecord, "invocation_id" | "parent_invocation_id">;

/** Invocations whose root is cached. Exports are in registration order, and families are registered close together. */
const CACHED = 50_000;

/** Bytes of arguments read with a definition, because none are needed. */
export const NO_ARGUMENTS = 1;

/** Caches a bounded number of roots across snapshots. */
export class FamilyRoots {
  readonly #rootOf = new Map<string, string>();

  /**
   * The roots of these invocations, with one batched read per unknown generation. A parent that is no longer stored also counts as a root, so that its
   * children stay one family. In a cycle of parents, the root is the one with the smallest id.
   *
   * @param others ids of invocations about which nothing else is known.
   */
  async of(
    reads: AppReads,
    definitions: readonly Parentage[],
    others: readonly string[] = [],
  ): Promise<ReadonlyMap<string, string>> {
    const parentOf = new Map(definitions.map((row) => [row.invocation_id, row.parent_invocation_id]));
    let open = this.#unknown(parentOf, [...parentOf.values(), ...others]);
    while (open.length > 0) {
      const rows = await reads.state_backend.invocationsByIds(open, NO_ARGUMENTS);
      for (const id of open) parentOf.set(id, null);
      for (const row of rows) parentOf.set(row.invocation_id, row.parent_invocation_id);
      open = this.#unknown(
        parentOf,
        rows.map((row) => row.parent_invocation_id),
      );
    }
    const ids = [...definitions.map((row) => row.invocation_id), ...others];
    return new Map(ids.map((id) => [id, this.#climb(parentOf, id)]));
  }

  #unknown(parentOf: ReadonlyMap<string, string | null>, ids: readonly (string | null)[]): string[] {
    return [...new Set(ids)].flatMap((id) => (id === null || parentOf.has(id) || this.#rootOf.has(id) ? [] : [id]));
  }

  #climb(parentOf: ReadonlyMap<string, string | null>, start: string): string {
    const path = new Set<string>();
    let at = start;
    let root: string | undefined;
    while (root === undefined) {
      path.add(at);
      const parent = parentOf.get(at) ?? null;
      root = this.#rootOf.get(at) ?? (parent === null ? at : undefined);
      if (root === undefined && parent !== null && path.has(parent)) {
        const ids = [...path];
        root = ids.slice(ids.indexOf(parent)).reduce((least, id) => (id < least ? id : least));
      }
      at = parent ?? at;
    }
    for (const id of path) this.#cache(id, root);
    return root;
  }

  #cache(id: string, root: string): void {
    this.#rootOf.set(id, root);
    if (this.#rootOf.size <= CACHED) return;
    for (const oldest of this.#rootOf.keys()) {
      this.#rootOf.delete(oldest);
      return;
    }
  }
}
