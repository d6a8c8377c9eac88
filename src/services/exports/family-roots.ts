/** The top of the family of each invocation: the one above it that has no parent. */
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";

type Parentage = Pick<InvocationRecord, "invocation_id" | "parent_invocation_id">;

/** Invocations whose top is remembered: those of a family are registered near each other, and an export goes by registration. */
const REMEMBERED = 50_000;

/** Bytes of arguments that are read with a definition: none are needed. */
export const NO_ARGUMENTS = 1;

/** Remembers the tops it found, a bounded number, over several snapshots. */
export class FamilyRoots {
  readonly #rootOf = new Map<string, string>();

  /**
   * The tops of these invocations, one batched read for each generation that is not known. A parent that is no longer stored is a top too, so that its
   * children stay one family. Of parents in a circle it is the one with the smallest id.
   *
   * @param others of which only the id is known.
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
    const asked = [...definitions.map((row) => row.invocation_id), ...others];
    return new Map(asked.map((id) => [id, this.#climb(parentOf, id)]));
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
    for (const id of path) this.#remember(id, root);
    return root;
  }

  #remember(id: string, root: string): void {
    this.#rootOf.set(id, root);
    if (this.#rootOf.size <= REMEMBERED) return;
    for (const oldest of this.#rootOf.keys()) {
      this.#rootOf.delete(oldest);
      return;
    }
  }
}
