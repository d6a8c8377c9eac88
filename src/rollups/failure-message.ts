/** Reduces failure messages to the part that failures of one cause share: variable parts are replaced by placeholders. */

/** Number of characters read. The rest adds nothing about the kind of failure. */
const READ = 1_000;
/** Maximum length of a kind. It is well below the number read: otherwise the end would depend on how long the replaced parts were. */
const SHOWN = 300;

/** Ids, numbers and quoted text share one placeholder, because some ids consist of digits only. */
const VALUE = "<value>";

/** Names that contain a digit but are not ids. */
const NAMES_WITH_DIGITS =
  /^(?:utf-?(?:8|16|32)|s3|ec2|sha-?\d+|md5|base\d\d|ipv[46]|http[123]|oauth[12]|x509|u?int\d+|float\d+|python[23]|py[23]|psycopg[23]?|sqlite3|boto3|urllib3|h[2-5]|iso-?8859(?:-\d+)?|latin-?1|cp125\d|p\d\d|v[1-9]|\d+xx|tls\d?|x86|x64|arm64|gpu\d?|i18n|l10n)$/i;

/** A number after these words is part of the kind of failure. */
const CODE_BEFORE =
  /(?:\berrno|\bhttps?|\bstatus|\bstatus code|\bexit code|\bsignal|\bsqlstate|\bhttp error|\bwinerror)[ :=#]{1,2}$/i;

/** Quoted text after these words, or an HTTP status line, is a name in the program or a kind of failure, not data. */
const NAME_BEFORE =
  /\b(?:constraint|column|relation|table|index|attribute|module named|argument|parameter|field|function|method|type|class|variable) $/i;
const NAME = /^[\p{L}_][\p{L}_.]*$/u;
const STATUS_LINE = /^[1-5]\d\d [A-Z][A-Za-z' -]{1,40}$/;

/** An exception inside the text of another one: what it quotes is a message, not a value. */
const EXCEPTION_BEFORE = /[\p{Lu}]\w{0,40}(?:Error|Exception|Timeout)\($/u;

/** A hexadecimal id that happens to have no digits. */
const HEX_LETTERS = /^[a-f]{8,}$/i;

/**
 * The parts that may vary, longest forms first. Each alternative is distinguished by its first characters or is bounded, so that hostile text takes
 * only linear time. Null keeps the part.
 */
const PARTS: readonly [RegExp, (part: string, before: string) => string | null][] = [
  [/[a-z][a-z0-9+.-]{1,15}:\/\/[^\s'"<>`)\]]{1,500}/iy, () => "<url>"],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/y, () => "<address>"],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])/y, () => "<date>"],
  [/\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?!\w)/y, () => "<date>"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/iy, () => VALUE],
  [/0x[0-9a-f]{1,16}(?!\w)/iy, () => "<address>"],
  [/\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/y, () => "<address>"],
  [/(?:[a-z]:[\\/]|\\\\|~?\/|\.{1,2}\/)[\w.@%+~\\/-]{1,500}/iy, () => "<path>"],
  [/'[^'\n]{0,300}'(?!\w)/y, quoted],
  [/"[^"\n]{0,300}"(?!\w)/y, quoted],
  [/`[^`\n]{0,300}`(?!\w)/y, quoted],
  [/-?\d[\d_]*(?:[.,]\d+){0,4}(?:e[+-]?\d{1,3})?%?(?![\w-]|[.,]\d)/iy, number],
  [/-?\d[\d_]*(?:[.,]\d+)?(ns|us|µs|ms|s|sec|seconds|m|min|h|d|[kmgt]i?b|b|x|px)(?![\w-])/iy, unit],
  [/[\p{L}\p{N}_]+(?:[-./][\p{L}\p{N}_]+)*/uy, word],
];

function quoted(part: string, before: string): string | null {
  const text = part.slice(1, -1);
  if (EXCEPTION_BEFORE.test(before.slice(-60))) return null;
  const isName = STATUS_LINE.test(text) || (NAME.test(text) && NAME_BEFORE.test(before.slice(-16)));
  return isName ? part : VALUE;
}

function number(part: string, before: string): string {
  return CODE_BEFORE.test(before.slice(-16)) ? part : VALUE;
}

function unit(part: string): string {
  // A hexadecimal id may end like this.
  if (/^\d{5,}[bd]$/i.test(part)) return VALUE;
  return `${VALUE}${part.replace(/^[-\d_.,]+/, "")}`;
}

function word(part: string): string {
  if (part.includes("/")) return /\d|\.[^/]*$/.test(part) ? "<path>" : part;
  const isWord = !/\d/.test(part) && !HEX_LETTERS.test(part);
  return isWord || NAMES_WITH_DIGITS.test(part) ? part : VALUE;
}

/**
 * Puts the message on one line, with ids, numbers, paths, quoted values, addresses and dates replaced. A message that is only a quoted value, like
 * that of a KeyError, keeps it: it says what failed.
 */
export function messageKind(message: string): string {
  const complete = message.length <= READ;
  // The last word may be cut.
  const read = complete ? message : message.slice(0, READ).replace(/\S*$/, "");
  const line = read.replace(/\s+/g, " ").trim();
  const [, quote, text = ""] = /^(['"])([^'"]{0,300})\1$/.exec(line) ?? [];
  const kind = quote === undefined ? replaced(line) : `${quote}${replaced(text)}${quote}`;
  // The length of a list varies too.
  const short = kind.replace(/(<[a-z]+>)(?:, ?(?:and |or )?\1)+/g, "$1, …");
  if (short.length > SHOWN) return `${short.slice(0, SHOWN - 1)}…`;
  return complete ? short : `${short} …`;
}

function replaced(line: string): string {
  let out = "";
  let at = 0;
  scan: while (at < line.length) {
    const isWordStart = at === 0 || !/[\p{L}\p{N}_]/u.test(line[at - 1] ?? "");
    if (isWordStart) {
      for (const [part, replacement] of PARTS) {
        part.lastIndex = at;
        const found = part.exec(line)?.[0];
        const instead = found === undefined ? null : replacement(found, out);
        if (found === undefined || instead === null) continue;
        out += instead;
        at += found.length;
        continue scan;
      }
    }
    out += line[at++];
  }
  return out;
}
