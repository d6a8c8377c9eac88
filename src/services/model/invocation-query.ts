/** The query language for invocations: the meaning of each field, and the parameter or condition it becomes. */

import { InvalidInputError } from "../../errors.ts";
import { TIME_RANGE } from "../../inputs/common.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RawInput } from "../input/input.ts";
import { lengthOf, momentForms, momentOf } from "../input/moment.ts";
import { type QueryTerm, queryTerms } from "../input/query-text.ts";
import { didYouMean, similarWords } from "../input/similar.ts";
import type { InvocationCondition } from "./filter-type.ts";
import { type ConditionField, HAVING_WORDS } from "./invocation-conditions.ts";
import { refusedStatuses } from "./invocation-filter.ts";

/** A parsed query. */
export interface InvocationQuery {
  /** The parameters, including those that came from terms. */
  raw: RawInput;
  /** The terms as written. */
  query: string[];
  /** Terms that no parameter can express. */
  conditions: InvocationCondition[];
  /** Terms `is:stuck` or its negation, as written. The caller finds the stuck invocations. */
  stuck: { text: string; negated: boolean }[];
}

interface FieldRule {
  /** Parameter that one term of the field becomes if an index can answer it. */
  parameter?: string;
  /** The parameter takes several values. */
  several?: true;
  /** Condition that it becomes otherwise: the parameter is already set, or the term is negated or a pattern. */
  condition?: ConditionField;
  /** Parses a value of the condition; null if the text is not valid. */
  value?: (text: string) => string | number | null;
  /** Accepts `>`, `<` and so on with one value; otherwise only `:`. A `measure` takes only one value after `:` too. */
  sized?: "measure" | "number";
  /** Accepts a path after a dot. */
  path?: true;
  /** Description for completion and help. */
  words: string;
}

const STUCK = "stuck";

/** Values of `is:`. */
export const IS_WORDS: readonly string[] = [STUCK, "final", "waiting"];

/** Fields by name, which is also that of the column or flag. */
export const QUERY_FIELDS: Readonly<Record<string, FieldRule>> = {
  status: { parameter: "status", several: true, condition: "status", value: lowerCase, words: "current status" },
  task: { parameter: "task_id", condition: "task", words: "module.function, a pattern with *, or the function alone" },
  exception: { condition: "exception", words: "class name of the exception it failed with" },
  error: { condition: "error", words: "text in the type or message of the exception it failed with" },
  arg: { condition: "arg", path: true, words: "text in the arguments; arg.name=value for one of them" },
  runner: { parameter: "runner", words: "runner that worked on it" },
  registered_by: { parameter: "registered_by", words: "runner or process that registered it" },
  parent: { parameter: "parent", condition: "parent", words: "invocation that called it" },
  workflow: { parameter: "workflow_id", condition: "workflow", words: "workflow run" },
  type: { parameter: "workflow_type", condition: "type", words: "workflow type" },
  call: { parameter: "call_id", condition: "call", words: "call: module.function:arguments_id" },
  id: { parameter: "id_prefix", words: "beginning of the invocation id" },
  run: { condition: "run", value: seconds, sized: "measure", words: "time running, such as run>5s or run>1.5s" },
  wait: { condition: "wait", value: seconds, sized: "measure", words: "time queued or pending, such as wait>1m" },
  retries: {
    condition: "retries",
    value: wholeNumber,
    sized: "number",
    words: "number of retries, such as retries>=2",
  },
  since: { parameter: "from", words: "status change since then: 2h, yesterday 14:05" },
  until: { parameter: "to", words: "status change until then" },
  has: { condition: "has", value: oneOf(HAVING_WORDS), words: HAVING_WORDS.join(", ") },
  is: { condition: "is", value: oneOf(IS_WORDS), words: IS_WORDS.join(", ") },
};

/** Whether a name is that of a field, or similar to one and so probably misspelled. */
export function isField(name: string): boolean {
  return Object.hasOwn(QUERY_FIELDS, name) || similarFields(name).length > 0;
}

function similarFields(name: string): string[] {
  return similarWords(name, Object.keys(QUERY_FIELDS));
}

/** What is said of terms such as `colour:red`, which look like a field and are searched as text. */
export function textTermNotes(query: readonly string[]): string[] {
  return query.flatMap((term) => {
    const [, name = ""] = /^-?([A-Za-z_]+):(?![/\\])/.exec(term) ?? [];
    return name.length < 2 || isField(name.toLowerCase()) ? [] : [`${name}: is not a field; searched as text.`];
  });
}

/** Whether a text has a field, rather than words alone. @throws InvalidInputError if its syntax is wrong. */
export function hasField(text: string): boolean {
  return queryTerms(text, isField).some(({ field }) => field !== null);
}

/**
 * Parses the query of an input and merges it into the parameters that are not set. Form fields and query are one filter: all of it must be met.
 *
 * @param storedStatuses statuses that occur in the store, in addition to pynenc's own.
 * @throws InvalidInputError with the term and what is accepted.
 */
