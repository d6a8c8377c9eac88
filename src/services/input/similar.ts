/** Words that somebody may have meant who wrote another one. */

/** One change of letters for each so many of them is taken for a slip, and no more than so many. */
const LETTERS_PER_SLIP = 3;
const MOST_SLIPS = 3;
const MOST_TOLD = 3;

/** Longer texts are no misspelled word. */
const LONGEST = 200;

/** The closest ones, by name; none where nothing is close. Case is ignored. @param word what stands for a candidate: its last part, for example. */
export function similarWords(
  given: string,
  candidates: Iterable<string>,
  word: (candidate: string) => string = (candidate) => candidate,
): string[] {
  const wanted = given.toLowerCase();
  if (wanted === "" || wanted.length > LONGEST) return [];
  const close: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const own = word(candidate).toLowerCase();
    const slips = Math.min(MOST_SLIPS, Math.floor(Math.max(own.length, wanted.length) / LETTERS_PER_SLIP));
    if (own.length > LONGEST || Math.abs(own.length - wanted.length) > slips) continue;
    const distance = distanceOf(wanted, own);
    if (distance <= slips) close.push({ candidate, distance });
  }
  const least = Math.min(...close.map(({ distance }) => distance));
  const best = close.flatMap(({ candidate, distance }) => (distance === least ? [candidate] : []));
  return best.sort().slice(0, MOST_TOLD);
}

/** `did you mean a or b?`, or null. */
export function didYouMean(words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const last = words.at(-1) ?? "";
  return `did you mean ${words.length === 1 ? last : `${words.slice(0, -1).join(", ")} or ${last}`}?`;
}

/** Letters that are added, left out, replaced, or swapped with the one beside them. */
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
