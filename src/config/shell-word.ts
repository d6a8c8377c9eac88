/** Quotes text so that a shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w.:@%+=,/-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A file name as one word of a shell. `./` keeps a leading dash from being read as an option. */
export function shellFileName(name: string): string {
  return shellWord(name) === name ? name : shellWord(`./${name}`);
}
