import type { SettingRow } from "../../api/model/common.ts";
import { maskSecrets } from "../../config/masking.ts";
import { DEFAULT_ORIGIN, type EffectiveSettings, type StoreKind } from "../../config/pynenc-sources.ts";
import type { PriorityRule } from "../../pynenc/setting-values.ts";
import { SETTINGS } from "../../pynenc/settings.ts";
import { COMPONENTS, type ComponentName } from "../../stores/ports/common.ts";

/** Beginnings of the class names of components (storage-format.md 12.3), where the defaults have `Mem`. */
const CLASSES: Readonly<Record<StoreKind, string>> = { sqlite: "SQLite", redis: "Redis" };

const SEEN_ORIGIN = "seen in this store";

/**
 * Rows for these fields in the order given. Use `section.field` if several sections have the field. Unknown fields are omitted.
 *
 * @param present components that are in the store: their class is seen there if no setting names it, whatever the default is.
 */
export function settingRows(
  settings: EffectiveSettings,
  fields: readonly string[],
  present: Readonly<Partial<Record<ComponentName, boolean>>> = {},
): SettingRow[] {
  return fields.flatMap((field) => {
    const definition = SETTINGS.find((one) => one.field === field || `${one.section}.${one.field}` === field);
    const setting = settings.get(field);
    if (definition === undefined || setting === undefined) return [];
    const { unit, meaning } = definition;
    const component = COMPONENTS.find((name) => field === `${name}_cls`);
    const seen = setting.origin === DEFAULT_ORIGIN && component !== undefined && present[component] === true;
    const value = seen ? String(setting.value).replace(/^Mem/, CLASSES[settings.store]) : setting.value;
    return [
      {
        field,
        value: wordFor(maskSecrets(field, value)),
        unit,
        meaning,
        origin: seen ? SEEN_ORIGIN : setting.origin,
        warning: setting.warning,
      },
    ];
  });
}

function wordFor(value: unknown): string {
  if (value === "" || value === null || value === undefined) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value) && value.every((item) => typeof item === "string"))
    return value.length === 0 ? "none" : value.join(", ");
  if (Array.isArray(value) && value.every(isRule))
    return value.map((rule) => `${rule.task_id}: ${rule.priority}`).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isRule(value: unknown): value is PriorityRule {
  return typeof value === "object" && value !== null && "task_id" in value && "priority" in value;
}
