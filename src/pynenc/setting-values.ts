/** Python's conversion of raw setting values (storage-format.md 12.1). */
import { objectOrNull } from "./plain-json.ts";

export type SettingKind = "string" | "boolean" | "integer" | "number" | "list" | "names" | "queues" | "rules";

export type SettingContent = string | number | boolean | readonly string[] | readonly PriorityRule[];

/** Tasks whose key matches the pattern get this priority instead of their own. */
export interface PriorityRule {
  /** Pattern of Python's fnmatch, case-sensitive: `shop.mail.*`. */
  readonly task_id: string;
  readonly priority: number;
}

export const KIND_WORDS: Readonly<Record<SettingKind, string>> = {
  string: "a text",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  list: "a list",
  names: "a list of names",
  queues: "a list of names",
  rules: "a list of rules, each with task_id and priority",
};

/** Texts that people write to mean false. */
const MEANS_NO: ReadonlySet<string> = new Set(["false", "f", "no", "n", "off", "0", "none", "null"]);

const PYTHON_INTEGER = /^[+-]?\d+(?:_\d+)*$/;

const PYTHON_FLOAT = /^[+-]?(?:\d+(?:_\d+)*\.?|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;

/** Python's conversion to the type; null if it fails. */
export function convert(kind: SettingKind, raw: unknown): SettingContent | null {
  if (raw === null || raw === undefined) return null;
  switch (kind) {
    case "string":
      return typeof raw === "boolean" ? pythonBoolean(raw) : scalarText(raw);
    case "boolean":
      return Array.isArray(raw) ? raw.length > 0 : Boolean(raw);
    case "integer":
      return toNumber(raw, PYTHON_INTEGER, Math.trunc);
    case "number":
      return toNumber(raw, PYTHON_FLOAT, (value) => value);
    case "list":
      return toList(raw);
    case "names":
      return toNames(raw);
    case "queues":
      return withDefault(toNames(raw));
    case "rules":
      return toRules(raw);
  }
}

function toNumber(raw: unknown, pattern: RegExp, adapt: (value: number) => number): number | null {
  if (typeof raw === "boolean") return Number(raw);
  if (typeof raw === "number" || typeof raw === "bigint")
    return Number.isFinite(Number(raw)) ? adapt(Number(raw)) : null;
  if (typeof raw !== "string" || !pattern.test(raw.trim())) return null;
  return Number(raw.trim().replaceAll("_", ""));
}

function toList(raw: unknown): readonly string[] | null {
  if (typeof raw === "string") return [...raw];
  if (!Array.isArray(raw)) return null;
  return raw.map((item) => scalarText(item) ?? shown(item));
}

/** Accepts a comma-separated text as well. */
function toNames(raw: unknown): readonly string[] | null {
  return typeof raw === "string" ? raw.split(",").map((name) => name.trim()) : toList(raw);
}

/** The default queue, used by pynenc's own tasks, is added in front if it is not listed. */
function withDefault(names: readonly string[] | null): readonly string[] | null {
  return names === null || names.includes("default") ? names : ["default", ...names];
}

function toRules(raw: unknown): readonly PriorityRule[] | null {
  if (!Array.isArray(raw)) return null;
  const rules = raw.map((item): PriorityRule | null => {
    const { task_id, priority: given } = objectOrNull(item) ?? {};
    const value = toNumber(given, PYTHON_FLOAT, (number) => number);
    return typeof task_id === "string" && value !== null ? { task_id, priority: value } : null;
  });
  return rules.every((rule) => rule !== null) ? rules : null;
}

function scalarText(raw: unknown): string | null {
  return typeof raw === "string" || typeof raw === "number" || typeof raw === "bigint" ? String(raw) : null;
}

function pythonBoolean(value: boolean): string {
  return value ? "True" : "False";
}

export function doubtAbout(kind: SettingKind, raw: unknown, value: SettingContent): string | null {
  if (kind === "boolean" && typeof raw === "string" && MEANS_NO.has(raw.trim().toLowerCase())) {
    return `${shown(raw)} counts as true: pynenc takes any non-empty text for true. Only empty text is false.`;
  }
  if (kind === "list" && typeof raw === "string" && raw !== "") {
    return `${shown(raw)} is a text, not a list: pynenc takes it for a list of its characters.`;
  }
  if (kind === "integer" && typeof raw === "number" && raw !== value) {
    return `${raw} is not a whole number: pynenc cuts it to ${value}.`;
  }
  return null;
}

/** Formats a raw value for a sentence. */
export function shown(raw: unknown): string {
  try {
    return (JSON.stringify(raw) ?? String(raw)).slice(0, 120);
  } catch {
    // Cyclic, too deep, or a bigint: no source of settings contains such values.
    return typeof raw;
  }
}
