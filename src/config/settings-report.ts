/** The report of `monitor config`: every setting and option with its origin, and settings that pynenc cannot work with. */
import type { ConfigSetting, OptionRow, SettingGroup, SettingProblem, SettingsReport } from "../api/config.ts";
import { InvalidInputError } from "../errors.ts";
import { validateSettings } from "../pynenc/setting-checks.ts";
import { SETTINGS, type SettingDefinition } from "../pynenc/settings.ts";
import { isoFromEpoch } from "../pynenc/time.ts";
import type { Resolved } from "./chosen-store.ts";
import { maskText } from "./masked-text.ts";
import { maskSecrets } from "./masking.ts";
import type { ResolvedOptions } from "./options.ts";
import { type AddressSettings, type EffectiveSettings, isForeignAddress, type SettingValue } from "./pynenc-sources.ts";
import { DATABASE_COMPONENTS, DEFAULT_ORIGIN, sectionOf } from "./setting-sources.ts";

/** Plain data, masked, in the order of SETTINGS; the locations of the five components come last. */
export function settingsReport(input: { options: ResolvedOptions; settings: EffectiveSettings }): SettingsReport {
  return {
    groups: [...definedGroups(input.settings), ...addressGroups(input.settings)],
    options: optionRows(input.options),
    problems: settingProblems(input.settings),
  };
}

/**
 * Refuses an app whose trigger configuration could never make progress; called when the app is opened, with its app_info among the sources.
 * InvalidInputError names each setting, its value, its origin and what is accepted. Other problems only appear in the report: a
 * recovery schedule that never fires is a reason to inspect the app, not to refuse it.
 */
export function assertProgressing(settings: EffectiveSettings): void {
  const problems = settingProblems(settings).filter(({ setting }) => TRIGGER_SETTINGS.has(setting));
  if (problems.length === 0) return;
  throw new InvalidInputError(
    problems.map(({ setting, value, origin, accepted }) => ({
      parameter: `${setting} (${origin})`,
      value: typeof value === "string" ? value : JSON.stringify(value),
      accepted,
    })),
    "With this configuration triggers can never run. Correct the setting where it is set, and start again.",
  );
}

/** Triggers are processed inside the atomic service, so its timing is part of their configuration (storage-format.md 6.2, 12.2). */
const TRIGGER_SETTINGS: ReadonlySet<string> = new Set(
  SETTINGS.filter(({ section, field }) => section === "trigger" || field.startsWith("atomic_service_")).map(
    ({ field }) => field,
  ),
);

/** The problems that `validateSettings` finds, with origins. */
export function settingProblems(settings: EffectiveSettings): SettingProblem[] {
  return validateSettings(settings.values()).map(({ field, value, accepted }) => ({
    setting: field,
    value: maskSecrets(field, value),
    origin: settings.get(field)?.origin ?? DEFAULT_ORIGIN,
    accepted,
  }));
}

function definedGroups(settings: EffectiveSettings): SettingGroup[] {
  const groups = new Map<string, SettingGroup>();
  for (const definition of SETTINGS) {
    const setting = settings.get(`${definition.section}.${definition.field}`);
    if (!setting || isForeignAddress(definition, settings)) continue;
    const { config_class, section } = definition;
    const group = groups.get(config_class) ?? { config_class, section, rows: [] };
    group.rows.push(row(definition, setting));
    groups.set(config_class, group);
  }
  return [...groups.values()];
}

function addressGroups(settings: EffectiveSettings): SettingGroup[] {
  return DATABASE_COMPONENTS.flatMap((component) => {
    const address: AddressSettings = settings.addresses(settings.kindOf(component)).get(component) ?? new Map();
    const rows = [...address.values()].flatMap((setting) => {
      const definition = SETTINGS.find(({ field }) => field === setting.field);
      return definition ? [row(definition, setting)] : [];
    });
    const config_class = [...address.values()][0]?.config_class;
    return config_class === undefined ? [] : [{ config_class, section: sectionOf(config_class), rows }];
  });
}

function row(definition: SettingDefinition, setting: SettingValue): ConfigSetting {
  return {
    field: setting.field,
    value: maskSecrets(setting.field, setting.value),
    origin: setting.origin,
    default: definition.default,
    unit: definition.unit,
    meaning: definition.meaning,
    warning: setting.warning === null ? null : maskText(setting.warning),
  };
}

function optionRows(options: ResolvedOptions): OptionRow[] {
  return Object.entries(options).map(([name, { value, origin }]: [string, Resolved<unknown>]) => ({
    option: FLAG_NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    value: name === "now" && typeof value === "number" ? isoFromEpoch(value) : shownValue(name, value),
    origin,
  }));
}

/** Options whose names look secret, but whose values are not: yes, no, or where a token is. */
function shownValue(name: string, value: unknown): unknown {
  return typeof value === "boolean" || name === "token" || name === "tokenFile" ? value : maskSecrets(name, value);
}

/** Members whose name differs from their flag. */
const FLAG_NAMES: Readonly<Record<string, string>> = { allowedHosts: "allowed-host" };
