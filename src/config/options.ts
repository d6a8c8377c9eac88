/**
 * The monitor's own options: flags, then PYNENC_MONITOR_* variables, then pynenc's own configuration, then defaults. Plain checks
 * instead of a schema library: every command passes here, `--help` included.
 */
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type InputProblem, InvalidInputError } from "../errors.ts";
import { type EpochSeconds, epochFromIso, INSTANT_BOUNDS, isWithinBounds } from "../pynenc/time.ts";
import { commandWords } from "./command-words.ts";
import { componentClasses, namedStore, SUPPORTED_STORES } from "./component-kinds.ts";
import type { NamedFile } from "./config-files.ts";
import { maskAddress, maskText } from "./masking.ts";
import {
  type AddressSettings,
  type DatabaseComponent,
  DEFAULT_ORIGIN,
  type EffectiveSettings,
  type Environment,
  effectiveSettings,
  type SettingValue,
  type StoreKind,
} from "./pynenc-sources.ts";
import { parseServerUrl, redisSettingsOrigin } from "./redis-address.ts";
import { stateFolder } from "./user-folders.ts";

/** The result of the command line parser; absent members were not given. Text is validated here, not by the parser. */
export interface OptionFlags {
  app?: string | undefined;
  backend?: string | undefined;
  db?: string | undefined;
  url?: string | undefined;
  config?: string | undefined;
  host?: string | undefined;
  port?: string | number | undefined;
  readOnly?: boolean | undefined;
  onVerdict?: string | undefined;
  allowActions?: boolean | undefined;
  publicMetrics?: boolean | undefined;
  /** Text for `--token`, false for `--no-token`. */
  token?: string | boolean | undefined;
  tokenFile?: string | undefined;
  /** False for `--no-stats`; commander sets true when the flag is absent, so true decides nothing. */
  stats?: boolean | undefined;
  /** False for `--no-cache`; commander sets true when the flag is absent, so true decides nothing. */
  cache?: boolean | undefined;
  basePath?: string | undefined;
  /** Given repeatedly or as a comma list. */
  allowedHost?: string | readonly string[] | undefined;
  now?: string | undefined;
  lockWait?: string | number | undefined;
  redisMaxCommands?: string | number | undefined;
  stateDir?: string | undefined;
  logLevel?: string | undefined;
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  /** False for `--no-pager`; commander sets true when the flag is absent, so true decides nothing. */
  pager?: boolean | undefined;
  /** False for `--no-color`, which is `--color never`. */
  color?: string | false | undefined;
}

/** A value and where it comes from: `--port`, `PYNENC_MONITOR_PORT`, a setting's origin, or `default`. */
export interface Resolved<T> {
  value: T;
  origin: string;
}

/** `auto`: only if the stream is a terminal. */
export type ColorUse = (typeof COLOR_USES)[number];

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ResolvedOptions {
  /** Null if no app is named: the store decides. */
  app: Resolved<string | null>;
  /** Given, or implied by another option. */
  backend: Resolved<StoreKind>;
  /** URL of a server, including its password. Null if the components' settings name one, or the store is a file. */
  url: Resolved<string | null>;
  /** Absolute path. Null if no file is named, or the components' settings name different ones. */
  db: Resolved<string | null>;
  /** pynenc configuration file, absolute path. */
  config: Resolved<string | null>;
  host: Resolved<string>;
  /** `auto` takes the first free port, starting at the default. */
  port: Resolved<number | "auto">;
  readOnly: Resolved<boolean>;
  /** Actions are allowed even if other machines can reach the server. */
  allowActions: Resolved<boolean>;
  /** How the server gets its token: from the variable named as origin, or created at the start. Never the token itself. */
  token: Resolved<"none" | "auto" | "variable">;
  /** Absolute path of the file that holds the token. Null if `token` is used. */
  tokenFile: Resolved<string | null>;
  /** The server may listen beyond this machine without a token. */
  noToken: Resolved<boolean>;
  /** Program and arguments that receive new verdicts; null for none. */
  onVerdict: Resolved<readonly string[] | null>;
  /** `/health` and `/metrics` need no token. */
  publicMetrics: Resolved<boolean>;
  /** The server does not read the history for figures over time. */
  noStats: Resolved<boolean>;
  /** The server does not save figures over time for its next start. */
  noCache: Resolved<boolean>;
  /** The path below which a proxy serves the monitor, without a slash at its end: `/mon`. Empty for none. */
  basePath: Resolved<string>;
  /** Further accepted host names in lower case, besides loopback and the bound host; `.example.com` admits subdomains. */
  allowedHosts: Resolved<readonly string[]>;
  /** The instant that counts as the present; null for the clock. */
  now: Resolved<EpochSeconds | null>;
  /** Seconds that an action waits for other writers of the store. */
  lockWait: Resolved<number>;
  /** Maximum number of commands per second sent to a Redis server. */
  redisMaxCommands: Resolved<number>;
  /** Folder of the record of actions, absolute path. Null for a user without a home. */
  stateDir: Resolved<string | null>;
  logLevel: Resolved<LogLevel>;
  json: Resolved<boolean>;
  quiet: Resolved<boolean>;
  color: Resolved<ColorUse>;
  noPager: Resolved<boolean>;
}

