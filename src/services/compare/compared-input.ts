/** Which two groups of invocations are compared, and what is left out of the comparison. */

import type { ComparedDimension, ComparedMeasure } from "../../api/compare.ts";
import { InvalidInputError } from "../../errors.ts";
import { TIME_RANGE } from "../../inputs/common.ts";
import { chosenInvocations, compareInput } from "../../inputs/invocations.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { queryValue } from "../input/query-text.ts";
import { timeBounds } from "../input/time-bounds.ts";
import { resolvedParameters } from "../invocations/resolved-parameters.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { invocationFilter, isUnfiltered, NO_FILTER } from "../model/invocation-filter.ts";
import type { LeftOut } from "./differences.ts";

export interface ComparedInput {
  /** The selection. */
  here: InvocationFilter;
  /** The baseline. An invocation that meets both counts only for the selection. */
  there: InvocationFilter;
  /** `rest`, `before`, or the search of the baseline. */
  with: string;
  limit: number;
  /** Nothing restricts the selection, so that nothing is left to compare it with. */
  nothing: boolean;
}

/**
 * @param raw filters of the selection; `limit`; and the baseline in `with`: the `rest` of the range, the equally long range `before` it, or a search. By
 *   default the baseline is `before` if only a time range restricts the selection; the same tasks if the selection is some of theirs; otherwise `rest`.
 * @throws InvalidInputError
 */
export async function readComparedInput(app: OpenedApp, raw: RawInput): Promise<ComparedInput> {
  const { raw: meant, storedStatuses, ...queried } = await resolvedParameters(app, raw);
  const input = parseInput(compareInput, meant);
  const filter = invocationFilter(input, timeBounds(input, meant, app.now()), storedStatuses);
  const here: InvocationFilter = { ...filter, ...queried };
  const { limit } = input;
  const searched = !isUnfiltered({ ...here, from: null, to: null });
  const chosen = input.with ?? sameTasks(here) ?? (searched || here.from === null ? "rest" : "before");
  const word = chosen.toLowerCase();
  if (word === "before")
    return { here, there: rangeBefore(here, app.now(), chosen), with: word, limit, nothing: false };
  if (word === "rest") {
    const there = { ...NO_FILTER, from: here.from, to: here.to };
    return { here, there, with: word, limit, nothing: !searched };
  }
  return { here, there: await otherSearch(app, here, chosen), with: chosen, limit, nothing: false };
}

/** A search for the tasks that a selection is restricted to; null if it is not, or to nothing else. */
function sameTasks(here: InvocationFilter): string | null {
  const { task_id_key, conditions } = here;
  const ofTask = conditions.filter(({ field, negated }) => field === "task" && !negated);
  const others = conditions.filter((condition) => !ofTask.includes(condition));
  if (isUnfiltered({ ...here, from: null, to: null, task_id_key: null, conditions: others })) return null;
  const terms = [
    ...(task_id_key === null ? [] : [`task:${queryValue(task_id_key)}`]),
    ...ofTask.map(({ text }) => text),
  ];
  return terms.length === 0 ? null : terms.join(" ");
}

function rangeBefore(here: InvocationFilter, now: number, value: string): InvocationFilter {
  const { from, to } = here;
  if (from === null) {
    const accepted = "before needs a range with a start: it is the equally long range before it";
    throw new InvalidInputError([{ parameter: "with", value, accepted }]);
  }
  // A range that begins in the future and is open has no length.
  const length = Math.max(0, (to ?? now) - from);
  return { ...here, from: from - length, to: from };
}

/** The filter of a baseline that is a search, in the time range of the selection unless the search has its own. */
async function otherSearch(app: OpenedApp, here: InvocationFilter, q: string): Promise<InvocationFilter> {
  try {
    const { raw, storedStatuses, ...queried } = await resolvedParameters(app, { q: [q] });
    const input = parseInput(chosenInvocations, raw);
    const hasRange = Object.keys(TIME_RANGE).some((name) => raw[name] !== undefined);
    const bounds = timeBounds(input, raw, app.now());
    const filter = { ...invocationFilter(input, bounds, storedStatuses), ...queried };
    return hasRange ? filter : { ...filter, from: here.from, to: here.to };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const problems = error.problems.map(({ accepted }) => ({ parameter: "with", value: q, accepted }));
    throw new InvalidInputError(problems, error.hint);
  }
}

/** A dimension or measure that a restriction determines; arguments as `argument.<name>`. */
type Decided = ComparedDimension | Exclude<ComparedMeasure, "share"> | `argument.${string}`;

/** What is not compared: it differs anyway, because only one side is restricted by it, or each side to something else. */
export function leftOutOf({ here, there }: Pick<ComparedInput, "here" | "there">): LeftOut {
  const [a, b] = [restrictions(here), restrictions(there)];
  const differing = [...a, ...b].filter(([key]) => a.has(key) !== b.has(key));
  const decided = new Set(differing.flatMap(([, some]) => some));
  if (here.from !== there.from || here.to !== there.to) decided.add("hour");
  const measures = (["run", "wait"] as const).filter((measure) => decided.has(measure));
  const names = [...decided].flatMap((one) => (one.startsWith("argument.") ? [one.slice("argument.".length)] : []));
  const dimensions = [...decided].filter(
    (one): one is ComparedDimension => !one.startsWith("argument.") && one !== "run" && one !== "wait",
  );
  return { dimensions: new Set(dimensions), arguments: new Set(names), measures: new Set(measures) };
}

/** Each restriction of a filter as a text, with what it determines. */
function restrictions(filter: InvocationFilter): Map<string, Decided[]> {
  const found = new Map<string, Decided[]>();
  const { statuses, status_mode, conditions } = filter;
  if (statuses.length > 0) found.set(`status ${status_mode} ${statuses.toSorted().join()}`, OF_STATUS);
  for (const [member, decided] of Object.entries(BY_MEMBER)) {
    const value = filter[member as keyof typeof BY_MEMBER];
    if (value !== null) found.set(`${member} ${value}`, [...decided]);
  }
  for (const { field, path, comparison, values, negated } of conditions) {
    const key = `${field} ${path} ${comparison} ${negated} ${values.map(String).sort().join()}`;
    found.set(key, decidedBy(field, path, values));
  }
  return found;
}

const OF_STATUS: Decided[] = ["status", "exception"];

/** What a condition `has:` determines, by its value. */
const DECIDED_BY_HAVING = new Map<string | number, Decided[]>([
  ["error", OF_STATUS],
  ["parent", ["parent_task"]],
]);

const BY_MEMBER = {
  task_id_key: ["task"],
  call_id_key: ["task", "argument"],
  runner_id: ["runner", "host"],
  parent_invocation_id: ["parent_task"],
} as const satisfies Partial<Record<keyof InvocationFilter, readonly Decided[]>>;

function decidedBy(
  field: InvocationFilter["conditions"][number]["field"],
  path: string | null,
  values: readonly (string | number)[],
): Decided[] {
  switch (field) {
    case "status":
    case "is":
    case "exception":
    case "error":
      return OF_STATUS;
    case "has":
      return values.flatMap((value) => DECIDED_BY_HAVING.get(value) ?? []);
    case "task":
      return ["task"];
    case "call":
      return ["task", "argument"];
    case "parent":
      return ["parent_task"];
    case "retries":
    case "run":
    case "wait":
      return [field];
    case "arg":
      return path === null ? [] : [`argument.${path}`];
    default:
      return [];
  }
}
