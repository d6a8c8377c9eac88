/**
 * Hides credentials, by name and by form. Configuration is masked wherever it is shown; everything else only where it leaves the user's own pages and
 * terminal: answers to assistants, bundles, exports, metrics, alarms, log lines and the record of actions (security.md 5).
 *
 * Stored text is hostile, so every pattern must take time in proportion to the length of the text. Therefore each repetition is bounded, or nothing after
 * it can fail, or it begins where no other repetition of the same pattern begins.
 */
import { CUT, type Known, maskText, NOTHING_KNOWN, unmarked } from "./masked-text.ts";
import { isSecretKey, MASK } from "./secret-names.ts";

/** Limits for configuration, which is shown as a whole: levels, members of one container, members in all, characters. */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 200;
const MAX_NODES = 2_000;
const MAX_TEXT = 4_096;

/**
 * A copy of a setting that is safe to show: secrets are masked at every depth. Deep, wide and long data is cut, marked with `…`. Null and empty values
 * stay: there is nothing to hide, and "not set" is worth knowing.
 */
export function maskSecrets(key: string, value: unknown): unknown {
  return maskSetting(key, value, 0, { nodes: MAX_NODES });
}

function maskSetting(key: string, value: unknown, depth: number, budget: { nodes: number }): unknown {
  budget.nodes -= 1;
  if (value === null || value === undefined || value === "") return value;
  if (isSecretKey(key)) return MASK;
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object") return shortened(maskNamedText(key, String(value), NOTHING_KNOWN));
  if (depth >= MAX_DEPTH || budget.nodes <= 0) return CUT;
  if (Array.isArray(value)) {
    const shown: unknown[] = [];
    for (const [index, item] of value.entries()) {
      if (shown.length >= MAX_ENTRIES || budget.nodes <= 0) return [...shown, CUT];
      shown.push(isFlagValue(value, index) ? MASK : maskSetting(key, item, depth + 1, budget));
    }
    return shown;
  }
  if (!isPlainObject(value)) return shortened(maskText(describeObject(value)));
  const shown: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (shown.length >= MAX_ENTRIES || budget.nodes <= 0) {
      shown.push([CUT, CUT]);
      break;
    }
    shown.push([shortened(maskText(name)), maskSetting(name, member, depth + 1, budget)]);
  }
  // fromEntries defines properties instead of assigning them, so a key `__proto__` stays data.
  return Object.fromEntries(shown);
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${CUT}` : text;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Dates from TOML and YAML have a text form; anything else only shows its type. */
function describeObject(value: object): string {
  return value instanceof Date && !Number.isNaN(value.getTime())
    ? value.toISOString()
    : Object.prototype.toString.call(value);
}

/** Members that contain the name of what is in the member `value` or `values` of the same object. */
const NAMING = ["name", "argument", "key", "data_key", "field", "path", "setting", "option", "parameter"] as const;

/** Members of a `DisplayValue` that describe its text without containing it. */
const ABOUT_VALUE: readonly string[] = ["form", "note", "reference", "size"];

/** Limits of `Known`: secrets, characters of one, names. What is beyond them is masked as in any text. */
const KNOWN_SECRETS = 50;
const KNOWN_LENGTH = 200;
const KNOWN_NAMES = 2_000;

/**
 * A copy of a document of plain data that may leave the user's own pages and terminal. Masked are values beside the name of a secret, whether that is
 * the name of a member, of an argument, or within a text, and texts and names with the form of a secret. Members and their types are unchanged, except
 * for a number that is a secret.
 */
export function outgoing<Document>(document: Document): Document {
  const secrets = new Set<string>();
  const names = new Set<string>();
  learn(document, "", false, secrets, names);
  const known = { secrets: [...secrets].sort((a, b) => b.length - a.length), names, isLine: false };
  return maskMember(document, "", false, false, known) as Document;
}

function learn(value: unknown, key: string, secret: boolean, secrets: Set<string>, names: Set<string>): void {
  if (typeof value === "string") {
    if (secret) {
      const isLong = value.length > KNOWN_LENGTH || secrets.size >= KNOWN_SECRETS;
      if (!isLong && SEPARATED.test(value) && !ABOUT_VALUE.includes(key)) secrets.add(value);
    } else if (names.size < KNOWN_NAMES && DOTTED_NAME.test(value) && !isNaming(key)) names.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) learn(item, key, secret, secrets, names);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value))
      learn(member, name, secret || isSecretMember(value, name), secrets, names);
  }
}

const SEPARATED = /[\s,;&)\]}"'`\\#]/;
const DOTTED_NAME = /^\w+(?:\.\w+)+$/;

