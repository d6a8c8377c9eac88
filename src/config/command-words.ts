/**
 * Splits a command line into words without a shell: at blanks, except within single or double quotes. No other character is special, so
 * nothing is expanded or executed by accident.
 *
 * @returns the words, or a message that says what is wrong with the line.
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
  return line.includes("\0") ? "it must not contain a NUL character" : words;
}
