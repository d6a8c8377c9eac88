/** Which store the options and settings name. */
import { resolve } from "node:path";
import { InvalidInputError } from "../errors.ts";
import { componentClasses, namedStore } from "./component-kinds.ts";
import { maskAddress } from "./masking.ts";
import type { AddressSettings, EffectiveSettings, SettingValue } from "./pynenc-sources.ts";
import { configuredServer, serverKindOf } from "./server-kinds.ts";
import { type DatabaseComponent, DEFAULT_ORIGIN, type StoreKind } from "./setting-sources.ts";

/** A value and where it comes from: `--port`, `PYNENC_MONITOR_PORT`, a setting's origin, or `default`. */
export interface Resolved<T> {
  value: T;
  origin: string;
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
export function chooseStore(
  named: NamedStore,
  settingsFor: (kind: StoreKind, beside?: EffectiveSettings["beside"]) => EffectiveSettings,
): { store: ChosenStore; settings: EffectiveSettings } {
  const { backend, db, url } = withoutOverruled(named);
  if (db && url)
    throw conflict(url, maskAddress(url.value), `it names a different store than ${db.origin}; use only one of them`);
  const located = kindOfLocation(db, url);
  if (backend && located && backend.value !== located) {
    throw conflict(backend, backend.value, `${(db ?? url)?.origin} names a ${located} store`);
  }
  const general = settingsFor("sqlite");
  const location = db ?? url;
  const given = backend ?? (location && located ? { value: located, origin: location.origin } : null);
  const { beside, ...kind }: ConfiguredStore = given ?? configuredStore(general);
  const settings = kind.value === general.store && !beside?.size ? general : settingsFor(kind.value, beside);
  const file = kind.value === "sqlite" ? configuredDatabase(settings) : byDefault(null);
  return { store: { backend: kind, db: db ?? file, url: url ?? byDefault(null) }, settings };
}

function kindOfLocation(db: Resolved<string> | null, url: Resolved<string> | null): StoreKind | null {
  if (db !== null) return "sqlite";
  return url === null ? null : serverKindOf(url.value);
}

/** A flag overrides every variable that selects another store: `--db` opens a file whatever PYNENC_MONITOR_URL says. */
function withoutOverruled({ backend, db, url }: NamedStore): NamedStore {
  const byFlag = (option: Resolved<unknown> | null) => option?.origin.startsWith("--") === true;
  const kindOfFlag =
    kindOfLocation(byFlag(db) ? db : null, byFlag(url) ? url : null) ?? (byFlag(backend) ? backend?.value : undefined);
  if (kindOfFlag === undefined) return { backend, db, url };
  return {
    backend: byFlag(backend) || backend?.value === kindOfFlag ? backend : null,
    db: byFlag(db) || kindOfFlag === "sqlite" ? db : null,
    url: byFlag(url) || kindOfFlag === kindOfLocation(null, url) ? url : null,
  };
}

/** A kind of store, and the components that are in another. */
type ConfiguredStore = Resolved<StoreKind> & { beside?: EffectiveSettings["beside"] };

/** The kind of store according to pynenc's settings. */
function configuredStore(settings: EffectiveSettings): ConfiguredStore {
  const named = namedStore(componentClasses(settings));
  if (named) {
    const { leading, beside } = named;
    return { value: leading.kind, origin: `${leading.field} (${leading.origin})`, beside };
  }
  const server = configuredServer(settings);
  const fileNamed = [...settings.addresses("sqlite").values()].some((address) => namesFile(databasePath(address)));
  return server === null || fileNamed ? byDefault("sqlite") : { value: server.kind, origin: server.origin };
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
    if (settings.kindOf(component) === "sqlite" && namesFile(setting))
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
  const named = [...settings.addresses("sqlite")]
    .filter(([component]) => settings.kindOf(component) === "sqlite")
    .map(([, address]) => databasePath(address))
    .filter(namesFile);
  const [first] = named;
  const agree = named.every((setting) => setting.value === first?.value);
  return first && agree ? { value: String(first.value), origin: first.origin } : byDefault(null);
}

export function configuredApp(settings: EffectiveSettings): Resolved<string | null> {
  const setting = settings.get("app_id");
  // The default app id identifies no app: every unconfigured process has it (storage-format.md 12.4).
  if (!setting || setting.origin === DEFAULT_ORIGIN) return byDefault(null);
  return { value: String(setting.value), origin: setting.origin };
}

export function byDefault<T>(value: T): Resolved<T> {
  return { value, origin: DEFAULT_ORIGIN };
}
