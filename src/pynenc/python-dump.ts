/**
 * Writes JSON like Python's `json.dumps` by default: `", "` and `": "` between items, non-ASCII escaped, `NaN` and `Infinity` as bare words, integers
 * of any size. Stored texts are hashed and compared byte by byte, so the exact form matters (storage-format.md 4.3).
 */
export type PythonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PythonText
  | readonly PythonValue[]
  | { readonly [key: string]: PythonValue };

/** A value that Python writes differently from JavaScript, such as `20.0`. */
export class PythonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A Python float: `20.0` where JavaScript prints `20`. */
export function pythonFloat(value: number): PythonText {
  return new PythonText(Number.isInteger(value) ? value.toFixed(1) : String(value));
}

/** @param order of object members; unchanged by default. */
export function pythonJson(value: PythonValue, order?: (a: string, b: string) => number): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return pythonNumber(value);
    case "string":
      return pythonString(value);
  }
  if (value instanceof PythonText) return value.text;
  if (isList(value)) return `[${value.map((item) => pythonJson(item, order)).join(", ")}]`;
  const members = Object.entries(value);
  if (order !== undefined) members.sort(([a], [b]) => order(a, b));
  return `{${members.map(([key, item]) => `${pythonString(key)}: ${pythonJson(item, order)}`).join(", ")}}`;
}

/** Whole numbers as Python ints, others as Python's float repr: positional from 1e-4 to below 1e16, otherwise with two-digit exponents. */
function pythonNumber(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (!Number.isFinite(value) || Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}

// `Array.isArray` does not narrow readonly arrays out of a union.
function isList(
  value: readonly PythonValue[] | { readonly [key: string]: PythonValue },
): value is readonly PythonValue[] {
  return Array.isArray(value);
}

/** A JSON string with every character outside printable ASCII as `\uXXXX` per UTF-16 unit, like Python's `ensure_ascii`. */
export function pythonString(text: string): string {
  // Ids and plain words, which are nearly everything, need no escapes.
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[^ -~]/g, escapeUnit);
}

const PLAIN = /^[A-Za-z0-9 .,:;@_#*/-]*$/;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