export interface ResolvedConfiguration {
  options: ResolvedOptions;
  /** pynenc's settings without app_info, which is known only once a store is open. */
  settings: EffectiveSettings;
  /** The configuration file for later calls of `effectiveSettings`. */
  configFile: NamedFile | null;
}

export interface OptionsInput {
  flags: OptionFlags;
  env: Environment;
  cwd: string;
}

const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 8000;
/** As long as pynenc itself waits (storage-format.md 3.8). */
const DEFAULT_LOCK_WAIT = 30;
/** A tenth of the capacity of a Redis server on an ordinary machine; a page needs two thousand. */
const DEFAULT_REDIS_MAX_COMMANDS = 20_000;
export const COLOR_USES = ["auto", "always", "never"] as const;
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;

/** Options and the settings they are based on. InvalidInputError names every option, variable or file that is not accepted. */
export function resolveConfiguration({ flags, env, cwd }: OptionsInput): ResolvedConfiguration {
  const reader = new OptionReader(flags, env);
  const app = reader.read("app", nonEmpty);
  const named = {
    backend: reader.read("backend", supportedBackend),
    db: reader.read("db", path),
    url: reader.read("url", serverUrl),
  };
  const config = reader.read("config", path);
  const stateDir = reader.read("stateDir", folder);
  const own = {
    host: reader.read("host", host) ?? byDefault(DEFAULT_HOST),
    port: reader.read("port", port) ?? byDefault(DEFAULT_PORT),
    readOnly: reader.read("readOnly", boolean) ?? byDefault(false),
    allowActions: reader.read("allowActions", boolean) ?? byDefault(false),
    ...reader.readToken(cwd),
    onVerdict: reader.read("onVerdict", commandLine) ?? byDefault(null),
    publicMetrics: reader.read("publicMetrics", boolean) ?? byDefault(false),
    noStats: reader.read("noStats", boolean) ?? byDefault(false),
    noCache: reader.read("noCache", boolean) ?? byDefault(false),
    basePath: reader.read("basePath", basePath) ?? byDefault(""),
    allowedHosts: reader.read("allowedHost", hostList) ?? byDefault([]),
    now: reader.read("now", instant) ?? byDefault(null),
    lockWait: reader.read("lockWait", seconds) ?? byDefault(DEFAULT_LOCK_WAIT),
    redisMaxCommands: reader.read("redisMaxCommands", commandsASecond) ?? byDefault(DEFAULT_REDIS_MAX_COMMANDS),
    logLevel: reader.read("logLevel", logLevel) ?? byDefault("info"),
    json: reader.read("json", boolean) ?? byDefault(false),
    quiet: reader.read("quiet", boolean) ?? byDefault(false),
    color: reader.read("color", colorUse) ?? colorOf(env),
    noPager: reader.read("noPager", boolean) ?? byDefault(false),
  };
  reader.throwProblems();

  const configFile = config && { path: config.value, namedBy: config.origin };
  const sources = { cwd, env, configFile, appInfo: null };
  const { store, settings } = chooseStore(named, (kind) => effectiveSettings({ ...sources, store: kind }));
  const options: ResolvedOptions = {
    app: app ?? configuredApp(settings),
    backend: store.backend,
    url: store.url,
    db: absolute(store.db, cwd),
    config: absolute(config ?? byDefault(null), cwd),
    stateDir: absolute(stateDir ?? byDefault(stateFolder(env)), cwd),
    ...own,
  };
  return { options, settings, configFile };
}

