/** Quotes text so that a shell reads it as one word; on Windows, that is PowerShell. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  const plain = platform === "win32" ? /^[\w.:@%+=,/\\-]+$/ : /^[\w.:@%+=,/-]+$/;
  if (plain.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", platform === "win32" ? "''" : "'\\''")}'`;
}

/** A file name as one word of a shell. `./` keeps a leading dash from being read as an option. */
export function shellFileName(name: string): string {
  return shellWord(name) === name ? name : shellWord(`./${name}`);
}
