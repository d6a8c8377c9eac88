/** Finds the store to open and says how it was found, or what was tried. Looks at names and first bytes of files; opens nothing. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { StoreUnreachableError } from "../errors.ts";
import { linkTarget, NON_BLOCKING } from "../regular-file.ts";
import { byDefault, configuredDatabases, type Resolved } from "./chosen-store.ts";
import { mongoEndpoints, type NamedMongoEndpoint } from "./mongo-address.ts";
import type { ResolvedOptions } from "./options.ts";
import type { EffectiveSettings } from "./pynenc-sources.ts";
import { redisEndpoints } from "./redis-address.ts";
import type { EndpointsBy, NamedEndpoint } from "./server-address.ts";
import { DATABASE_COMPONENTS, type DatabaseComponent, DEFAULT_ORIGIN, type StoreKind } from "./setting-sources.ts";
import { shellFileName } from "./shell-word.ts";

/** A database file and where it is named. */
export interface DatabaseFile {
  /** Absolute. */
  path: string;
  /** `--db`, a setting's origin, or `the only SQLite file in <directory>`. */
  origin: string;
}

/** Files on this machine. */
interface FileDiscovery {
  kind: "sqlite";
  /** How the store was found. */
  origin: string;
  /** The file to open; if there are several, the one that lists the apps. */
  db: DatabaseFile;
  /**
   * Set when pynenc's settings keep components in different files. A component that is missing here has no file of its own yet, or
   * keeps its data elsewhere.
   */
  components: ReadonlyMap<DatabaseComponent, DatabaseFile> | null;
  /** Every place that was searched, one sentence each. */
  tried: string[];
}

/** Servers; usually one for all components. */
type ServerDiscovery = { origin: string; tried: string[] } & FoundServers;

type FoundServers =
  | { kind: "redis"; endpoints: EndpointsBy<NamedEndpoint> }
  | { kind: "mongodb"; endpoints: EndpointsBy<NamedMongoEndpoint> };

/** One store, whether or not others keep some components. */
export type FoundStore = FileDiscovery | ServerDiscovery;

/** Components and the store that keeps them. */
interface StoreBeside {
  keeps: readonly DatabaseComponent[];
  found: FoundStore;
}

/** The store of the state backend, and other kinds of store that keep some of the components. */
export type Discovery = FoundStore & { beside?: readonly StoreBeside[] };

/** Every file of the store, also those that SQLite keeps beside a database at times. They have the name that links lead to. None for servers. */
export function storeFiles({ beside = [], ...found }: Discovery): string[] {
  return [found, ...beside.map((one) => one.found)].flatMap(filesOf);
}

function filesOf(found: FoundStore): string[] {
  if (found.kind !== "sqlite") return [];
  const databases = [found.db, ...(found.components?.values() ?? [])];
  const names = databases.flatMap(({ path }) => [path, linkTarget(path)]);
  return names.flatMap((name) => ["", "-wal", "-shm", "-journal"].map((end) => name + end));
}

const EXTENSIONS = [".db", ".sqlite", ".sqlite3"];
const MAX_LISTED = 20;
const NAME_ONE = "Name the file: --db path/to/app.db";
const HINT_NOTHING = `${NAME_ONE}\nOr the server: monitor serve --url redis://host:6379/0 (or mongodb://host:27017)\nOr look at an example: monitor demo`;

/**
 * The store to open: what the options name, else what pynenc's settings name, else the only SQLite file in `cwd`. StoreUnreachableError
 * otherwise, and for a file that is named but cannot be used: a search would then open something other than requested. Whether a
 * server responds is only known at the first read.
 */
export function discoverStore(input: DiscoveryInput): Discovery {
  const { settings } = input;
  const found = discoverOne(input);
  if (settings.beside.size === 0) return found;
  const beside = [...new Set(settings.beside.values())].map((value) => {
    const keeps = keptIn(value, settings);
    const field = `${keeps[0]}_cls`;
    const backend = { value, origin: `${field} (${settings.get(field)?.origin})` };
    const none = byDefault(null);
    return { keeps, found: discoverOne({ ...input, options: { backend, db: none, url: none } }) };
  });
  const tried = new Set([found, ...beside.map((one) => one.found)].flatMap((one) => one.tried));
  return { ...found, tried: [...tried], beside };
}

/** The components that this kind of store keeps. */
export function keptIn(kind: StoreKind, settings: EffectiveSettings): DatabaseComponent[] {
  return DATABASE_COMPONENTS.filter((component) => settings.beside.size === 0 || settings.kindOf(component) === kind);
}

