import type { AppReads } from "../../stores/ports/store.ts";
import { readLog } from "../logs/log-entries.ts";
import { resolveReferences } from "../logs/log-references.ts";
import { QUERY_FIELDS } from "../model/invocation-query.ts";
import type { ObjectKind } from "../model/known-objects.ts";
import { resolveTexts } from "../model/resolve-ids.ts";

/** Words of a text that are resolved as ids. */
const MAX_WORDS = 20;

/** Shorter texts are prefixes of too many words. */
export const SHORTEST_WORD = 3;

interface Pieces {
  matches: { kind: ObjectKind; id: string }[];
  complete: boolean;
  tried: string[];
}

export const NO_PIECES: Pieces = { matches: [], complete: true, tried: [] };

/** Objects that a log line refers to, and ids among its words. */
export async function piecesOf(reads: AppReads, query: string, tasks: readonly string[]): Promise<Pieces> {
  const words = wordsOf(query);
  if (words.length === 0) return NO_PIECES;
  const { entries } = await readLog(query);
  const { byKey } = await resolveReferences(reads, entries, tasks);
  const references = [...new Set(byKey.values())];
  const named = references.flatMap(({ kind, id, state, candidates }) => {
    if (state === "ambiguous") return candidates.map((runner) => ({ kind: "runner" as const, id: runner }));
    return state === "known" ? [{ kind, id }] : [];
  });
  const calls = await reads.ids.known(
    references.flatMap(({ kind, id }) => (kind === "call" ? [{ kind: "call" as const, id }] : [])),
  );
  const unexplained = words
    .slice(0, MAX_WORDS)
    .filter((word) => !references.some(({ id, part }) => word.includes(part ?? id)));
  // Pages and commands print shortened ids where log lines have full ones.
  const shortened = references.flatMap(({ kind, id, state }) =>
    state === "unknown" && kind !== "task" ? [{ text: id, kinds: [kind] }] : [],
  );
  const resolved = await resolveTexts(reads, [
    ...shortened.slice(0, MAX_WORDS),
    ...unexplained.map((text) => ({ text })),
  ]);
  return {
    matches: [...named, ...calls, ...resolved.flatMap((one) => one.matches)],
    complete: Math.max(words.length, shortened.length) <= MAX_WORDS && resolved.every((one) => one.complete),
    tried: ["objects that a log line refers to, and its words"],
  };
}

/** Words of a log line that look like ids. */
export function wordsOf(query: string): string[] {
  const words = [...new Set(query.split(/[\s=,;|()[\]{}"'<>]+/).filter(looksLikeId))];
  // A single word was already searched for, unless the kind precedes the id. `runner:...` is also a query, which takes precedence.
  const field = /^([a-z_]+):/i.exec(query)?.[1]?.toLowerCase();
  const hasKind = field !== undefined && !Object.hasOwn(QUERY_FIELDS, field);
  return words.length === 1 && words[0] === query && !hasKind ? [] : words;
}

/** Digits like those of a UUID or hash, an ellipsis, or a name with `@`, `#` or a hash in it. */
function looksLikeId(word: string): boolean {
  return (
    /^[0-9a-f]{8}/i.test(word) ||
    /[0-9a-z](?:…|\.{3})/i.test(word) ||
    /\w[@#]\w/.test(word) ||
    /:[0-9a-f]{4,}/i.test(word)
  );
}
