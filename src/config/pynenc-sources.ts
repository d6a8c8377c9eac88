import { coerceSetting } from "../pynenc/setting-checks.ts";
import { SETTINGS, type SettingDefinition } from "../pynenc/settings.ts";
import {
  addressClassOf,
  BROKER_OF_QUEUE,
  CLASS_ENDINGS,
  componentClassOf,
  DATABASE_COMPONENTS,
  type DatabaseComponent,
  DEFAULT_ORIGIN,
  FieldResolver,
  GENERAL_CLASSES,
  QUEUE_CLASS,
  type SettingsInput,
  type StoreKind,
} from "./setting-sources.ts";

/** One setting and where it comes from. */
export interface SettingValue {
  field: string;
  /** Class whose value this is: `ConfigPynenc`, `ConfigBrokerSQLite`. */
  config_class: string;
  /** Converted to the kind of the setting; not masked. */
  value: unknown;
  /** For people: `PYNENC__SQLITE_DB_PATH`, `pyproject.toml [tool.pynenc.sqlite]`, `app_info`, `default`. */
  origin: string;
  /** What is suspicious about the value, such as the text `false`, which pynenc treats as true. */
  warning: string | null;
}

const ADDRESS_CLASSES = (Object.keys(CLASS_ENDINGS) as StoreKind[]).map(addressClassOf);

/** The class of task settings, which each task instantiates with its own options. */
const TASK_CLASS = "ConfigTask";

/** Address settings by field: `sqlite_db_path`, or `redis_url` and the like. */
export type AddressSettings = ReadonlyMap<string, SettingValue>;

/** All settings, looked up by `field` or, where a field exists in several sections, by `section.field`. */
export class EffectiveSettings implements Iterable<SettingValue> {
  readonly #byName = new Map<string, SettingValue>();
  readonly #ordered: readonly SettingValue[];
  /** The kind of store of the app's components but for those that are `beside`. */
  readonly store: StoreKind;
  readonly beside: ReadonlyMap<DatabaseComponent, StoreKind>;
  readonly #addresses: Readonly<Record<StoreKind, ReadonlyMap<DatabaseComponent, AddressSettings>>>;
  readonly #ofTask: (taskIdKey: string, field: string) => SettingValue | null;

  constructor(
    values: readonly { section: string; setting: SettingValue }[],
    { store, beside }: Pick<EffectiveSettings, "store" | "beside">,
    addresses: Readonly<Record<StoreKind, ReadonlyMap<DatabaseComponent, AddressSettings>>>,
    ofTask: (taskIdKey: string, field: string) => SettingValue | null,
  ) {
    this.#ordered = values.map(({ setting }) => setting);
    this.store = store;
    this.beside = beside;
    this.#addresses = addresses;
    this.#ofTask = ofTask;
    for (const { section, setting } of values) {
      this.#byName.set(`${section}.${setting.field}`, setting);
      if (!this.#byName.has(setting.field)) this.#byName.set(setting.field, setting);
    }
  }

  /** The configured location of each component for this kind of store. */
  addresses(kind: StoreKind): ReadonlyMap<DatabaseComponent, AddressSettings> {
    return this.#addresses[kind];
  }

  /** The kind of store that keeps a component. */
  kindOf(component: DatabaseComponent): StoreKind {
    return this.beside.get(component) ?? this.store;
  }

  get(name: string): SettingValue | undefined {
    return this.#byName.get(name);
  }

  /**
   * A setting of one task according to files, variables and the sections that the app registered, or null if they do not set it: then the code
   * of the task or the app decides, which is not known here.
   */
  ofTask(taskIdKey: string, field: string): SettingValue | null {
    return this.#ofTask(taskIdKey, field);
  }

  /** In the order of SETTINGS. */
  [Symbol.iterator](): Iterator<SettingValue> {
    return this.#ordered[Symbol.iterator]();
  }

  /** Plain values by `field` and by `section.field`, the input of `validateSettings`. */
  values(): ReadonlyMap<string, unknown> {
    return new Map([...this.#byName].map(([name, setting]) => [name, setting.value]));
  }
}

/** Reads every source once and resolves all settings. InvalidInputError if a configuration file cannot be used. */
export function effectiveSettings(input: SettingsInput): EffectiveSettings {
  const { store = "sqlite", beside = new Map() } = input;
  const resolver = new FieldResolver(input);
  const instantiated = new Map([
    ...DATABASE_COMPONENTS.map(
      (component) => [GENERAL_CLASSES[component], componentClassOf(component, beside.get(component) ?? store)] as const,
    ),
    [QUEUE_CLASS, BROKER_OF_QUEUE],
  ]);
  const values = SETTINGS.map((definition) => {
    const configClass = instantiated.get(definition.config_class) ?? definition.config_class;
    return { section: definition.section, setting: settingValue(definition, configClass, resolver) };
  });
  const addresses = {
    sqlite: addressSettings("sqlite", resolver),
    redis: addressSettings("redis", resolver),
    mongodb: addressSettings("mongodb", resolver),
  };
  return new EffectiveSettings(values, { store, beside }, addresses, (task, field) =>
    taskSetting(task, field, resolver),
  );
}

function taskSetting(task: string, field: string, resolver: FieldResolver): SettingValue | null {
  const definition = SETTINGS.find((setting) => setting.config_class === TASK_CLASS && setting.field === field);
  const found = resolver.resolve(field, TASK_CLASS, task);
  if (definition === undefined || found === null) return null;
  return { field, config_class: TASK_CLASS, ...coerceSetting(definition, found.raw), origin: found.origin };
}

function addressSettings(kind: StoreKind, resolver: FieldResolver): ReadonlyMap<DatabaseComponent, AddressSettings> {
  const definitions = SETTINGS.filter(({ config_class }) => config_class === addressClassOf(kind));
  return new Map(
    DATABASE_COMPONENTS.map((component) => {
      const configClass = componentClassOf(component, kind);
      return [
        component,
        new Map(definitions.map((found) => [found.field, settingValue(found, configClass, resolver)])),
      ] as const;
    }),
  );
}

/** Whether the setting is part of the address of a kind of store that is not in use. */
export function isForeignAddress(definition: SettingDefinition, { store, beside }: EffectiveSettings): boolean {
  const used = [store, ...beside.values()].map(addressClassOf);
  return ADDRESS_CLASSES.includes(definition.config_class) && !used.includes(definition.config_class);
}

function settingValue(definition: SettingDefinition, configClass: string, resolver: FieldResolver): SettingValue {
  const found = resolver.resolve(definition.field, configClass);
  const identity = { field: definition.field, config_class: configClass };
  if (!found) return { ...identity, value: definition.default, origin: DEFAULT_ORIGIN, warning: null };
  return { ...identity, ...coerceSetting(definition, found.raw), origin: found.origin };
}
