/** What options accept. */
import { isIP } from "node:net";
import { type EpochSeconds, epochFromIso, INSTANT_BOUNDS, isWithinBounds } from "../pynenc/time.ts";
import { commandWords } from "./command-words.ts";
import { SUPPORTED_STORES } from "./component-kinds.ts";
import { parseServerUrl } from "./server-kinds.ts";
import type { StoreKind } from "./setting-sources.ts";

/** `auto`: only if the stream is a terminal. */
export type ColorUse = (typeof COLOR_USES)[number];

export type LogLevel = (typeof LOG_LEVELS)[number];

export const COLOR_USES = ["auto", "always", "never"] as const;
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** A check returns the value, or a `Refusal` that says what would be accepted. */
export type Check<T> = (text: string) => T | Refusal;

export class Refusal {
  readonly accepted: string;
  constructor(accepted: string) {
    this.accepted = accepted;
  }
}

export const MASK = "***";

export const ONLY_AUTO =
  "all users of this machine can read command lines; put the token into PYNENC_MONITOR_TOKEN or a file for --token-file, or use --token auto";

/** Fits into a header field, and is hard to guess. */
export const TOKEN_RULE = "it must consist of 16 to 512 letters, digits and punctuation characters, without spaces";

export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,512}$/.test(text);
}

export const nonEmpty: Check<string> = (text) => (text.trim() === "" ? new Refusal("it must not be empty") : text);

export const path: Check<string> = (text) =>
  text.trim() === "" || text.includes("\0") ? new Refusal("it must be the path of a file") : text;

export const folder: Check<string> = (text) =>
  text.trim() === "" || text.includes("\0") ? new Refusal("it must be the path of a folder") : text;

export const supportedBackend: Check<StoreKind> = (text) => {
  const supported = SUPPORTED_STORES.find((kind) => kind === text.trim().toLowerCase());
  return supported ?? new Refusal(`supported: ${SUPPORTED_STORES.join(", ")}`);
};

export const serverUrl: Check<string> = (text) => {
  const parsed = parseServerUrl(text);
  return typeof parsed === "string" ? new Refusal(parsed) : parsed.url;
};

export const port: Check<number | "auto"> = (text) => {
  const word = text.trim().toLowerCase();
  if (word === "auto") return word;
  const number = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  return number >= 1 && number <= 65_535 ? number : new Refusal("it must be a whole number from 1 to 65535, or auto");
};

export const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

export const boolean: Check<boolean> = (text) =>
  BOOLEAN_WORDS.get(text.trim().toLowerCase()) ?? new Refusal("it must be one of true, false, 1, 0, yes, no, on, off");

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/;

/** An address or a name to bind. Accepts brackets around IPv6 addresses as in URLs, because people type them. */
export const host: Check<string> = (text) => {
  const name = withoutBrackets(text.trim().toLowerCase());
  if (isIP(name) !== 0 || isHostName(name)) return name;
  return new Refusal("it must be an IP address or a host name, without scheme and port");
};

export const hostList: Check<string[]> = (text) => {
  const names = text.split(",").map((name) => withoutBrackets(name.trim().toLowerCase()));
  const listed = names.filter((name) => name !== "");
  const refused = listed.find((name) => isIP(name) === 0 && !isHostName(name.replace(/^\./, "")));
  if (refused === undefined && listed.length > 0) return [...new Set(listed)];
  return new Refusal(
    "it must be host names separated by commas, without scheme and port; .example.com admits subdomains",
  );
};

/** Only characters that need no encoding in an address and end nothing in a header: cookies name it too. */
const BASE_PATH = /^(\/[\w.~-]+)*\/?$/;

export const basePath: Check<string> = (text) => {
  const given = text.trim();
  const isPath = BASE_PATH.test(given) && given.length <= 200 && !/\/\.\.?(\/|$)/.test(given);
  if (isPath) return given.replace(/\/$/, "");
  return new Refusal(
    "it must be a path such as /mon or /ops/mon: a slash before each part, and parts of letters, digits, -, _, . and ~ that are not . or ..",
  );
};

function withoutBrackets(name: string): string {
  return /^\[.*\]$/.test(name) ? name.slice(1, -1) : name;
}

/** A name whose last part is a number is a mistyped IPv4 address: 127.0.0.256. */
function isHostName(name: string): boolean {
  return HOST_NAME.test(name) && !/(^|\.)\d+$/.test(name);
}

export const commandLine: Check<readonly string[]> = (text) => {
  const words = commandWords(text);
  return typeof words === "string" ? new Refusal(words) : words;
};

export const instant: Check<EpochSeconds> = (text) => {
  const at = epochFromIso(text);
  if (at !== null && isWithinBounds(at)) return at;
  return new Refusal(`it must be an ISO 8601 instant such as 2026-11-21T00:34:39+00:00, ${INSTANT_BOUNDS}`);
};

export const seconds: Check<number> = (text) => {
  const number = /^\d{1,4}(\.\d{1,3})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number <= 3600 ? number : new Refusal("it must be a number of seconds from 0 to 3600");
};

export const commandsASecond: Check<number> = (text) => {
  const number = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0;
  return number >= 10 && number <= 1_000_000 ? number : new Refusal("it must be a whole number from 10 to 1000000");
};

export const logLevel: Check<LogLevel> = (text) => {
  const word = text.trim().toLowerCase();
  return LOG_LEVELS.find((level) => level === word) ?? new Refusal(`it must be one of ${LOG_LEVELS.join(", ")}`);
};

export const colorUse: Check<ColorUse> = (text) =>
  COLOR_USES.find((use) => use === text.trim().toLowerCase()) ??
  new Refusal(`it must be one of ${COLOR_USES.join(", ")}`);
