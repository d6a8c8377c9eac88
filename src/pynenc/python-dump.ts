/**
 * JSON as Python's `json.dumps` writes it by default: `", "` and `": "` between items, non-ASCII escaped, `NaN` and `Infinity` as
 * bare words, integers of any size. Stored texts are hashed and compared byte by byte, so the form matters (storage.md 4.3).
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

/** A value whose Python spelling differs from what JavaScript prints, such as `20.0`. */
export class PythonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A Python float: prints `20.0` where JavaScript prints `20`. */
export function pythonFloat(value: number): PythonText {
  return new PythonText(Number.isInteger(value) ? value.toFixed(1) : String(value));
}

export function pythonJson(value: PythonValue): string {
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
  if (isList(value)) return `[${value.map(pythonJson).join(", ")}]`;
  const items = Object.entries(value).map(([key, item]) => `${pythonString(key)}: ${pythonJson(item)}`);
  return `{${items.join(", ")}}`;
}

/** Whole numbers stand for Python ints; small floats get Python's exponent of two digits. */
function pythonNumber(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  return String(value).replace(/e-(\d)$/, "e-0$1");
}

// `Array.isArray` does not narrow readonly arrays out of a union.
function isList(
  value: readonly PythonValue[] | { readonly [key: string]: PythonValue },
): value is readonly PythonValue[] {
  return Array.isArray(value);
}

/** A JSON string with every character outside ASCII as `\uXXXX` per UTF-16 unit, like Python's `ensure_ascii`. */
export function pythonString(text: string): string {
  // Ids and plain words, nearly everything there is, need no escapes.
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[\u0080-\uffff]/g, escapeUnit);
}

const PLAIN = /^[A-Za-z0-9 .,:;@_#*/-]*$/;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
