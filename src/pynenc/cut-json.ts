/** JSON of which only the beginning is known. */

/** Longest escape of one UTF-16 unit: `\u0000`. */
export const LONGEST_ESCAPE = 6;

/** Removes an escape that is cut by the end of `body`. */
export function withoutCutEscape(body: string): string {
  const backslash = body.lastIndexOf("\\");
  if (backslash <= body.length - LONGEST_ESCAPE) return body;
  let run = 1;
  while (body[backslash - run] === "\\") run++;
  // Backslashes escape each other in pairs: only the last of an odd run begins an escape.
  const next = body[backslash + 1];
  const whole = run % 2 === 0 || (next !== undefined && next !== "u");
  return whole ? body : body.slice(0, backslash);
}

/**
 * Closes the beginning of a document so that it can be scanned: incomplete items are dropped, except that a string value keeps the part that was
 * read. Null if nothing is readable.
 */
export function closedJson(beginning: string): string | null {
  /** The closing brackets of open objects and arrays, and whether a member name comes next. */
  const open: { close: "}" | "]"; name: boolean }[] = [];
  let whole: { length: number; closers: string } | null = null;
  const mark = (length: number) => {
    whole = {
      length,
      closers: open
        .map(({ close }) => close)
        .reverse()
        .join(""),
    };
  };
  for (let at = 0; at < beginning.length; at++) {
    const here = beginning[at];
    const inside = open.at(-1);
    if (here === "{" || here === "[") {
      open.push(here === "{" ? { close: "}", name: true } : { close: "]", name: false });
      mark(at + 1);
    } else if (here === "}" || here === "]") {
      open.pop();
      mark(at + 1);
    } else if (here === ",") {
      // Everything before it is complete, even a number.
      mark(at);
      if (inside !== undefined) inside.name = inside.close === "}";
    } else if (here === ":") {
      if (inside !== undefined) inside.name = false;
    } else if (here === '"') {
      const end = endOfString(beginning, at + 1);
      if (end === null) {
        if (inside?.name !== false || whole === null) break;
        const { closers } = whole as { closers: string };
        return `${withoutCutEscape(beginning)}"${closers}`;
      }
      at = end;
      if (inside?.name === false) mark(at + 1);
    }
  }
  if (whole === null) return null;
  const { length, closers } = whole as { length: number; closers: string };
  return `${beginning.slice(0, length)}${closers}`;
}

/** Index of the closing quotation mark; null if the text ends before it. */
function endOfString(text: string, start: number): number | null {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return null;
}
