import type { ShownKind } from "../../api/show.ts";
import { ID_KINDS } from "../../pynenc/id-kinds.ts";
import type { Findings } from "./find.ts";

const OBJECT_KINDS: ReadonlySet<string> = new Set<ShownKind>([...ID_KINDS, "task", "queue"]);

/** Whether a match is a stored object, and not a list or page (event code, workflow type, search). */
export function isStoredObject({ kind }: Pick<Findings["matches"][number], "kind">): boolean {
  return OBJECT_KINDS.has(kind);
}

/** The only object that a text identifies; null if there is none, or may be more than one. */
export function identifiedObject({ matches, complete }: Pick<Findings, "matches" | "complete">): {
  kind: ShownKind;
  id: string;
} | null {
  const [object, ...others] = matches.filter(isStoredObject);
  return object !== undefined && others.length === 0 && complete
    ? { kind: object.kind as ShownKind, id: object.id }
    : null;
}
