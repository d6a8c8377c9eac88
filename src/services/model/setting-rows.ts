import type { SettingRow } from "../../api/model/common.ts";
import { maskSecrets } from "../../config/masking.ts";
import type { EffectiveSettings, SettingValue } from "../../config/pynenc-sources.ts";
import { CLASS_ENDINGS, DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import type { PriorityRule } from "../../pynenc/setting-values.ts";
import { SETTINGS } from "../../pynenc/settings.ts";
import { COMPONENTS, type ComponentName } from "../../stores/ports/common.ts";

const SEEN_ORIGIN = "seen in this store";

/** Which components are in the store. */
export type PresentComponents = Readonly<Partial<Record<ComponentName, boolean>>>;

/** Names of classes begin with the kind of store, and those of the defaults with `Mem` (storage-format.md 12.3). If no setting names the class of a component, but the component is in the store, the class of that kind of store replaces the default. */
export function seenInStore<Row extends Pick<SettingValue, "field" | "value" | "origin">>(
  row: Row,
  settings: EffectiveSettings,
  present: PresentComponents,
): Row {
  const component = COMPONENTS.find((name) => row.field === `${name}_cls`);
  if (row.origin !== DEFAULT_ORIGIN || component === undefined || present[component] !== true) return row;
  return {
    ...row,
    value: String(row.value).replace(/^Mem/, CLASS_ENDINGS[settings.kindOf(component)]),
    origin: SEEN_ORIGIN,
  };
}

/**
 * Rows for these fields in the order given. Use `section.field` if several sections have the field. Unknown fields are omitted.
 *
 * @param present see `seenInStore`.
 */
export function settingRows(
  settings: EffectiveSettings,
  fields: readonly string[],
  present: PresentComponents = {},
): SettingRow[] {
  return fields.flatMap((field) => {
    const definition = SETTINGS.find((one) => one.field === field || `${one.section}.${one.field}` === field);
    const setting = settings.get(field);
    if (definition === undefined || setting === undefined) return [];
    const { unit, meaning } = definition;
    const { value, origin } = seenInStore({ ...setting, field }, settings, present);
    return [
      {
        field,
        value: wordFor(maskSecrets(field, value)),
        unit,
        meaning,
        origin,
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
