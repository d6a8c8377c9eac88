/** Names that contain every word of a text, ignoring case. */
import { folded } from "../../pynenc/folded.ts";
import { ID_KINDS, type IdKind } from "../../pynenc/id-kinds.ts";

export interface NameMatches {
  names: string[];
  /** The text is one of the names, ignoring case. Then only exact matches are included. */
  exact: boolean;
  /** Matches were left out. */
  cut: boolean;
}

/** `queue mail`, `task ship` or `workflow type pack`: a name that several kinds of things may have, after the kind that is meant. */
export function kindAndName(text: string): { kind: "task" | "queue" | "workflow_type"; name: string } | null {
  const [, kind = "", name = ""] = /^(task|queue|workflow(?:[ _]type)?)[\s:]+(\S.*)$/is.exec(text.trim()) ?? [];
  if (name === "") return null;
  const word = kind.toLowerCase();
  return { kind: word === "task" || word === "queue" ? word : "workflow_type", name };
}

/** `workflow 7f7489d9`: an id, in full or shortened, after the kind that is meant. */
export function kindAndId(text: string): { kind: IdKind; id: string } | null {
  const [, kind = "", id = ""] = /^(\w+(?: run)?)\s+([\da-f]{4}[\da-f.…-]*)$/i.exec(text.trim()) ?? [];
  const word = kind.toLowerCase().replace("workflow run", "workflow").replace(" ", "_");
  const known = ID_KINDS.find((one) => one === word);
  return known === undefined ? null : { kind: known, id };
}

/** Best matches first: the full name, its last part (a function), a prefix of a part, any substring; then by name. */
export function matchingNames(text: string, names: readonly string[], limit: number): NameMatches {
  const wanted = folded(text);
  const words = wanted.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return { names: [], exact: false, cut: false };
  const ranked = names.flatMap((name) => {
    const own = folded(name);
    return words.every((word) => own.includes(word)) ? [{ name, rank: rankOf(own, wanted) }] : [];
  });
  ranked.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  const exact = ranked.filter(({ rank }) => rank === 0);
  const kept = exact.length > 0 ? exact : ranked;
  return { names: kept.slice(0, limit).map(({ name }) => name), exact: exact.length > 0, cut: kept.length > limit };
}

function rankOf(name: string, text: string): number {
  if (name === text) return 0;
  const parts = name.split(/[.\s]/);
  if (parts.at(-1) === text) return 1;
  return name.startsWith(text) || parts.some((part) => part.startsWith(text)) ? 2 : 3;
}
