/** Basic scanning functions, each bounded or linear: the parser uses no regular expression that could backtrack over a whole line. */

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

export function skipBlanks(text: string, at: number): number {
  let position = at;
  while (isBlank(text.charCodeAt(position))) position++;
  return position;
}

/** Position of the next blank or line end, or the end of the text; reads at most `limit` characters. */
export function endOfWord(text: string, at: number, limit: number): number {
  const last = Math.min(text.length, at + limit);
  for (let position = at; position < last; position++) {
    const code = text.charCodeAt(position);
    if (isBlank(code) || code === 0x0a) return position;
  }
  return last;
}

const UUID_LENGTH = 36;

/** Whether there is a UUID at this offset that is not part of a longer word. */
export function isUuidAt(text: string, at: number): boolean {
  for (let index = 0; index < UUID_LENGTH; index++) {
    const code = text.charCodeAt(at + index);
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== 0x2d) return false;
    } else if (!isHex(code)) return false;
  }
  const next = text.charCodeAt(at + UUID_LENGTH);
  return !(isHex(next) || isLetter(next) || next === 0x2d || next === 0x5f);
}

export function uuidEnd(at: number): number {
  return at + UUID_LENGTH;
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46);
}
