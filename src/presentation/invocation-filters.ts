/**
 * Labels of the invocation filters that take one value. Fields and chips of pages are made from this list. What each filter does is in
 * src/services/model/invocation-filter.ts, what it means in src/inputs/common.ts.
 */
export interface FilterWords {
  /** Name in addresses and JSON: `task_id`. */
  parameter: string;
  /** Label of the chip, and of the field unless it has its own. */
  label: string;
  /** The value is an id, which a chip shortens. */
  id?: boolean;
  /** The field is shown under "More filters"; pages place the other fields themselves. */
  field?: { label?: string; hint: string };
}

export const SINGLE_FILTERS: readonly FilterWords[] = [
  { parameter: "task_id", label: "Task" },
  {
    parameter: "call_id",
    label: "Call",
    id: true,
    field: { hint: "Full id" },
  },
  {
    parameter: "workflow_id",
    label: "Workflow run",
    id: true,
    field: { hint: "Full id" },
  },
  {
    parameter: "workflow_type",
    label: "Workflow type",
  },
  {
    parameter: "runner",
    label: "Runner",
    id: true,
    field: { hint: "Worked on the invocation" },
  },
  {
    parameter: "registered_by",
    label: "Registered by",
    id: true,
    field: { hint: "A runner or process" },
  },
  {
    parameter: "parent",
    label: "Parent",
    id: true,
    field: { label: "Parent invocation", hint: "Full id" },
  },
  { parameter: "id_prefix", label: "Id starts with" },
];

/** A term of a query: its sign, its field and what it asks for (src/services/input/query-text.ts). */
const TERM = /^(-?)(?:([a-z_]+)(?:\.[^\s:<>=",]+)?(?:>=|<=|[:=<>]))?(.+)$/is;
/** Fields whose values are texts in the details of an invocation. */
const DETAIL_FIELDS = ["error", "exception", "arg"];

/** The texts that the terms of a search look for in the details of invocations, as far as they are plain texts. */
export function searchedTexts(terms: readonly string[]): string[] {
  return terms.flatMap((term) => {
    const [, negated, field, values = ""] = TERM.exec(term) ?? [];
    if (negated === "-") return [];
    const texts = field === undefined || DETAIL_FIELDS.includes(field.toLowerCase()) ? values : "";
    return (texts.match(/"(?:[^"\\]|\\.)*"|[^,"]+/g) ?? []).map((one) =>
      one.startsWith('"') ? one.slice(1, -1).replace(/\\(["\\])/g, "$1") : one,
    );
  });
}

/** A part of a text; a match of a search if `match`. */
export interface MarkedPart {
  text: string;
  match: boolean;
}

/** How many characters before a match are shown. */
const BEFORE = 24;

/** A text in parts, each match of a search by itself, whatever its case. A text begins shortly before its first match, so that it is in sight. */
export function markedParts(text: string, searched: readonly string[]): MarkedPart[] {
  const parts: MarkedPart[] = [];
  const lower = text.toLowerCase();
  const words = searched.map((word) => word.toLowerCase()).filter((word) => word !== "");
  // Where lower case has another length, positions in it are not those in the text.
  if (lower.length !== text.length) return [{ text, match: false }];
  let shown = 0;
  for (;;) {
    const found = words
      .map((word) => ({ at: lower.indexOf(word, shown), length: word.length }))
      .filter(({ at }) => at !== -1)
      .sort((a, b) => a.at - b.at || b.length - a.length)[0];
    if (found === undefined) break;
    const start = parts.length === 0 ? Math.max(0, found.at - BEFORE) : shown;
    const cut = parts.length === 0 && start > 0 ? "…" : "";
    if (found.at > start) parts.push({ text: cut + text.slice(start, found.at), match: false });
    shown = found.at + found.length;
    parts.push({ text: text.slice(found.at, shown), match: true });
  }
  return shown < text.length || parts.length === 0 ? [...parts, { text: text.slice(shown), match: false }] : parts;
}
