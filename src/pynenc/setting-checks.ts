/** Converts settings like pynenc, and finds those it refuses (storage-format.md 12.1, 12.2). */
import { convert, doubtAbout, KIND_WORDS, type SettingContent, shown } from "./setting-values.ts";
import { INTERVAL, SETTINGS, type SettingDefinition, SPREAD } from "./settings.ts";

/** A setting that would prevent triggers, recovery or retention from working. */
export interface SettingObjection {
  field: string;
  value: unknown;
  /** Sentence fragment: `must be greater than 0`. */
  accepted: string;
}

/**
 * Finds values that would prevent triggers, recovery or retention from working; pynenc itself refuses to start with some of them (storage-format.md
 * 12.2). `values` are effective values by `section.field` or `field`; the first wins, missing ones have their defaults.
 */
export function validateSettings(values: ReadonlyMap<string, unknown>): SettingObjection[] {
  const objections = SETTINGS.flatMap((definition) => {
    const value = given(values, definition);
    const accepted = value === undefined ? null : objectionTo(definition, value);
    return accepted === null ? [] : [{ field: definition.field, value, accepted }];
  });
  return [...objections, ...spreadObjection(values, objections)];
}

function given(values: ReadonlyMap<string, unknown>, definition: SettingDefinition): unknown {
  return values.get(`${definition.section}.${definition.field}`) ?? values.get(definition.field);
}

function objectionTo(definition: SettingDefinition, value: unknown): string | null {
  if (!definition.check) return null;
  const converted = convert(definition.kind, value);
  return converted === null ? `must be ${KIND_WORDS[definition.kind]}` : definition.check(converted);
}

/** A margin as long as the cycle leaves no time to start (storage-format.md 6.2). */
function spreadObjection(
  values: ReadonlyMap<string, unknown>,
  earlier: readonly SettingObjection[],
): SettingObjection[] {
  if (earlier.some(({ field }) => field === INTERVAL || field === SPREAD)) return [];
  const interval = effectiveNumber(values, INTERVAL);
  const spread = effectiveNumber(values, SPREAD);
  if (spread < interval) return [];
  return [{ field: SPREAD, value: spread, accepted: `must be less than ${INTERVAL} (${interval})` }];
}

function effectiveNumber(values: ReadonlyMap<string, unknown>, field: string): number {
  const definition = SETTINGS.find((setting) => setting.field === field);
  if (!definition) throw new Error(`SETTINGS lacks ${field}`);
  return Number(convert(definition.kind, given(values, definition)) ?? definition.default);
}

/** A setting as converted by pynenc. */
export interface CoercedSetting {
  value: SettingContent;
  /** Why the value is probably not intended, as a sentence, or null. */
  warning: string | null;
}

/**
 * Converts a raw value from a file or the environment like pynenc, with the Python type of the default (storage-format.md 12.1). So any non-empty
 * text is true, even `False`, and a list given as text becomes a list of characters. If Python's conversion fails, returns the default with a
 * warning.
 */
export function coerceSetting(definition: SettingDefinition, raw: unknown): CoercedSetting {
  const value = convert(definition.kind, raw);
  if (value === null) {
    const warning = `${shown(raw)} is not ${KIND_WORDS[definition.kind]}; pynenc cannot use it. The default is shown.`;
    return { value: definition.default, warning };
  }
  return { value, warning: doubtAbout(definition.kind, raw, value) };
}

/** Whether pynenc accepts a coerced value. It refuses others, so nothing can be concluded from them. */
export function isUsable(
  definition: SettingDefinition,
  { value, warning }: { value: unknown; warning: string | null },
): boolean {
  return warning === null && (definition.check?.(value as SettingContent) ?? null) === null;
}