/** Which store the options alone select. */
interface NamedStore {
  backend: Resolved<StoreKind> | null;
  db: Resolved<string> | null;
  url: Resolved<string> | null;
}

interface ChosenStore {
  backend: Resolved<StoreKind>;
  db: Resolved<string | null>;
  url: Resolved<string | null>;
}

/**
 * The store that the options name; else the one that the classes in pynenc's settings imply; else the one whose address is set, a file before a
 * server. If there is none of these, files are searched.
 *
 * @throws InvalidInputError for options that name two stores, and for apps whose store cannot be opened.
 */
function chooseStore(
  named: NamedStore,
  settingsFor: (kind: StoreKind) => EffectiveSettings,
): { store: ChosenStore; settings: EffectiveSettings } {
  const { backend, db, url } = withoutOverruled(named);
  if (db && url)
    throw conflict(url, maskAddress(url.value), `it names a different store than ${db.origin}; use only one of them`);
  const kindOfLocation = db ? "sqlite" : url ? "redis" : null;
  if (backend && kindOfLocation && backend.value !== kindOfLocation) {
    throw conflict(backend, backend.value, `${(db ?? url)?.origin} names a ${kindOfLocation} store`);
  }
  const general = settingsFor("sqlite");
  const location = db ?? url;
  const kind =
    backend ??
    (location && kindOfLocation ? { value: kindOfLocation, origin: location.origin } : configuredStore(general));
  const settings = kind.value === "sqlite" ? general : settingsFor(kind.value);
  const file = kind.value === "sqlite" ? configuredDatabase(settings) : byDefault(null);
  return { store: { backend: kind, db: db ?? file, url: url ?? byDefault(null) }, settings };
}

/** A flag overrides every variable that selects another store: `--db` opens a file whatever PYNENC_MONITOR_URL says. */
function withoutOverruled({ backend, db, url }: NamedStore): NamedStore {
  const byFlag = (option: Resolved<unknown> | null) => option?.origin.startsWith("--") === true;
  const kindOfFlag = byFlag(db) ? "sqlite" : byFlag(url) ? "redis" : byFlag(backend) ? backend?.value : undefined;
  if (kindOfFlag === undefined) return { backend, db, url };
  return {
    backend: byFlag(backend) || backend?.value === kindOfFlag ? backend : null,
    db: byFlag(db) || kindOfFlag === "sqlite" ? db : null,
    url: byFlag(url) || kindOfFlag === "redis" ? url : null,
  };
}

/** The kind of store according to pynenc's settings. */
function configuredStore(settings: EffectiveSettings): Resolved<StoreKind> {
  const named = namedStore(componentClasses(settings));
  if (named) return { value: named.kind, origin: `${named.field} (${named.origin})` };
  const server = redisSettingsOrigin(settings);
  const fileNamed = [...settings.addresses("sqlite").values()].some((address) => namesFile(databasePath(address)));
  return server === null || fileNamed ? byDefault("sqlite") : { value: "redis", origin: server };
}

function conflict(option: Resolved<unknown>, value: string, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter: option.origin, value, accepted }]);
}

/** Absolute paths of the files in pynenc's settings, by component. Components without a file are left out. */
export function configuredDatabases(
  settings: EffectiveSettings,
  cwd: string,
): Map<DatabaseComponent, Resolved<string>> {
  const named = new Map<DatabaseComponent, Resolved<string>>();
  for (const [component, address] of settings.addresses("sqlite")) {
    const setting = databasePath(address);
    if (namesFile(setting))
      named.set(component, { value: resolve(cwd, String(setting.value)), origin: setting.origin });
  }
  return named;
}

function databasePath(address: AddressSettings): SettingValue {
  const setting = address.get("sqlite_db_path");
  if (!setting) throw new Error("SETTINGS lacks sqlite_db_path");
  return setting;
}

function namesFile(setting: SettingValue): boolean {
  return typeof setting.value === "string" && setting.value.trim() !== "";
}

