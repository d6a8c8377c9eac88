/**
 * Whether a text matches a pattern as in Python's `fnmatch.fnmatchcase`: `*` is any text, `?` one character, `[abc]` and `[a-z]` one of these,
 * `[!abc]` any other. An unclosed bracket matches itself. Patterns come from stores, so matching is limited to (text length × pattern length) steps;
 * a regular expression with many stars could take far more.
 */
export function fnmatch(text: string, pattern: string): boolean {
  const characters = [...text];
  const parts = partsOf([...pattern]);
  let part = 0;
  /** Position after the last star, and the end of the text it matches so far. */
  let star = -1;
  let until = 0;
  for (let at = 0; at < characters.length; ) {
    const meets = parts[part];
    if (meets === STAR) {
      part++;
      [star, until] = [part, at];
    } else if (meets?.(characters[at] ?? "") === true) {
      part++;
      at++;
    } else if (star !== -1) {
      until++;
      [part, at] = [star, until];
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === STAR);
}

type Part = typeof STAR | ((character: string) => boolean);

const STAR = "*";

function partsOf(pattern: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const wanted = pattern[at] ?? "";
    const end = wanted === "[" ? endOfSet(pattern, at) : -1;
    if (end !== -1) {
      parts.push(setOf(pattern.slice(at + 1, end)));
      at = end;
    } else if (wanted === "*") parts.push(STAR);
    else parts.push(wanted === "?" ? () => true : (character) => character === wanted);
  }
  return parts;
}

/** End of the set that begins here, or -1 if it is not closed. A bracket as first character belongs to the set. */
function endOfSet(pattern: readonly string[], begin: number): number {
  const first = pattern[begin + 1] === "!" ? begin + 2 : begin + 1;
  return pattern.indexOf("]", first + 1);
}

function setOf(inside: readonly string[]): (character: string) => boolean {
  const negated = inside[0] === "!";
  const members = negated ? inside.slice(1) : inside;
  const ranges: [from: string, to: string][] = [];
  for (let at = 0; at < members.length; at++) {
    const [from = "", dash, to] = members.slice(at, at + 3);
    const isRange = dash === "-" && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}
