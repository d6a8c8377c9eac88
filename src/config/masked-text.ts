/** Secrets in a text: of URLs, keys and tokens, and what follows the name of a secret. */
import { isSecretKey, MASK, SECRET_PARAMETERS, SECRET_WORDS } from "./secret-names.ts";

export const CUT = "…";

/** What a document says elsewhere about the texts in it. */
export interface Known {
  /** Secrets with a blank or a separator in them: where one follows its name in a sentence, its end is known. Longest first. */
  secrets: readonly string[];
  /** Dotted names such as `shop.reset_password`: what follows one and a colon is about it. */
  names: ReadonlySet<string>;
  /** The text is a line of arguments, `name=value, name=value`: a value without quotes may have blanks in it. */
  isLine: boolean;
}

export const NOTHING_KNOWN: Known = { secrets: [], names: new Set(), isLine: false };

/** Something that one of the steps below looks for; most texts have nothing, and take one search. */
const SUSPICIOUS = new RegExp(
  String.raw`:\\?/\\?/|%[0-9a-f]{2}|[?&;#](?:${[...SECRET_PARAMETERS].join("|")})=|Bearer|Basic|AKIA|ASIA|AIza|gh[oprsu]_|github_pat_|glpat-|PRIVATE[ +]KEY|[rs]k[-_]|xox[a-z]-|eyJ|==|${SECRET_WORDS.map((word) => [...word].join("[_.-]*")).join("|")}`,
  "i",
);

/** Texts this long may be the beginning of a longer one without saying so. */
const MAYBE_CUT = 1_000;

/** Encodings within each other that are looked through, as in a link within a link. */
const ENCODINGS = 3;

/**
 * Masks the secrets in a text: user and password of URLs, what has the form of a key or a token, and what follows the name of a secret. A secret whose
 * end is missing, because the text was cut, is masked as well. Nothing is cut.
 */
export function maskText(text: string, known: Known = NOTHING_KNOWN): string {
  if (!SUSPICIOUS.test(text)) return text;
  const isMarked = text.length < MAYBE_CUT || text.endsWith(CUT);
  return isMarked ? masked(text, known, ENCODINGS) : unmarked(masked(text + CUT, known, ENCODINGS));
}

/** Without the mark that was added to say that the text may be cut. */
export function unmarked(text: string): string {
  return text.endsWith(CUT) ? text.slice(0, -1) : text;
}

export function masked(text: string, known: Known, encodings: number): string {
  const plain = text
    .replace(PRIVATE_KEY, MASK)
    .replace(LINK_PART, (part) => maskEncoded(part, known, encodings))
    .replace(WORD, maskUserInfo);
  const formless = FORMS.reduce((left, form) => left.replace(form, MASK), plain);
  return maskNamed(formless.replace(WEB_TOKEN, maskWebToken).replace(CREDENTIALS, maskCredentials), known);
}

