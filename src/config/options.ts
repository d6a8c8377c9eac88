import { resolve } from "node:path";
import { type InputProblem, InvalidInputError } from "../errors.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { byDefault, chooseStore, configuredApp, type Resolved } from "./chosen-store.ts";
import type { NamedFile } from "./config-files.ts";
import { maskText } from "./masked-text.ts";
import { maskAddress } from "./masking.ts";
import * as accepts from "./option-checks.ts";
import { type EffectiveSettings, effectiveSettings } from "./pynenc-sources.ts";
import type { Environment, StoreKind } from "./setting-sources.ts";
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
  maxCommands?: string | number | undefined;
  stateDir?: string | undefined;
  logLevel?: string | undefined;
  json?: boolean | undefined;
  quiet?: boolean | undefined;
  /** False for `--no-pager`; commander sets true when the flag is absent, so true decides nothing. */
  pager?: boolean | undefined;
  /** False for `--no-color`, which is `--color never`. */
  color?: string | false | undefined;
}

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
  /** Maximum number of commands per second sent to a server; null for a file. */
  maxCommands: Resolved<number | null>;
  /** Folder of the record of actions, absolute path. Null for a user without a home. */
  stateDir: Resolved<string | null>;
  logLevel: Resolved<accepts.LogLevel>;
  json: Resolved<boolean>;
  quiet: Resolved<boolean>;
  color: Resolved<accepts.ColorUse>;
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
/** A tenth of the capacity of a server on an ordinary machine; a page needs two thousand of Redis, and some dozens of MongoDB. */
export const DEFAULT_MAX_COMMANDS: Readonly<Record<StoreKind, number | null>> = {
  sqlite: null,
  redis: 20_000,
  mongodb: 1_000,
};

/** Options and the settings they are based on. InvalidInputError names every option, variable or file that is not accepted. */
export function resolveConfiguration({ flags, env, cwd }: OptionsInput): ResolvedConfiguration {
  const reader = new OptionReader(flags, env);
  const app = reader.read("app", accepts.nonEmpty);
  const named = {
    backend: reader.read("backend", accepts.supportedBackend),
    db: reader.read("db", accepts.path),
    url: reader.read("url", accepts.serverUrl),
  };
  const config = reader.read("config", accepts.path);
  const stateDir = reader.read("stateDir", accepts.folder);
  const maxCommands = reader.read("maxCommands", accepts.commandsASecond);
  const own = {
    host: reader.read("host", accepts.host) ?? byDefault(DEFAULT_HOST),
    port: reader.read("port", accepts.port) ?? byDefault(DEFAULT_PORT),
    readOnly: reader.read("readOnly", accepts.boolean) ?? byDefault(false),
    allowActions: reader.read("allowActions", accepts.boolean) ?? byDefault(false),
    ...reader.readToken(cwd),
    onVerdict: reader.read("onVerdict", accepts.commandLine) ?? byDefault(null),
    publicMetrics: reader.read("publicMetrics", accepts.boolean) ?? byDefault(false),
    noStats: reader.read("noStats", accepts.boolean) ?? byDefault(false),
    noCache: reader.read("noCache", accepts.boolean) ?? byDefault(false),
    basePath: reader.read("basePath", accepts.basePath) ?? byDefault(""),
    allowedHosts: reader.read("allowedHost", accepts.hostList) ?? byDefault([]),
    now: reader.read("now", accepts.instant) ?? byDefault(null),
    lockWait: reader.read("lockWait", accepts.seconds) ?? byDefault(DEFAULT_LOCK_WAIT),
    logLevel: reader.read("logLevel", accepts.logLevel) ?? byDefault("info"),
    json: reader.read("json", accepts.boolean) ?? byDefault(false),
    quiet: reader.read("quiet", accepts.boolean) ?? byDefault(false),
    color: reader.read("color", accepts.colorUse) ?? colorOf(env),
    noPager: reader.read("noPager", accepts.boolean) ?? byDefault(false),
  };
  reader.throwProblems();

  const configFile = config && { path: config.value, namedBy: config.origin };
  const sources = { cwd, env, configFile, appInfo: null };
  const { store, settings } = chooseStore(named, (kind, beside) =>
    effectiveSettings({ ...sources, store: kind, ...(beside && { beside }) }),
  );
  const options: ResolvedOptions = {
    app: app ?? configuredApp(settings),
    backend: store.backend,
    url: store.url,
    db: absolute(store.db, cwd),
    config: absolute(config ?? byDefault(null), cwd),
    stateDir: absolute(stateDir ?? byDefault(stateFolder(env)), cwd),
    maxCommands: maxCommands ?? byDefault(DEFAULT_MAX_COMMANDS[store.backend.value]),
    ...own,
  };
  return { options, settings, configFile };
}

function absolute(option: Resolved<string | null>, cwd: string): Resolved<string | null> {
  return option.value === null ? option : { ...option, value: resolve(cwd, option.value) };
}

/** https://no-color.org: any non-empty value counts. Build servers whose logs show colours set FORCE_COLOR. */
function colorOf(env: Environment): Resolved<accepts.ColorUse> {
  if (env.NO_COLOR) return { value: "never", origin: "NO_COLOR" };
  const forced = env.FORCE_COLOR;
  if (!forced) return byDefault("auto");
  return { value: ["0", "false"].includes(forced) ? "never" : "always", origin: "FORCE_COLOR" };
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
  read<T>(name: keyof GivenFlags, check: accepts.Check<T>): Resolved<T> | null {
    const given = this.#given(name);
    if (!given) return null;
    const checked = check(given.value);
    const shown = name === "url" ? maskAddress : maskText;
    if (!(checked instanceof accepts.Refusal)) return { value: checked, origin: given.origin };
    this.#problems.push({ parameter: given.origin, value: shown(given.value), accepted: checked.accepted });
    return null;
  }

  /** A flag overrides the variables. Errors never repeat the given token. */
  readToken(cwd: string): Pick<ResolvedOptions, "token" | "tokenFile" | "noToken"> {
    const noToken = this.read("noToken", accepts.boolean) ?? byDefault(false);
    const none = { token: byDefault<"none">("none"), tokenFile: byDefault(null), noToken };
    if (noToken.origin === "--no-token") return none;
    const given = this.#given("token");
    const file = this.read("tokenFile", accepts.path);
    const byFlag = given?.origin === "--token";
    if (file !== null && !byFlag) return { ...none, tokenFile: absolute(file, cwd) };
    if (given === null) return none;
    if (given.value.trim() === "auto") return { ...none, token: { value: "auto", origin: given.origin } };
    if (byFlag) this.#refuse(given.origin, accepts.MASK, accepts.ONLY_AUTO);
    else if (!accepts.isToken(given.value.trim())) this.#refuse(given.origin, accepts.MASK, accepts.TOKEN_RULE);
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

/** Whether failures are printed as JSON, including invalid options. An invalid value of the variable counts as no. */
export function wantsJson(flag: boolean | undefined, env: Environment): boolean {
  return flag ?? accepts.BOOLEAN_WORDS.get((env.PYNENC_MONITOR_JSON ?? "").trim().toLowerCase()) ?? false;
}
