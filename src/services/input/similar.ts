/** Suggestions for misspelled words. */
import { quote } from "../../errors.ts";
import { folded } from "../../pynenc/folded.ts";
import { grouped } from "../../pynenc/numbers.ts";

/** A word may have one typo per this many letters, up to a maximum. */
const LETTERS_PER_TYPO = 3;
const MAX_TYPOS = 3;
const MAX_SUGGESTED = 3;

/** Longer texts are not single words. */
const LONGEST = 200;

/** The closest candidates, sorted by name; empty if none is close. Ignores case. @param word returns the part of a candidate to compare. */
export function similarWords(
  given: string,
  candidates: Iterable<string>,
  word: (candidate: string) => string = (candidate) => candidate,
): string[] {
  const wanted = folded(given);
  if (wanted === "" || wanted.length > LONGEST) return [];
  const close: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const own = folded(word(candidate));
    const slips = Math.min(MAX_TYPOS, Math.floor(Math.max(own.length, wanted.length) / LETTERS_PER_TYPO));
    if (own.length > LONGEST || Math.abs(own.length - wanted.length) > slips) continue;
    const distance = distanceOf(wanted, own);
    if (distance <= slips) close.push({ candidate, distance });
  }
  const least = Math.min(...close.map(({ distance }) => distance));
  const best = close.flatMap(({ candidate, distance }) => (distance === least ? [candidate] : []));
  return best.sort().slice(0, MAX_SUGGESTED);
}

/** `did you mean a or b?`, or null. */
export function didYouMean(words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const last = words.at(-1) ?? "";
  return `did you mean ${words.length === 1 ? last : `${words.slice(0, -1).join(", ")} or ${last}`}?`;
}

/** Known names that are listed where none is similar. */
const KNOWN_LISTED = 8;

/** A sentence about a name that is not in the store, to explain an empty result. @param alike similar names; without any, known ones are listed. */
export function unknownName(kind: string, name: string, alike: readonly string[], known: readonly string[]): string {
  const meant = didYouMean(alike);
  if (meant !== null) return `No ${kind} ${quote(name)} is known; ${meant}`;
  const more = known.length > KNOWN_LISTED ? ` and ${grouped(known.length - KNOWN_LISTED)} more` : "";
  const listed = known.length === 0 ? "" : ` Known: ${known.slice(0, KNOWN_LISTED).join(", ")}${more}.`;
  return `No ${kind} ${quote(name)} is known.${listed}`;
}

/** Edit distance: insertions, deletions, replacements, and swaps of adjacent letters. */
function distanceOf(a: string, b: string): number {
  let twoBack: number[] = [];
  let back = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((back[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (back[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, (twoBack[j - 2] ?? 0) + 1);
      row.push(least);
    }
    twoBack = back;
    back = row;
  }
  return back[b.length] ?? 0;
}
