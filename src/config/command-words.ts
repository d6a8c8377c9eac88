/**
 * A command line as words, without a shell: blanks divide them, and quotes of either kind keep blanks inside. Nothing else has a meaning, so no
 * text can do what was not written.
 *
 * @returns the words, or what is wrong with the line.
 */
export function commandWords(line: string): string[] | string {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const character of line) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + character;
  }
  if (quote !== null) return `it ends within ${quote === "'" ? "single" : "double"} quotes`;
  if (word !== null) words.push(word);
  if (words.length === 0 || words[0] === "") return "it must be a command with its arguments";
  return line.includes("\0") ? "it must not hold a NUL" : words;
}