export function readQuery(given: RawInput, now: EpochSeconds, storedStatuses: readonly string[]): InvocationQuery {
  const { q, ...rest } = given;
  const raw: Record<string, readonly string[] | undefined> = rest;
  const read: InvocationQuery = { raw, query: [], conditions: [], stuck: [] };
  for (const term of queryTerms(q?.at(-1) ?? "", isField)) {
    const { field, negated, text } = term;
    read.query.push(text);
    if (field === "is" && term.values.includes(STUCK)) {
      if (term.values.length > 1) throw refused(term, "expected is:stuck as a term of its own");
      read.stuck.push({ text, negated });
      continue;
    }
    const rule = field === null ? TEXT : QUERY_FIELDS[field];
    if (rule === undefined) {
      const meant = didYouMean(similarFields(field ?? ""));
      const expected = `expected one of the fields ${Object.keys(QUERY_FIELDS).join(", ")}, or a text in double quotes`;
      throw refused(term, `${expected}; ${meant}`);
    }
    const accepted = acceptedInstead(term, storedStatuses, now);
    if (accepted !== null) throw refused(term, accepted);
    if (isParameter(rule, term) && raw[rule.parameter ?? ""] === undefined) raw[rule.parameter ?? ""] = term.values;
    else read.conditions.push(conditionOf(rule, term, now));
  }
  return read;
}

/**
 * A query as the form shows it. Terms that a form field can express move to that field, so that changing the field changes the filter; `q` keeps the
 * rest. Terms of time stay in `q`, because the time range is set in the header. Submitting the form unchanged gives the same filter.
 *
 * @param given accepted by `readQuery`.
 */
export function formQuery(given: RawInput): RawInput {
  const form: Record<string, readonly string[] | undefined> = { ...given };
  const rest = queryTerms(given.q?.at(-1) ?? "", isField).filter((term) => {
    const rule = term.field === null ? TEXT : QUERY_FIELDS[term.field];
    const parameter = rule?.parameter;
    if (rule === undefined || parameter === undefined || parameter in TIME_RANGE) return true;
    if (!isParameter(rule, term) || form[parameter] !== undefined) return true;
    form[parameter] = term.values;
    return false;
  });
  if (given.q !== undefined) form.q = [rest.map(({ text }) => text).join(" ")];
  return form;
}

/** What the term accepts, if its value is invalid; null if it is valid. Checked here because the parameter's error would not name the term. */
function acceptedInstead(
  { field, values }: QueryTerm,
  storedStatuses: readonly string[],
  now: EpochSeconds,
): string | null {
  switch (field) {
    case "status":
      return (
        refusedStatuses(
          values.map((value) => (storedStatuses.includes(value) ? value : value.toLowerCase())),
          storedStatuses,
        )?.accepted ?? null
      );
    case "since":
    case "until":
      return values.every((value) => momentOf(value)?.(now) != null) ? null : `expected ${momentForms()}`;
    default:
      return null;
  }
}

const TEXT: FieldRule = { condition: "text", words: "text in the id, the task or the arguments" };

/** Whether an index can answer the term. */
function isParameter(rule: FieldRule, { negated, values, comparison, path }: QueryTerm): boolean {
  if (rule.parameter === undefined || negated || comparison !== ":" || path !== null) return false;
  if (rule.several) return true;
  const [only = ""] = values;
  return values.length === 1 && (rule.condition !== "task" || (only.includes(".") && !/[*?[]/.test(only)));
}

function conditionOf(rule: FieldRule, term: QueryTerm, as_of: EpochSeconds): InvocationCondition {
  const { comparison, negated, text, path } = term;
  const isComparison = comparison !== ":";
  if (isComparison && !rule.sized) throw refused(term, `expected ${term.field}: and a value`);
  if (rule.condition === undefined) {
    throw refused(term, negated ? `${term.field} cannot be negated` : `expected one value for ${term.field}, once`);
  }
  if (path !== null && !rule.path) throw refused(term, `${term.field} has no ${path}`);
  if (term.values.length > 1 && (isComparison || rule.sized === "measure")) {
    throw refused(term, `expected one value: ${rule.words}`);
  }
  const values = term.values.map((value) => {
    const made = rule.value === undefined ? value : rule.value(value);
    if (made === null) throw refused(term, `expected ${rule.words}`);
    return made;
  });
  return { field: rule.condition, path, comparison, values, negated, as_of, text };
}

function refused({ text }: QueryTerm, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter: "q", value: text, accepted }]);
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}

function seconds(text: string): number | null {
  return lengthOf(text) ?? (/^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : null);
}

function wholeNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function oneOf(words: readonly string[]): (text: string) => string | null {
  return (text) => words.find((word) => word === text.toLowerCase()) ?? null;
}
