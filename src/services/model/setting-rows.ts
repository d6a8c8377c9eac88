import type { SettingRow } from "../../api/model/common.ts";
import { maskSecrets } from "../../config/masking.ts";
import type { EffectiveSettings } from "../../config/pynenc-sources.ts";
import type { PriorityRule } from "../../pynenc/setting-values.ts";
import { SETTINGS } from "../../pynenc/settings.ts";

/** Rows for these fields in the order given. Use `section.field` if several sections have the field. Unknown fields are omitted. */
export function settingRows(settings: EffectiveSettings, fields: readonly string[]): SettingRow[] {
  return fields.flatMap((field) => {
    const definition = SETTINGS.find((one) => one.field === field || `${one.section}.${one.field}` === field);
    const setting = settings.get(field);
    if (definition === undefined || setting === undefined) return [];
    const { unit, meaning } = definition;
    return [
      {
        field,
        value: wordFor(maskSecrets(field, setting.value)),
        unit,
        meaning,
        origin: setting.origin,
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