function discoverOne(input: DiscoveryInput): FoundStore {
  return input.options.backend.value === "sqlite" ? discoverFiles(input) : discoverServers(input);
}

interface DiscoveryInput {
  options: Pick<ResolvedOptions, "backend" | "db" | "url">;
  settings: EffectiveSettings;
  cwd: string;
}

const NO_OPTION = "--db, --url and their variables: not set";

function discoverServers({ options: { backend, url }, settings }: DiscoveryInput): ServerDiscovery {
  const given = url.value === null ? null : { url: url.value, origin: url.origin };
  const found: FoundServers =
    backend.value === "mongodb"
      ? { kind: "mongodb", endpoints: endpointsOfKept(mongoEndpoints(settings, given), "mongodb", settings) }
      : { kind: "redis", endpoints: endpointsOfKept(redisEndpoints(settings, given), "redis", settings) };
  if (given !== null) {
    const { location } = found.endpoints.state_backend;
    return { ...found, origin: given.origin, tried: [`${given.origin}: ${location}`] };
  }
  const places = keptIn(backend.value, settings).map((component) => {
    const { location, origin } = found.endpoints[component];
    return `${component}: ${location} (${origin})`;
  });
  const { origin } = found.endpoints.state_backend;
  return {
    ...found,
    // A default address is explained by whatever chose the kind of store.
    origin: origin === DEFAULT_ORIGIN ? `${backend.origin}, default address` : origin,
    tried: [NO_OPTION, `${backend.origin}: ${backend.value}`, ...places],
  };
}

/** Nothing is asked of a server that keeps no component. */
function endpointsOfKept<Endpoint>(
  endpoints: EndpointsBy<Endpoint>,
  kind: StoreKind,
  settings: EffectiveSettings,
): EndpointsBy<Endpoint> {
  const kept = keptIn(kind, settings);
  const [first = "state_backend"] = kept;
  const named = DATABASE_COMPONENTS.map((one) => [one, endpoints[kept.includes(one) ? one : first]] as const);
  return Object.fromEntries(named) as EndpointsBy<Endpoint>;
}

function discoverFiles({ options, settings, cwd }: DiscoveryInput): FileDiscovery {
  if (options.db.value !== null) {
    const db = { path: options.db.value, origin: options.db.origin };
    checkDatabaseFile(db);
    return { kind: "sqlite", origin: db.origin, db, components: null, tried: [`${db.origin}: ${db.path}`] };
  }
  const tried = [NO_OPTION];
  const named = configuredDatabases(settings, cwd);
  if (named.size > 0) return discoverByComponent(named, tried);
  tried.push("sqlite_db_path in pynenc's configuration (pyproject.toml, files, PYNENC__ variables): not set");
  const db = onlyDatabaseIn(cwd, tried);
  return { kind: "sqlite", origin: db.origin, db, components: null, tried };
}

/** The app registry is a table of the state backend (storage-format.md 12.4), so its file comes first. */
const PREFERENCE: readonly DatabaseComponent[] = [
  "state_backend",
  ...DATABASE_COMPONENTS.filter((component) => component !== "state_backend"),
];

function discoverByComponent(named: ReadonlyMap<DatabaseComponent, Resolved<string>>, tried: string[]): FileDiscovery {
  const components = new Map<DatabaseComponent, DatabaseFile>();
  for (const component of PREFERENCE) {
    const setting = named.get(component);
    if (!setting) continue;
    const file = { path: setting.value, origin: setting.origin };
    tried.push(`${component}: ${file.path} (${file.origin})`);
    // A component that was never used may have no file yet, but the first file must exist.
    if (isUsable(file, components.size > 0)) components.set(component, file);
    else tried.push(`${component}: the file does not exist yet`);
  }
  const [db] = components.values();
  if (!db) throw new Error("a named component must be usable or refused");
  const severalFiles = new Set([...components.values()].map((file) => file.path)).size > 1;
  return { kind: "sqlite", origin: db.origin, db, components: severalFiles ? components : null, tried };
}

function isUsable(file: DatabaseFile, mayBeMissing: boolean): boolean {
  try {
    checkDatabaseFile(file);
    return true;
  } catch (error) {
    if (mayBeMissing && error instanceof StoreUnreachableError && error.reason === "missing") return false;
    throw error;
  }
}

