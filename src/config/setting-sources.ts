/** Where a setting of pynenc is looked for, and in which order. */
import { parseTaskKey } from "../pynenc/identifiers.ts";
import type { AppInfoRecord } from "../pynenc/records.ts";
import { SETTINGS } from "../pynenc/settings.ts";
import { type ConfigFile, isTable, loadConfigFile, type NamedFile } from "./config-files.ts";

/** Components that keep their data in a store, by the names that `stores/ports/common.ts` uses. */
export type DatabaseComponent = "broker" | "orchestrator" | "state_backend" | "client_data_store" | "trigger";

/** Kinds of store that keep all components of an app. */
export type StoreKind = "sqlite" | ServerKind;

/** Those that are servers. */
export type ServerKind = "redis" | "mongodb";

/** The class that defines the settings of a component, whatever its kind of store. */
export const GENERAL_CLASSES: Readonly<Record<DatabaseComponent, string>> = {
  broker: "ConfigBroker",
  orchestrator: "ConfigOrchestrator",
  state_backend: "ConfigStateBackend",
  client_data_store: "ConfigClientDataStore",
  trigger: "ConfigTrigger",
};

export const DATABASE_COMPONENTS = Object.keys(GENERAL_CLASSES) as readonly DatabaseComponent[];

/** Suffix of the class names for a kind of store; `Config` plus the suffix is the class of the address settings. */
export const CLASS_ENDINGS: Readonly<Record<StoreKind, string>> = {
  sqlite: "SQLite",
  redis: "Redis",
  mongodb: "Mongo",
};

/** The class with the address settings that a kind of store adds to each component. */
export function addressClassOf(kind: StoreKind): string {
  return `Config${CLASS_ENDINGS[kind]}`;
}

/** The class that an app with this kind of store instantiates for a component. */
export function componentClassOf(component: DatabaseComponent, kind: StoreKind): string {
  return `${GENERAL_CLASSES[component]}${CLASS_ENDINGS[kind]}`;
}

/** The class with the address of a queue outside the store, and the broker that instantiates it (storage-format.md 10). */
export const QUEUE_CLASS = "ConfigRabbitMq";
export const BROKER_OF_QUEUE = "ConfigBrokerRabbitMq";

/** Environment variables, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_ORIGIN = "default";

/** Direct parents in Python's order; classes that are not listed have none. Parents are resolved first, in this order. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    (Object.keys(CLASS_ENDINGS) as StoreKind[]).flatMap((kind) =>
      DATABASE_COMPONENTS.map((component) => [
        componentClassOf(component, kind),
        [GENERAL_CLASSES[component], addressClassOf(kind)],
      ]),
    ),
  ),
  [BROKER_OF_QUEUE]: [GENERAL_CLASSES.broker, QUEUE_CLASS],
  ConfigThreadRunner: ["ConfigRunner"],
  ConfigMultiThreadRunner: ["ConfigThreadRunner"],
  ConfigPersistentProcessRunner: ["ConfigRunner"],
};

export interface SettingsInput {
  /** Directory of the pyproject.toml; relative paths of configuration files start here. */
  cwd: string;
  env: Environment;
  /** The configuration file of the app; for the monitor, `--config`. */
  configFile: NamedFile | null;
  /**
   * Only its `config_values` are used. Its `config_filepath` is ignored: it comes from a store and may belong to another machine;
   * `--config` names the file.
   */
  appInfo: Pick<AppInfoRecord, "config_values"> | null;
  /** The kind of store, which decides which classes the app instantiates. Default: SQLite. */
  store?: StoreKind;
  /** Components in another kind of store. */
  beside?: ReadonlyMap<DatabaseComponent, StoreKind>;
}

/** A dictionary of settings: config_values or a file. */
interface Source {
  /**
   * pynenc tracks by this name whose plain keys were applied. The files of all `PYNENC__<CONFIGCLASS>__FILEPATH` share one name,
   * so a plain key in a child's file is ignored if a parent's file has it.
   */
  slot: "config_values" | "pyproject" | "config_file" | "env_file" | "env_class_file";
  values: Readonly<Record<string, unknown>>;
  /** Origin of a plain key, and of a key in a section. */
  origin(section: string | null): string;
}

interface Found {
  raw: unknown;
  origin: string;
}

/** A class in which a field is looked up. */
interface Stage {
  name: string;
  section: string;
  fields: ReadonlySet<string>;
}

/** Looks up fields in the sources. Reads them on construction, and files of single classes when they are needed. */
export class FieldResolver {
  readonly #input: SettingsInput;
  readonly #commonSources: readonly Source[];
  readonly #classSources = new Map<string, Source | null>();
  readonly #stages = new Map<string, readonly Stage[]>();

