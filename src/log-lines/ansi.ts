/** Removes terminal colours. Hand-written and in one pass: logs can contain anything, and a scan cannot backtrack. */

const ESCAPE = "\u001b";
const BELL = 0x07;

/** The text without complete ANSI sequences (colours, cursor moves, links). Incomplete ones stay. */
export function withoutAnsi(text: string): string {
  let at = text.indexOf(ESCAPE);
  if (at < 0) return text;
  let kept = "";
  let from = 0;
  // If no end was found once, there is none for later sequences either.
  let noStringEnd = false;
  while (at >= 0) {
    const introducer = text.charCodeAt(at + 1);
    let end = -1;
    if (introducer === 0x5b) end = afterControlSequence(text, at + 2);
    else if (introducer === 0x5d && !noStringEnd) {
      end = afterString(text, at + 2);
      noStringEnd = end < 0;
    }
    if (end >= 0) {
      kept += text.slice(from, at);
      from = end;
    }
    at = text.indexOf(ESCAPE, end >= 0 ? end : at + 1);
  }
  return kept + text.slice(from);
}

/** `ESC [` parameters, intermediates, one final byte. -1 if it does not end. */
function afterControlSequence(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x40 && code <= 0x7e) return at + 1;
    if (code < 0x20 || code > 0x3f) return -1;
  }
  return -1;
}

/** `ESC ]` text until BEL or `ESC \\`. -1 if it does not end. */
function afterString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BELL) return at + 1;
    if (code === 0x1b) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : -1;
  }
  return -1;
}
