/**
 * Hides credentials in configuration before it is shown. Settings and `app_info.config_values` are written by others and may hold
 * passwords, tokens, or URLs with either inside (storage-format.md 3.4, 9.5, 11).
 */

export const MASK = "••••••";

/** Compared with keys without separators and case, so `api_key`, `apiKey` and `API-KEY` are the same. */
const SECRET_WORDS = [
  "password",
  "passwd",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "authorization",
  "credential",
  "privatekey",
];

/** Names that only mean a secret as a URL parameter; as ordinary keys they are too common to mask. */
const SECRET_PARAMETERS = new Set(["auth", "pass", "pwd"]);

const MAX_DEPTH = 8;
const MAX_ENTRIES = 200;
const MAX_NODES = 2_000;
const MAX_TEXT = 4_096;
const CUT = "…";

/** Whether the key alone marks its value as a secret. */
export function isSecretKey(key: string): boolean {
  const word = key.toLowerCase().replace(/[^a-z0-9]/g, "");
  return SECRET_WORDS.some((secret) => word.includes(secret));
}

/**
 * A copy of `value` that is safe to show: secrets are masked by key and inside URLs, at every depth. Deep, wide and long data is cut,
 * marked with `…`. Null and empty values stay: there is nothing to hide, and "not set" is worth knowing.
 */
export function maskSecrets(key: string, value: unknown): unknown {
  return maskValue(key, value, 0, { nodes: MAX_NODES });
}

function maskValue(key: string, value: unknown, depth: number, budget: { nodes: number }): unknown {
  budget.nodes -= 1;
  if (value === null || value === undefined || value === "") return value;
  if (isSecretKey(key)) return MASK;
  if (typeof value === "string") return isAddressKey(key) ? maskAddress(value) : maskText(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object") return maskText(String(value));
  if (depth >= MAX_DEPTH || budget.nodes <= 0) return CUT;
  if (Array.isArray(value)) return maskArray(key, value, depth, budget);
  return isPlainObject(value) ? maskObject(value, depth, budget) : maskText(describeObject(value));
}

function maskArray(key: string, items: readonly unknown[], depth: number, budget: { nodes: number }): unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    if (shown.length >= MAX_ENTRIES || budget.nodes <= 0) return [...shown, CUT];
    shown.push(maskValue(key, item, depth + 1, budget));
  }
  return shown;
}

function maskObject(object: object, depth: number, budget: { nodes: number }): Record<string, unknown> {
  const shown: [string, unknown][] = [];
  for (const [name, member] of Object.entries(object)) {
    if (shown.length >= MAX_ENTRIES || budget.nodes <= 0) {
      shown.push([CUT, CUT]);
      break;
    }
    shown.push([maskText(name), maskValue(name, member, depth + 1, budget)]);
  }
  // fromEntries defines properties instead of assigning them, so a key `__proto__` stays data.
  return Object.fromEntries(shown);
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

/** User and password: everything before the last `@` in the host part of a URL. */
const USER_INFO = /:\/\/[^\s"'<>/?#]*@/g;
/**
 * A password with a raw `/`, `?` or `#` in it: the text after the first colon is not a port, and an `@` follows later. Such a URL does not
 * work, which is exactly when people print their configuration. Bounded, because it could scan far ahead from every `://`.
 */
const BROKEN_USER_INFO = /:\/\/(?:[^\s"'<>/?#@:[]{1,256}:(?!\d{1,5}(?:[/?#,;\s]|$))|:)[^\s"'<>]{0,512}@/g;
const PARAMETER = /([?&;#])([^=&;#?\s"'<>]{1,64})=([^&;#\s"'<>]*)/g;
/** A URL at the end of a text that was cut: user and password may be there without their `@`. */
const UNFINISHED_URL = /:\/\/[^\s"'<>@]*$/;

/** Masks secrets in the URLs of a text: `user:password@`, and parameters such as `?token=`. */
export function maskText(text: string): string {
  const window = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  const masked = window
    .replace(USER_INFO, `://${MASK}@`)
    .replace(BROKEN_USER_INFO, `://${MASK}@`)
    .replace(PARAMETER, maskParameter);
  return window === text ? masked : `${masked.replace(UNFINISHED_URL, `://${MASK}`)}${CUT}`;
}

/** Keys such as `url` and `redis_url`, whose value is one address, whatever it looks like. */
function isAddressKey(key: string): boolean {
  return /(^|[_-])ur[il]$/i.test(key);
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

function maskParameter(whole: string, separator: string, name: string, value: string): string {
  const secret = isSecretKey(name) || SECRET_PARAMETERS.has(name.toLowerCase());
  return secret && value !== "" ? `${separator}${name}=${MASK}` : whole;
}

/** A name recognised by `isSecretKey`, within a text. */
const SECRET_NAME = `(?<![\\w.-])[\\w.-]{0,128}?(?:${SECRET_WORDS.map((word) => [...word].join("[_.-]?")).join("|")})[\\w.-]{0,64}`;
/** `password='x'`, `"api_key": "x"`, also with escaped quotes: a name, a sign, a value. */
const ASSIGNED = new RegExp(
  String.raw`(\\{0,4}["']?)(${SECRET_NAME})\1(\s{0,4}[:=]\s{0,4})("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\{1,4}"[^"]*"|[^\s,;&)\]}"'\\]+)`,
  "gi",
);
/** `Bearer eyJ...`: the credential follows a word. */
const CREDENTIALS = /\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{8,}/gi;

/**
 * Masks text that an app may have stored: credentials in URLs, values after a name that marks them as secret, and authorisation headers.
 * For data that leaves this machine: exports, bundles, answers to assistants. Nothing is cut.
 */
export function maskStored(text: string): string {
  return text
    .replace(USER_INFO, `://${MASK}@`)
    .replace(BROKEN_USER_INFO, `://${MASK}@`)
    .replace(PARAMETER, maskParameter)
    .replace(CREDENTIALS, `$1 ${MASK}`)
    .replace(ASSIGNED, maskAssigned);
}

function maskAssigned(whole: string, quote: string, name: string, sign: string, value: string): string {
  // `shop.reset_password:9f86d081884c7d65...` is the key of a call.
  if (name.includes(".") && sign === ":" && /^[0-9a-f]{16}/.test(value)) return whole;
  return `${quote}${name}${quote}${sign}${MASK}`;
}