/** Also with line breaks written as `\n`; to the end where its end is missing. */
const PRIVATE_KEY =
  /-----BEGIN[A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----[\s\S]*?(?:-----END[A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----|$|(?=…$))/g;

/** Beginning of a word; after a line break or a tab that is written as `\n` or `\t`, and after a colour, too. */
const BEGINNING = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=[\x1b␛]\[[\d;]{0,8}m))`;

/** Where the text was cut. */
const IS_CUT = "(?= ?…)";

/** Keys and tokens: in full, or up to where the text was cut. */
const FORMS: readonly RegExp[] = [
  // Amazon
  `(?<![A-Z0-9])(?:AKIA|ASIA)(?:[A-Z0-9]{16}(?![A-Z0-9])|[A-Z0-9]{0,15}${IS_CUT})`,
  // Google
  String.raw`AIza(?:[\w-]{30,}|[\w-]{0,29}${IS_CUT})`,
  // Azure: the key of a storage account
  `(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==`,
  // GitHub, GitLab
  `gh[oprsu]_(?:[A-Za-z0-9]{20,}|[A-Za-z0-9]{0,19}${IS_CUT})`,
  String.raw`github_pat_(?:\w{20,}|\w{0,19}${IS_CUT})`,
  String.raw`glpat-(?:[\w.-]{16,}|[\w.-]{0,15}${IS_CUT})`,
  // Stripe
  `${BEGINNING}[rs]k_(?:live|test)_(?:[A-Za-z0-9]{10,}|[A-Za-z0-9]{0,9}${IS_CUT})`,
  // OpenAI, Anthropic and others; a name of words has no digit and no capital
  String.raw`${BEGINNING}sk-(?:(?=[\w-]{0,60}[0-9A-Z])[\w-]{20,}|[\w-]{0,60}${IS_CUT})`,
  // Slack
  `xox[a-z]-(?:[A-Za-z0-9-]{10,}|[A-Za-z0-9-]{0,9}${IS_CUT})`,
].map((form) => new RegExp(form, "g"));

/** A JSON object in base64, and what follows after dots. Without dots it is not a token, unless they were cut off. */
const WEB_TOKEN = /eyJ[\w-]{10,}[\w.-]*(?: ?…)?/g;

function maskWebToken(whole: string): string {
  const isCut = whole.endsWith(CUT);
  return isCut || whole.includes(".") ? `${MASK}${isCut ? CUT : ""}` : whole;
}

/** `Bearer eyJ...`: the credential follows a word. */
const CREDENTIALS = new RegExp(
  String.raw`${BEGINNING}(Bearer|Basic)(\s{1,4}|\+|%20)([\w.~+/=-]{8,}|[\w.~+/=-]+${IS_CUT})`,
  "gi",
);

function maskCredentials(whole: string, scheme: string, blank: string, credential: string): string {
  // "Basic authentication" does not contain a credential.
  const isWord = scheme.toLowerCase() === "basic" && /^[A-Za-z]?[a-z-]+\.?$/.test(credential);
  return isWord ? whole : `${scheme}${blank}${MASK}`;
}

/** A piece of a URL that is encoded by itself. Of the quotes, `'` may be left as it is. */
const LINK_PART = /[^\s"<>/?&#;=,]+/g;

/** Masks a part of a URL if its decoded text has a secret. The mask is not encoded, so the URL does not look as if it led anywhere. */
function maskEncoded(part: string, known: Known, encodings: number): string {
  if (encodings === 0 || !part.includes("%")) return part;
  const text = part.replace(/(?:%[0-9a-f]{2})+/gi, decoded);
  const shown = text === part ? text : masked(text, known, encodings - 1);
  return shown === text ? part : shown.replace(/\p{ASCII}+/gu, encodeURIComponent);
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** A name and a colon that no port follows: what follows is a password, perhaps with `/`, `?` or `#` in it, which a valid URL would encode. */
const PASSWORD_BEGINS = /(?:[^/?#@:[\]…]+:(?!\d{1,5}(?:[/?#,;)]|$))|:)/y;
const HOST_ENDS = /[/?#]/g;

/** What can be one URL, with a few others that touch it. */
const WORD = /[^\s"'<>]+/g;

/** `://name:password@`, however many URLs are in the word; to the cut where a URL was cut in front of its `@`. */
function maskUserInfo(word: string): string {
  const lastAt = word.lastIndexOf("@");
  const cutAt = word.indexOf(CUT);
  const scheme = /:\\?\/\\?\//g;
  let shown = "";
  let done = 0;
  for (let found = scheme.exec(word); found !== null; found = scheme.exec(word)) {
    const begin = scheme.lastIndex;
    const end = beginOf(HOST_ENDS, word, begin);
    PASSWORD_BEGINS.lastIndex = begin;
    const hasPassword = PASSWORD_BEGINS.test(word);
    let to = begin + word.slice(begin, end).lastIndexOf("@");
    if (to < begin && hasPassword) to = lastAt;
    if (to < begin && cutAt >= begin && (hasPassword || cutAt <= end)) to = cutAt;
    if (to < begin) continue;
    shown += `${word.slice(done, begin)}${MASK}`;
    done = to;
    scheme.lastIndex = to;
  }
  return shown + word.slice(done);
}

/** A name and what leads to its value: a sign, or what separates a flag from its argument. In a link, a blank may be a `+`. */
const NAMED =
  /(?<![\w.-])([\w.-]+)(?:(\\*["'`])?\]?[\s+]{0,4}(?:=>|:=|={1,3}|:)[\s+]{0,4}|(\\*["'`]\s*,[\s+]*|[\s+]{1,4}|%20)(?!-))/g;

/** Values that mean "not set", which is not a secret. */
const NOT_SET = /^(?:None|null|undefined)$/;

function maskNamed(text: string, known: Known): string {
  let shown = "";
  let done = 0;
  NAMED.lastIndex = 0;
  for (let found = NAMED.exec(text); found !== null; found = NAMED.exec(text)) {
    const [whole, name = "", quote = "", blank] = found;
    const begin = NAMED.lastIndex;
    NAMED.lastIndex = found.index + name.length;
    const isParameter = /[?&;#]/.test(text[found.index - 1] ?? "");
    if (!isSecretKey(name) && !(isParameter && SECRET_PARAMETERS.has(name.toLowerCase()))) continue;
    if (blank === undefined ? isHeading(whole.slice(name.length), name, text, begin, known) : !name.startsWith("-"))
      continue;
    const value = valueAt(text, begin, isParameter, known);
    const inner = text.slice(value.begin, value.end);
    if (inner === "" || NOT_SET.test(inner)) continue;
    // Beside a quoted name, a value gets quotes as well, so that JSON stays JSON.
    const around = value.begin === begin && value.after === value.end ? quote : "";
    shown += `${text.slice(done, value.begin)}${around}${MASK}${around}`;
    done = value.end;
    NAMED.lastIndex = value.after;
  }
  return shown + text.slice(done);
}

/** The key of a call, `shop.reset_password:9f86d081884c7d65...`, perhaps shortened; in a sentence, a task and its share of something. */
const ARGUMENTS_ID = /(?:[0-9a-f]{16,64}(?!\w)|[0-9a-f]{4,64}…|no_args(?!\w))/y;
const SHARE = /\d[\d,]* of \d/y;
const LINE = /\d{1,6}(?![\w.-])/y;

/** Whether the dotted name is that of a task, or of a file with a line. `arg.` begins a term of a search. */
function isHeading(sign: string, name: string, text: string, at: number, known: Known): boolean {
  if (!sign.startsWith(":") || !name.includes(".") || name.startsWith("arg.")) return false;
  if (sign === ": " && known.names.has(name)) return true;
  const afterColon = name.endsWith(".py") ? LINE : ARGUMENTS_ID;
  const form = sign === ":" ? afterColon : SHARE;
  form.lastIndex = at;
  return form.test(text);
}

/** `b'...'`, `SecretStr('...')`, `["a", "b"]`, `Bearer x`: what may come in front of a value. */
const LEAD = /(?:(?:Bearer|Basic|Token|Digest|ApiKey)\s{1,4})?(?:[bfru]{0,2}(?=\\*["'`])|[\w.]{0,64}(?=[[({]))?/iy;
const OPENING_QUOTE = /\\*["'`]/y;
/** What ends a value without quotes: a backslash does where it escapes a quote or a line break around it. */
const BARE_ENDS = /[\s,;&)\]}"'`…]|\\["'`nrt\\]/g;
const PARAMETER_ENDS = /[&;#\s"'<>…]/g;

/** Where a value is: its own beginning and end, and the end with its quotes. */
interface Span {
  begin: number;
  end: number;
  after: number;
}

function valueAt(text: string, at: number, isParameter: boolean, { secrets, isLine }: Known): Span {
  const secret = secrets.find((one) => text.startsWith(one, at));
  const whole = (end: number) => ({ begin: at, end, after: end });
  const least = at + (secret?.length ?? 0);
  if (isParameter) return whole(Math.max(least, beginOf(PARAMETER_ENDS, text, at)));
  const lead = ended(LEAD, text, at);
  const inner = ended(OPENING_QUOTE, text, lead);
  if (inner > lead) {
    const closing = closingQuote(text, inner, inner - lead);
    return lead === at && least <= closing.begin
      ? { begin: inner, end: closing.begin, after: closing.end }
      : whole(Math.max(least, closing.end));
  }
  const first = text[lead] ?? "";
  const ends = isLine ? ARGUMENT_ENDS : BARE_ENDS;
  const end = first !== "" && "[({".includes(first) ? closingBracket(text, lead) : beginOf(ends, text, lead);
  return whole(Math.max(least, end));
}

/** Where the pattern is found next, or the end of the text. */
function beginOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.index ?? text.length;
}

function ended(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The next argument of a line. */
const NEXT_ARGUMENT = String.raw`, [\w.-]{1,128}=`;
/** A cut value: the mark is at the end, or followed by the next argument. */
const CUT_VALUE = `…(?=$|${NEXT_ARGUMENT})`;
const ARGUMENT_ENDS = new RegExp(`${CUT_VALUE}|${NEXT_ARGUMENT}`, "g");
const QUOTES = new RegExp(String.raw`(?<!\\)(\\*)(["'${"`"}])|${CUT_VALUE}`, "g");

/** The quote that ends the text after the opening one; where none does, the cut or the end. @param length of the opening quote, with backslashes. */
function closingQuote(text: string, from: number, length: number): { begin: number; end: number } {
  const quote = text[from - 1];
  const level = length - 1;
  QUOTES.lastIndex = from;
  for (let found = QUOTES.exec(text); found !== null; found = QUOTES.exec(text)) {
    const [whole, backslashes, other] = found;
    if (other === undefined) return { begin: found.index, end: found.index };
    const count = backslashes?.length ?? 0;
    // Within a text with one backslash before its quotes, an inner quote has three.
    const closes = count < level || (count - level) % (2 * (level + 1)) === 0;
    if (other === quote && closes) {
      const end = found.index + whole.length;
      return { begin: Math.max(from, end - 1 - Math.min(level, count)), end };
    }
  }
  return { begin: text.length, end: text.length };
}

const BRACKETS = new RegExp(String.raw`[[({]|[\])}]|(?<!\\)\\*["'${"`"}]|${CUT_VALUE}`, "g");

/** The end of what a bracket opens, quoted texts included; where nothing closes it, the cut or the end. */
function closingBracket(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (;;) {
    BRACKETS.lastIndex = at;
    const found = BRACKETS.exec(text);
    if (found === null) return text.length;
    const [whole] = found;
    at = found.index + whole.length;
    if (whole === CUT) return found.index;
    if ("[({".includes(whole)) depth += 1;
    else if ("])}".includes(whole)) depth -= 1;
    else at = closingQuote(text, at, whole.length).end;
    if (depth === 0) return at;
  }
}