function configuredDatabase(settings: EffectiveSettings): Resolved<string | null> {
  const named = [...settings.addresses("sqlite").values()].map(databasePath).filter(namesFile);
  const [first] = named;
  const agree = named.every((setting) => setting.value === first?.value);
  return first && agree ? { value: String(first.value), origin: first.origin } : byDefault(null);
}

function configuredApp(settings: EffectiveSettings): Resolved<string | null> {
  const setting = settings.get("app_id");
  // The default app id identifies no app: every unconfigured process has it (storage-format.md 12.4).
  if (!setting || setting.origin === DEFAULT_ORIGIN) return byDefault(null);
  return { value: String(setting.value), origin: setting.origin };
}

function absolute(option: Resolved<string | null>, cwd: string): Resolved<string | null> {
  return option.value === null ? option : { ...option, value: resolve(cwd, option.value) };
}

function byDefault<T>(value: T): Resolved<T> {
  return { value, origin: DEFAULT_ORIGIN };
}

/** https://no-color.org: any non-empty value counts. Build servers whose logs show colours set FORCE_COLOR. */
function colorOf(env: Environment): Resolved<ColorUse> {
  if (env.NO_COLOR) return { value: "never", origin: "NO_COLOR" };
  const forced = env.FORCE_COLOR;
  if (!forced) return byDefault("auto");
  return { value: ["0", "false"].includes(forced) ? "never" : "always", origin: "FORCE_COLOR" };
}

/** A check returns the value, or a `Refusal` that says what would be accepted. */
type Check<T> = (text: string) => T | Refusal;

class Refusal {
  readonly accepted: string;
  constructor(accepted: string) {
    this.accepted = accepted;
  }
}

/** Flags by the option that they set. */
type GivenFlags = Omit<OptionFlags, "token" | "pager" | "stats" | "cache"> & {
  token: string | undefined;
  noToken: boolean | undefined;
  noStats: boolean | undefined;
  noCache: boolean | undefined;
  noPager: boolean | undefined;
};

/** Reads options from flags, then from variables, and collects all errors to report them together. */
class OptionReader {
  readonly #flags: GivenFlags;
  readonly #env: Environment;
  readonly #problems: InputProblem[] = [];

  constructor(flags: OptionFlags, env: Environment) {
    const { token, pager, stats, cache, ...others } = flags;
    this.#flags = {
      ...others,
      token: typeof token === "string" ? token : undefined,
      noToken: token === false ? true : undefined,
      noStats: stats === false ? true : undefined,
      noCache: cache === false ? true : undefined,
      noPager: pager === false ? true : undefined,
    };
    this.#env = env;
  }

  /** Null if the option was not given, or was invalid and is now among the problems. */
  read<T>(name: keyof GivenFlags, check: Check<T>): Resolved<T> | null {
    const given = this.#given(name);
    if (!given) return null;
    const checked = check(given.value);
    const shown = name === "url" ? maskAddress : maskText;
    if (!(checked instanceof Refusal)) return { value: checked, origin: given.origin };
    this.#problems.push({ parameter: given.origin, value: shown(given.value), accepted: checked.accepted });
    return null;
  }

  /** A flag overrides the variables. Errors never repeat the given token. */
  readToken(cwd: string): Pick<ResolvedOptions, "token" | "tokenFile" | "noToken"> {
    const noToken = this.read("noToken", boolean) ?? byDefault(false);
    const none = { token: byDefault<"none">("none"), tokenFile: byDefault(null), noToken };
    if (noToken.origin === "--no-token") return none;
    const given = this.#given("token");
    const file = this.read("tokenFile", path);
    const byFlag = given?.origin === "--token";
    if (file !== null && !byFlag) return { ...none, tokenFile: absolute(file, cwd) };
    if (given === null) return none;
    if (given.value.trim() === "auto") return { ...none, token: { value: "auto", origin: given.origin } };
    if (byFlag) this.#refuse(given.origin, MASK, ONLY_AUTO);
    else if (!isToken(given.value.trim())) this.#refuse(given.origin, MASK, TOKEN_RULE);
    return { ...none, token: { value: "variable", origin: given.origin } };
  }

  #refuse(parameter: string, value: string, accepted: string): void {
    this.#problems.push({ parameter, value, accepted });
  }

  throwProblems(): void {
    if (this.#problems.length > 0) throw new InvalidInputError(this.#problems);
  }

  #given(name: keyof GivenFlags): Resolved<string> | null {
    const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    const flag = this.#flags[name];
    if (name === "color" && flag === false) return { value: "never", origin: "--no-color" };
    if (flag !== undefined) return { value: String(flag), origin: `--${words.replaceAll("_", "-")}` };
    const variable = `PYNENC_MONITOR_${words.toUpperCase()}`;
    const text = this.#env[variable];
    // Shells and container files unset a variable by setting it to an empty text.
    return text === undefined || text.trim() === "" ? null : { value: text, origin: variable };
  }
}

