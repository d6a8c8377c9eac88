import type { ShownKind } from "../../api/show.ts";
import { ID_KINDS } from "../../pynenc/id-kinds.ts";
import { tasksNamed } from "../model/task-keys.ts";
import { bare } from "../model/written-id.ts";
import type { Findings } from "./find.ts";
import { kindAndName } from "./names.ts";

const OBJECT_KINDS: ReadonlySet<string> = new Set<ShownKind>([...ID_KINDS, "task", "queue", "workflow_type"]);

/** Whether a match is a stored object, and not a list or page (event code, search). */
export function isStoredObject({ kind }: Pick<Findings["matches"][number], "kind">): boolean {
  return OBJECT_KINDS.has(kind);
}

/**
 * The only object that a text identifies; null if there is none, or may be more than one. The exact name of a function means its task, although the
 * names of others contain it.
 */
export function identifiedObject({ query, matches, complete }: Pick<Findings, "query" | "matches" | "complete">): {
  kind: ShownKind;
  id: string;
} | null {
  const named = new Set(matches.flatMap(({ kind, id }) => (kind === "task" ? [id] : [])));
  // A workflow type has the name of its task.
  const objects = matches.filter((one) => isStoredObject(one) && !(one.kind === "workflow_type" && named.has(one.id)));
  const tasks = objects.flatMap(({ kind, id }) => (kind === "task" ? [id] : []));
  const [exact, ...namesakes] = tasksNamed(bare(kindAndName(query)?.name ?? query), tasks);
  if (exact !== undefined && namesakes.length === 0 && tasks.length === objects.length) {
    return { kind: "task", id: exact };
  }
  const [object, ...others] = objects;
  return object !== undefined && others.length === 0 && complete
    ? { kind: object.kind as ShownKind, id: object.id }
    : null;
}