function onlyDatabaseIn(directory: string, tried: string[]): DatabaseFile {
  const place = `*${EXTENSIONS.join(", *")} in ${directory}`;
  const candidates: string[] = [];
  const others: string[] = [];
  for (const path of namesLikeDatabases(directory)) {
    const problem = databaseFileProblem(path);
    if (problem) others.push(`${basename(path)}: ${problem.message}`);
    else candidates.push(path);
  }
  tried.push(candidates.length === 0 ? `${place}: none` : `${place}: ${candidates.length}`, ...others);
  const [only, ...more] = candidates;
  if (only === undefined) {
    throw new StoreUnreachableError("missing", `No database was found. Tried:\n${list(tried)}`, HINT_NOTHING);
  }
  if (more.length > 0) {
    throw new StoreUnreachableError(
      "missing",
      `There are several databases in ${directory}, and nothing says which one to open:\n${list(candidates.map((path) => basename(path)))}`,
      `Choose one, for example: --db ${shellFileName(basename(only))}`,
    );
  }
  return { path: only, origin: `the only SQLite file in ${directory}` };
}

/** Whether a folder has a file that may be an SQLite database. */
export function holdsDatabase(folder: string): boolean {
  try {
    return namesLikeDatabases(folder).some((path) => databaseFileProblem(path) === null);
  } catch {
    return false;
  }
}

function namesLikeDatabases(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => EXTENSIONS.includes(extname(name).toLowerCase()))
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    throw unreachable({ path: directory, origin: "current directory" }, problemOfError(error));
  }
}

/** Throws StoreUnreachableError with a reason and a message if the file cannot be an SQLite database. */
function checkDatabaseFile(file: DatabaseFile): void {
  const problem = databaseFileProblem(file.path);
  if (problem) throw unreachable(file, problem);
}

export interface FileProblem {
  reason: StoreUnreachableError["reason"];
  /** Follows `<path>: `. */
  message: string;
  hint: string;
  cause?: unknown;
}

function unreachable(file: DatabaseFile, problem: FileProblem): StoreUnreachableError {
  const origin = file.origin === DEFAULT_ORIGIN ? "" : ` (named by ${file.origin})`;
  return new StoreUnreachableError(problem.reason, `${file.path}: ${problem.message}${origin}`, problem.hint, {
    cause: problem.cause,
  });
}

/** `SQLite format 3` and a NUL: how every database file starts. */
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");

/** What is wrong with the path as an SQLite file, or null. */
export function databaseFileProblem(path: string): FileProblem | null {
  try {
    // Non-blocking: opening a pipe would otherwise wait for a writer.
    const descriptor = openSync(path, constants.O_RDONLY | NON_BLOCKING);
    try {
      return problemOfOpened(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return problemOfError(error);
  }
}

function problemOfOpened(descriptor: number): FileProblem | null {
  const stat = fstatSync(descriptor);
  if (stat.isDirectory()) return notADatabase("this is a directory, not a database file");
  if (!stat.isFile()) return notADatabase("this is not a regular file");
  if (stat.size === 0) {
    return notADatabase(
      "this file is empty; no pynenc process has written to it yet",
      "Start the app and try again, or name another file with --db.",
    );
  }
  const head = Buffer.alloc(MAGIC.length);
  const length = readSync(descriptor, head, 0, head.length, 0);
  return length === head.length && head.equals(MAGIC) ? null : notADatabase("this is not an SQLite file");
}

function notADatabase(message: string, hint = NAME_ONE): FileProblem {
  return { reason: "not-a-database", message, hint };
}

/** Maps an error of node:fs to a reason; exported because tests that run as root cannot provoke all of them. */
export function problemOfError(error: unknown): FileProblem {
  const code = (error as NodeJS.ErrnoException).code;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return {
        reason: "missing",
        message: "this file does not exist",
        hint: `Start the app once, so that pynenc creates it, or name another file: --db path/to/app.db`,
        cause: error,
      };
    case "EACCES":
    case "EPERM":
      return {
        reason: "no-permission",
        message: "there is no permission to read it",
        hint: "Run the monitor as the user who runs the app, or give this user read access to the file and its directory.",
        cause: error,
      };
    default:
      return {
        reason: "failed",
        message: `it cannot be opened (${code ?? String(error)})`,
        hint: NAME_ONE,
        cause: error,
      };
  }
}

function list(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${line}`);
  if (lines.length > MAX_LISTED) shown.push(`  … and ${lines.length - MAX_LISTED} more`);
  return shown.join("\n");
}