const MASK = "***";

const ONLY_AUTO =
  "all users of this machine can read command lines; put the token into PYNENC_MONITOR_TOKEN or a file for --token-file, or use --token auto";

/** Fits into a header field, and is hard to guess. */
export const TOKEN_RULE = "it must consist of 16 to 512 letters, digits and punctuation characters, without spaces";

export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,512}$/.test(text);
}

const nonEmpty: Check<string> = (text) => (text.trim() === "" ? new Refusal("it must not be empty") : text);

const path: Check<string> = (text) =>
  text.trim() === "" || text.includes("\0") ? new Refusal("it must be the path of a file") : text;

const folder: Check<string> = (text) =>
  text.trim() === "" || text.includes("\0") ? new Refusal("it must be the path of a folder") : text;

const supportedBackend: Check<StoreKind> = (text) => {
  const supported = SUPPORTED_STORES.find((kind) => kind === text.trim().toLowerCase());
  return supported ?? new Refusal(`supported: ${SUPPORTED_STORES.join(", ")}`);
};

const serverUrl: Check<string> = (text) => {
  const parsed = parseServerUrl(text);
  return typeof parsed === "string" ? new Refusal(parsed) : parsed.url;
};

const port: Check<number | "auto"> = (text) => {
  const word = text.trim().toLowerCase();
  if (word === "auto") return word;
  const number = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  return number >= 1 && number <= 65_535 ? number : new Refusal("it must be a whole number from 1 to 65535, or auto");
};

/** Whether failures are printed as JSON, including invalid options. An invalid value of the variable counts as no. */
export function wantsJson(flag: boolean | undefined, env: Environment): boolean {
  return flag ?? BOOLEAN_WORDS.get((env.PYNENC_MONITOR_JSON ?? "").trim().toLowerCase()) ?? false;
}

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

const boolean: Check<boolean> = (text) =>
  BOOLEAN_WORDS.get(text.trim().toLowerCase()) ?? new Refusal("it must be one of true, false, 1, 0, yes, no, on, off");

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/;

/** An address or a name to bind. Accepts brackets around IPv6 addresses as in URLs, because people type them. */
const host: Check<string> = (text) => {
  const name = withoutBrackets(text.trim().toLowerCase());
  if (isIP(name) !== 0 || isHostName(name)) return name;
  return new Refusal("it must be an IP address or a host name, without scheme and port");
};

const hostList: Check<string[]> = (text) => {
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

const basePath: Check<string> = (text) => {
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

const commandLine: Check<readonly string[]> = (text) => {
  const words = commandWords(text);
  return typeof words === "string" ? new Refusal(words) : words;
};

const instant: Check<EpochSeconds> = (text) => {
  const at = epochFromIso(text);
  if (at !== null && isWithinBounds(at)) return at;
  return new Refusal(`it must be an ISO 8601 instant such as 2026-11-21T00:34:39+00:00, ${INSTANT_BOUNDS}`);
};

const seconds: Check<number> = (text) => {
  const number = /^\d{1,4}(\.\d{1,3})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number <= 3600 ? number : new Refusal("it must be a number of seconds from 0 to 3600");
};

const commandsASecond: Check<number> = (text) => {
  const number = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0;
  return number >= 10 && number <= 1_000_000 ? number : new Refusal("it must be a whole number from 10 to 1000000");
};

const logLevel: Check<LogLevel> = (text) => {
  const word = text.trim().toLowerCase();
  return LOG_LEVELS.find((level) => level === word) ?? new Refusal(`it must be one of ${LOG_LEVELS.join(", ")}`);
};

const colorUse: Check<ColorUse> = (text) =>
  COLOR_USES.find((use) => use === text.trim().toLowerCase()) ??
  new Refusal(`it must be one of ${COLOR_USES.join(", ")}`);
