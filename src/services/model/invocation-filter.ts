/** Filters of the invocation list, shared by the page, its exports, the JSON and the command. */

import { InvalidInputError } from "../../errors.ts";
import {
  type chosenInvocations,
  exportedInvocations,
  listedInvocations,
  pagedInvocations,
} from "../../inputs/invocations.ts";
import type { InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { parseInput, type RawInput, type Read, separated } from "../input/input.ts";
import { cursorsIn } from "../input/paging.ts";
import { didYouMean, similarWords } from "../input/similar.ts";
import { type TimeBounds, timeBounds } from "../input/time-bounds.ts";
import type { InvocationFilter } from "./filter-type.ts";
import type { IdParameters } from "./resolve-ids.ts";

export const NO_FILTER: Readonly<InvocationFilter> = {
  statuses: [],
  status_mode: "current",
  task_id_key: null,
  call_id_key: null,
  workflow_id: null,
  workflow_type_key: null,
  runner_id: null,
  registered_by: null,
  parent_invocation_id: null,
  id_prefix: null,
  from: null,
  to: null,
  invocation_ids: [],
  conditions: [],
  query: [],
};

export interface InvocationListInput {
  filter: InvocationFilter;
  page: { number: number; size: number };
  /** The requested order; null if none was requested or the input has none. */
  sort: string | null;
  /** Cursors: the page starts after the last one; the others are the starts of the pages before it. */
  after: readonly string[];
}

/** More ids than fit in a URL are a mistake, not a filter. */
const MAX_IDS = 1_000;

/** Parameters that take full or shortened ids. */
export const FILTER_IDS: IdParameters = {
  call_id: ["call"],
  workflow_id: ["workflow"],
  runner: ["runner"],
  registered_by: ["runner"],
  parent: ["invocation"],
  inv_ids: ["invocation"],
};

/** The parameters of a filter as they were read. */
export type FilterInput = Read<typeof chosenInvocations>;

const SHAPES = { filter: pagedInvocations, export: exportedInvocations, list: listedInvocations } as const;

/** What the parameters are read for: an export also takes an order, and a list also a cursor. */
export type Extent = keyof typeof SHAPES;

/**
 * @param storedStatuses statuses that occur in the store; they may include statuses of older or newer versions of pynenc.
 * @param takes what the parameters are read for.
 * @throws InvalidInputError
 */
export function parseInvocationInput(
  raw: RawInput,
  storedStatuses: readonly string[],
  now: EpochSeconds,
  takes: Extent = "filter",
): InvocationListInput {
  const input = { after: [], sort: undefined, ...parseInput(SHAPES[takes], raw) };
  const other = input.page > 1 ? "page" : input.sort === undefined ? null : "sort";
  const after = cursorsIn(input.after, other);
  return {
    after,
    filter: invocationFilter(input, timeBounds(input, raw, now), storedStatuses),
    page: { number: input.page, size: input.limit },
    sort: input.sort ?? null,
  };
}

/** The filter from parameters as they were read. @throws InvalidInputError */
export function invocationFilter(
  input: FilterInput,
  { from, to }: TimeBounds,
  storedStatuses: readonly string[],
): InvocationFilter {
  const statuses = readStatuses(input.status, storedStatuses);
  const invocation_ids = [...new Set(input.inv_ids)];
  if (invocation_ids.length > MAX_IDS) {
    throw new InvalidInputError([
      { parameter: "inv_ids", value: `${invocation_ids.length} ids`, accepted: `at most ${MAX_IDS} ids` },
    ]);
  }
  return {
    statuses: [...new Set(statuses)],
    status_mode: input.status_mode,
    task_id_key: input.task_id ?? null,
    call_id_key: input.call_id ?? null,
    workflow_id: input.workflow_id ?? null,
    workflow_type_key: input.workflow_type ?? null,
    runner_id: input.runner ?? null,
    registered_by: input.registered_by ?? null,
    parent_invocation_id: input.parent ?? null,
    id_prefix: input.id_prefix ?? null,
    from: from ?? null,
    to: to ?? null,
    invocation_ids,
    conditions: [],
    query: [],
  };
}

/**
 * The requested statuses; a value may hold several, separated by commas. A word that is a stored status is used as is, including its case and commas.
 * Otherwise case is ignored.
 */
function readStatuses(given: readonly string[], stored: readonly string[]): string[] {
  const words = given.flatMap((value) => (stored.includes(value) ? [value] : separated(value)));
  const statuses = words.map((word) => (stored.includes(word) ? word : word.toLowerCase()));
  const refused = refusedStatuses(statuses, stored);
  if (refused === null) return statuses;
  throw new InvalidInputError([{ parameter: "status", value: refused.words.join(", "), accepted: refused.accepted }]);
}

/** The words that are neither statuses of pynenc nor stored ones, and what is accepted instead; null if all are valid. */
export function refusedStatuses(
  statuses: readonly string[],
  stored: readonly string[],
): { words: string[]; accepted: string } | null {
  const valid = [...new Set([...STATUSES.map((status) => status.name), ...stored])];
  const words = statuses.filter((status) => !valid.includes(status));
  if (words.length === 0) return null;
  const meant = didYouMean([...new Set(words.flatMap((word) => similarWords(word, valid)))]);
  return { words, accepted: `one or more of ${valid.join(", ")}${meant === null ? "" : `; ${meant}`}` };
}

/** Whether the statuses must be looked up in histories. */
export function needsHistory({ statuses, status_mode }: InvocationFilter): boolean {
  return status_mode === "history" && statuses.length > 0;
}

/** Whether the orchestrator's indexes alone can answer the filter: by statuses, task, call and id prefix. */
export function isStatusFilterOnly(filter: InvocationFilter): boolean {
  return filter.conditions.length === 0 && isLedByStatus(filter);
}

/** Whether the orchestrator can answer the filter except for its conditions. */
export function isLedByStatus(filter: InvocationFilter): boolean {
  const { statuses, status_mode, task_id_key, call_id_key, id_prefix, invocation_ids, conditions, query, ...others } =
    filter;
  return (
    !needsHistory(filter) &&
    invocation_ids.length === 0 &&
    Object.values(others).every((restriction) => restriction === null)
  );
}

/** The parent if the filter restricts nothing else; otherwise null. */
export function onlyParentOf(filter: InvocationFilter): string | null {
  return isUnfiltered({ ...filter, parent_invocation_id: null }) ? filter.parent_invocation_id : null;
}

export function isUnfiltered(filter: InvocationFilter): boolean {
  return (
    isStatusFilterOnly(filter) &&
    filter.statuses.length === 0 &&
    filter.task_id_key === null &&
    filter.call_id_key === null &&
    filter.id_prefix === null
  );
}

/** Checks the parts of the filter that the records of an invocation can answer. `InvocationWalk` checks statuses, times and runners. */
export function meetsFilter(
  filter: InvocationFilter,
  id: string,
  status: InvocationStatusRecord | undefined,
  definition: InvocationRecord | undefined,
): boolean {
  const task = status?.task_id_key ?? definition?.task_id_key;
  const call = status?.call_id_key ?? definition?.call_id_key;
  const equal = (wanted: string | null, actual: string | null | undefined) => wanted === null || wanted === actual;
  return (
    equal(filter.task_id_key, task) &&
    equal(filter.call_id_key, call) &&
    equal(filter.workflow_id, definition?.workflow_id) &&
    equal(filter.workflow_type_key, definition?.workflow_type_key) &&
    equal(filter.parent_invocation_id, definition?.parent_invocation_id) &&
    (filter.id_prefix === null || id.startsWith(filter.id_prefix))
  );
}

/**
 * With `at`, a filter may ask only for what never changes.
 *
 * @throws InvalidInputError naming the first parameter that asks for the present.
 */
export function refusePresentFilters({ filter, at }: { filter: InvocationFilter; at: EpochSeconds | null }): void {
  if (at === null) return;
  const asked = [
    { parameter: "status", value: filter.statuses.join(", ") },
    { parameter: "runner", value: filter.runner_id ?? "" },
    { parameter: "q", value: filter.conditions.map(({ text }) => text).join(" ") },
  ];
  const refused = asked.find(({ value }) => value !== "");
  if (refused === undefined) return;
  throw new InvalidInputError([
    {
      ...refused,
      accepted: "it is about the present; as of an instant, filter by task, call, workflow, parent or id",
    },
  ]);
}