function isNaming(key: string): boolean {
  return NAMING.some((naming) => naming === key);
}

function maskMember(value: unknown, key: string, secret: boolean, cut: boolean, known: Known): unknown {
  if (value === null || value === undefined || value === "" || typeof value === "boolean") return value;
  if (typeof value !== "object") {
    if (secret && !ABOUT_VALUE.includes(key)) return MASK;
    if (typeof value !== "string") return value;
    const here = key === "arguments" ? { ...known, isLine: true } : known;
    return cut ? unmarked(maskNamedText(key, value + CUT, here)) : maskNamedText(key, value, here);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => maskMember(item, key, secret || isFlagValue(value, index), cut, known));
  }
  const isCut = isCutText(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      maskText(name, known),
      maskMember(member, name, secret || isSecretMember(value, name), isCut, known),
    ]),
  );
}

/** Whether a member is a secret: by its own name, or because another member gives its value the name of a secret. */
function isSecretMember(owner: object, name: string): boolean {
  if (isSecretKey(name)) return true;
  if (name !== "value" && name !== "values") return false;
  const members = owner as Readonly<Record<string, unknown>>;
  return NAMING.some((naming) => {
    const word = members[naming];
    // The path of a page is not a name.
    return typeof word === "string" && !word.includes("/") && isSecretKey(word);
  });
}

/** What follows a flag in a list of arguments: `["--password", "x"]`. */
function isFlagValue(list: readonly unknown[], index: number): boolean {
  const before = list[index - 1];
  if (typeof before !== "string" || !/^--?[\w.-]+$/.test(before)) return false;
  return isSecretKey(before) && !String(list[index]).startsWith("-");
}

/** Whether the texts of an object are marked as beginnings of longer ones. */
function isCutText(owner: object): boolean {
  const { truncated, cut, characters_left_out: left, value } = owner as Readonly<Record<string, unknown>>;
  if (truncated === true || cut === true || (typeof left === "number" && left > 0)) return true;
  return typeof value === "object" && value !== null && "cut" in value && value.cut === true;
}

/** Keys such as `url` and `redis_url`, whose value is one address, whatever it looks like. */
const ADDRESS_KEY = /(^|[_-])ur[il]$/i;

function maskNamedText(key: string, text: string, known: Known): string {
  return ADDRESS_KEY.test(key) ? maskAddress(text) : maskText(text, known);
}

/** `redis://name:secret` without a host: the text after the colon is not a port. */
const SECRET_FOR_PORT = /((?:^|:\/\/)[^\s:/?#@[\]]*:)(?!\/\/)(?!\d{0,5}(?:[/?#]|$)).*$/s;

/**
 * Masks a text that is supposed to be one address. Stricter than `maskText`, which finds URLs among other words: here everything before
 * the last `@` may be a secret, however malformed the rest is.
 */
export function maskAddress(text: string): string {
  const masked = maskText(text);
  const at = masked.lastIndexOf("@");
  if (at === -1) return masked.replace(SECRET_FOR_PORT, `$1${MASK}`);
  const begin = masked.indexOf("://") === -1 ? 0 : masked.indexOf("://") + 3;
  return at < begin ? MASK : `${masked.slice(0, begin)}${MASK}${masked.slice(at)}`;
}
