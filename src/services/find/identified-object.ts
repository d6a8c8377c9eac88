import type { ShownKind } from "../../api/show.ts";
import { ID_KINDS } from "../../pynenc/id-kinds.ts";
import type { Findings } from "./find.ts";

const THINGS: ReadonlySet<string> = new Set<ShownKind>([...ID_KINDS, "task"]);

/** Lists and pages are no things: event codes, workflow types, searches. */
export function isStoredObject({ kind }: Pick<Findings["matches"][number], "kind">): boolean {
  return THINGS.has(kind);
}

/** The only thing that a text identifies; null if there is none, several, or possibly more. */
export function identifiedObject({ matches, complete }: Pick<Findings, "matches" | "complete">): {
  kind: ShownKind;
  id: string;
} | null {
  const [thing, ...others] = matches.filter(isStoredObject);
  return thing !== undefined && others.length === 0 && complete
    ? { kind: thing.kind as ShownKind, id: thing.id }
    : null;
}