  constructor(input: SettingsInput) {
    this.#input = input;
    const envFile = namedByVariable("PYNENC__FILEPATH", input.env);
    this.#commonSources = [
      appInfoSource(input.appInfo),
      this.#fileSource("pyproject", { path: "pyproject.toml", namedBy: null }),
      input.configFile && this.#fileSource("config_file", input.configFile),
      envFile && this.#fileSource("env_file", envFile),
    ].filter((source) => source !== null);
  }

  /**
   * The last hit wins, over the stages of the class (its ancestors, then itself) and the sources within a stage. A later stage
   * overrides everything an earlier one found, whichever source it came from.
   *
   * @param task key of the task that instantiates the class: its own settings count too. Plain keys of `config_values` do not, because the
   * options in the task's code are merged with them, while sections override those options.
   */
  resolve(field: string, configClass: string, task: string | null = null): Found | null {
    const plainKeysApplied = new Set<Source["slot"]>();
    let found: Found | null = null;
    for (const { name: stage, section, fields } of this.#stagesOf(configClass)) {
      for (const source of this.#sourcesOf(stage)) {
        const ofCode = task !== null && source.slot === "config_values";
        if (!ofCode && !plainKeysApplied.has(source.slot) && Object.hasOwn(source.values, field)) {
          plainKeysApplied.add(source.slot);
          found = { raw: source.values[field], origin: source.origin(null) };
        }
        found = inSection(source, section, field) ?? found;
        if (task !== null) found = inTaskSection(source, section, task, field) ?? found;
      }
      if (fields.has(field)) found = inEnvironment(this.#input.env, stage, field, task) ?? found;
    }
    return found;
  }

  /** Asked for every setting of a class. */
  #stagesOf(configClass: string): readonly Stage[] {
    let stages = this.#stages.get(configClass);
    if (stages === undefined) {
      stages = stagesOf(configClass).map((name) => ({ name, section: sectionOf(name), fields: fieldsOf(name) }));
      this.#stages.set(configClass, stages);
    }
    return stages;
  }

  #sourcesOf(configClass: string): readonly Source[] {
    let own = this.#classSources.get(configClass);
    if (own === undefined) {
      const file = namedByVariable(`PYNENC__${configClass.toUpperCase()}__FILEPATH`, this.#input.env);
      own = file && this.#fileSource("env_class_file", file);
      this.#classSources.set(configClass, own);
    }
    return own ? [...this.#commonSources, own] : this.#commonSources;
  }

  #fileSource(slot: Source["slot"], named: NamedFile): Source | null {
    const file = loadConfigFile(named, this.#input.cwd);
    return file && { slot, values: file.values, origin: (section) => fileOrigin(file, section) };
  }
}

function appInfoSource(appInfo: SettingsInput["appInfo"]): Source | null {
  const values = appInfo?.config_values;
  if (!isTable(values)) return null;
  return { slot: "config_values", values, origin: (section) => (section ? `app_info [${section}]` : "app_info") };
}

function inSection(source: Source, section: string, field: string): Found | null {
  const table = Object.hasOwn(source.values, section) ? source.values[section] : null;
  // A plain key may have the name of a section; pynenc ignores it if it is not a table.
  if (!isTable(table) || !Object.hasOwn(table, field)) return null;
  return { raw: table[field], origin: source.origin(section) };
}

/** The section of one task lies within the section of all tasks: `[task."module.func"]`. */
function inTaskSection(source: Source, section: string, task: string, field: string): Found | null {
  const ofAll = Object.hasOwn(source.values, section) ? source.values[section] : null;
  const table = isTable(ofAll) && Object.hasOwn(ofAll, task) ? ofAll[task] : null;
  if (!isTable(table) || !Object.hasOwn(table, field)) return null;
  return { raw: table[field], origin: source.origin(`${section}."${task}"`) };
}

/**
 * The variable of the task overrides that of the class, which overrides the general one. An empty variable counts: pynenc only checks whether it is
 * set.
 */
function inEnvironment(env: Environment, configClass: string, field: string, task: string | null): Found | null {
  const general = `PYNENC__${field.toUpperCase()}`;
  const ofClass = `PYNENC__${configClass.toUpperCase()}__${field.toUpperCase()}`;
  const parts = task === null ? null : parseTaskKey(task);
  const ofTask =
    parts === null ? [] : [`PYNENC__${configClass}__${parts.module}#${parts.func}__${field}`.toUpperCase()];
  for (const name of [...ofTask, ofClass, general]) {
    const raw = env[name];
    if (raw !== undefined) return { raw, origin: name };
  }
  return null;
}

/** An empty FILEPATH variable names no file. */
function namedByVariable(name: string, env: Environment): NamedFile | null {
  const path = env[name];
  return path ? { path, namedBy: name } : null;
}

function fileOrigin(file: ConfigFile, section: string | null): string {
  const table = file.pyproject ? ["tool", "pynenc", ...(section ? [section] : [])].join(".") : section;
  const place = table ? `${file.shown} [${table}]` : file.shown;
  return file.namedBy ? `${place} (${file.namedBy})` : place;
}

/** Section of a class: its name without `Config`, in lower case. */
export function sectionOf(configClass: string): string {
  return configClass.replaceAll("Config", "").toLowerCase();
}

/** The ancestors of the class, then the class, in the order in which pynenc resolves them. */
function stagesOf(configClass: string): readonly string[] {
  return [...(PARENTS[configClass] ?? []).flatMap(stagesOf), configClass];
}

/** Fields that the class defines or inherits: pynenc reads variables only for those. */
function fieldsOf(configClass: string): ReadonlySet<string> {
  const lineage = stagesOf(configClass);
  return new Set(SETTINGS.filter((one) => lineage.includes(one.config_class)).map(({ field }) => field));
}
