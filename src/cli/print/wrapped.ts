import stringWidth from "fast-string-width";

/** Text wrapped to the width of the terminal; one line without a terminal. */
export function wrapped(text: string, width: number | null): string[] {
  if (width === null) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && stringWidth(longer) > width) {
      lines.push(line.trimEnd());
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
