import { hasRole } from "../../../src/pynenc/history-roles.ts";
import { endsOf } from "../../../src/pynenc/life.ts";
import type { HistoryRecord, InvocationRecord, StoredValueRecord } from "../../../src/pynenc/records.ts";
import { EXTERNAL_ID } from "../../../src/pynenc/rerun.ts";
import { printOf } from "../../../src/pynenc/row-prints.ts";
import type {
  DefinitionFilter,
  HistoryEnd,
  HistoryWindow,
  PrintedHistory,
  StateBackendReads,
  SurveyedSlice,
} from "../../../src/stores/ports/state-backend.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { LIST_BYTES, PREVIEW_BYTES, VALUE_BYTES } from "../../../src/stores/value-limit.ts";
import { matchingRunnerIds } from "./orchestrator.ts";
import {
  behind,
  boundedText,
  byInvocation,
  counted,
  limited,
  type MemoryRows,
  ofAny,
  placeOf,
  sliceOf,
  sortedBy,
  unique,
} from "./rows.ts";

function definitionMeets(row: InvocationRecord, filter: DefinitionFilter): boolean {
  return (Object.keys(filter) as (keyof DefinitionFilter)[]).every(
    (column) => filter[column] === undefined || row[column] === filter[column],
  );
}

export function stateBackendReads(rows: MemoryRows): Sync<StateBackendReads> {
  const { definitions, contexts, workflows, members } = rows;
  const history = sortedBy(rows.history, (entry) => entry.written_at);
  let histories: ReadonlyMap<string, HistoryRecord[]> | null = null;
  const entriesOf = (id: string) => {
    histories ??= byInvocation(history);
    return histories.get(id) ?? [];
  };
  let positions: ReadonlyMap<HistoryRecord, number> | null = null;
  /** In the history as it was written: it stays when more is written. */
  const positionOf = (entry: HistoryRecord) => {
    positions ??= new Map(rows.history.map((one, position) => [one, position]));
    return positions.get(entry) ?? 0;
  };
  const within = ({ from, to }: HistoryWindow) =>
    history.slice(
      from === undefined ? 0 : placeOf(history, (entry) => entry.written_at >= from),
      to === undefined ? history.length : placeOf(history, (entry) => entry.written_at > to),
    );
  const before = (cursor: string, limit: number) => {
    const at = Number(cursor.slice(0, cursor.indexOf(" ")));
    const first = Math.max(0, at - limit);
    return { entries: rows.history.slice(first, at), cursor: `${first} `, exhausted: at - first < limit };
  };
  const newestFirst = [...definitions].reverse();
  const membersOf = (id: string) =>
    unique([
      ...members.filter((member) => member.workflow_id === id).map((member) => member.invocation_id),
      ...definitions
        .filter((row) => row.workflow_id === id && row.invocation_id !== id)
        .map((row) => row.invocation_id),
    ]);
  return {
    appInfo: () => rows.app_info,
    invocationsByIds: (ids, argumentBytes = PREVIEW_BYTES) =>
      definitions.filter(ofAny(ids)).map((row) => {
        const { text: serialized_arguments, ...mark } = boundedText(row.serialized_arguments, argumentBytes);
        return { ...row, serialized_arguments, ...mark };
      }),
    tasksOf: (ids) =>
      definitions.filter(ofAny(ids)).map(({ invocation_id, task_id_key }) => ({ invocation_id, task_id_key })),
    historyOf: (ids, limit) => {
      const found = history.filter(ofAny(ids)).slice(0, limit);
      return sortedBy(found, positionOf);
    },
    historyEndOf: (id, limit) => (limit > 0 ? sortedBy(entriesOf(id), positionOf).slice(-limit) : []),
    countHistoryOf: (id) => entriesOf(id).length,
    historySpanOf: (ids) =>
      unique(ids).flatMap((invocation_id) => {
        const ends = endsOf(sortedBy(entriesOf(invocation_id), positionOf));
        return ends === null ? [] : [{ invocation_id, first: endOf(ends.first), last: endOf(ends.last) }];
      }),

    listActive({ by, ...window }, limit, scanLimit, after) {
      const cursorOf = (entry: HistoryRecord) => String(positionOf(entry));
      const latestFirst = within(window).reverse();
      const latest = new Map<string, HistoryRecord>();
      for (const entry of latestFirst)
        if ((by === undefined || hasRole(entry, by)) && !latest.has(entry.invocation_id))
          latest.set(entry.invocation_id, entry);
      const left = behind(latestFirst, cursorOf, after);
      const found = [];
      let scanned = 0;
      while (scanned < Math.min(left.length, scanLimit) && found.length < limit) {
        const entry = left[scanned] as HistoryRecord;
        scanned++;
        if (latest.get(entry.invocation_id) === entry)
          found.push({ invocation_id: entry.invocation_id, cursor: cursorOf(entry) });
      }
      const last = left[scanned - 1];
      return {
        rows: found,
        scanned,
        exhausted: scanned === left.length,
        last_cursor: last === undefined ? (after ?? null) : cursorOf(last),
      };
    },

    listDefined: (filter, slice) =>
      sliceOf(
        newestFirst.filter((row) => definitionMeets(row, filter)),
        slice,
      ).map(({ invocation_id }) => ({ invocation_id, cursor: invocation_id })),
    scanDefined(filter, limit, scanLimit, after) {
      const left = behind(newestFirst, (row) => row.invocation_id, after);
      const found = [];
      let scanned = 0;
      while (scanned < Math.min(left.length, scanLimit) && found.length < limit) {
        const row = left[scanned] as InvocationRecord;
        scanned++;
        if (definitionMeets(row, filter)) found.push({ invocation_id: row.invocation_id, cursor: row.invocation_id });
      }
      return {
        rows: found,
        scanned,
        exhausted: scanned === left.length,
        last_cursor: left[scanned - 1]?.invocation_id ?? after ?? null,
      };
    },
    countDefined: () => definitions.length,
    childrenOf: (ids, limit) =>
      limited(
        definitions.flatMap(({ invocation_id, parent_invocation_id }) =>
          parent_invocation_id !== null && ids.includes(parent_invocation_id)
            ? [{ invocation_id, parent_invocation_id }]
            : [],
        ),
        (row) => row.parent_invocation_id,
        limit,
      ),
    countChildren: (id) => definitions.filter((row) => row.parent_invocation_id === id).length,
    invocationsOfEvents: (ids, limit) =>
      limited(
        definitions.flatMap(({ invocation_id, parent_event_id }) =>
          parent_event_id !== null && ids.includes(parent_event_id) ? [{ invocation_id, parent_event_id }] : [],
        ),
        (row) => row.parent_event_id,
        limit,
      ),
    resultsOf: (ids, bytes) => rows.results.filter(ofAny(ids)).map((row) => boundedValue(row, bytes)),
    exceptionsOf: (ids, bytes) => rows.exceptions.filter(ofAny(ids)).map((row) => boundedValue(row, bytes)),

    runnerContexts: (ids) => contexts.filter((context) => ids.includes(context.runner_id)),
    runnerIdsLike: (parts, place, limit) =>
      matchingRunnerIds(
        contexts.map((context) => context.runner_id),
        parts,
        place,
        limit,
      ),
    listRunnerContexts: (slice, parent) =>
      sliceOf(
        [...contexts].reverse().filter((context) => parent === undefined || context.parent_ctx_id === parent),
        slice,
      ),
    countRunnerContexts: (ids) =>
      contexts.filter((context) => ids === undefined || ids.includes(context.runner_id)).length,

    countCallers: () => contexts.filter((context) => context.runner_id.startsWith(EXTERNAL_ID)).length,

    workflowTypes: () =>
      Object.entries(counted(workflows, (run) => run.workflow_type_key))
        .map(([workflow_type_key, runs]) => ({ workflow_type_key, runs }))
        .sort((a, b) => (a.workflow_type_key < b.workflow_type_key ? -1 : 1)),
    workflowRuns: (slice, type) =>
      sliceOf(
        [...workflows].reverse().filter((run) => type === undefined || run.workflow_type_key === type),
        slice,
      ),
    workflowRunsByIds: (ids) => workflows.filter((run) => ids.includes(run.workflow_id)),
    subWorkflows: (id, limit) => workflows.filter((run) => run.parent_workflow_id === id).slice(0, limit),
    workflowMembers: (id, slice) => sliceOf(membersOf(id), slice),
    countWorkflowMembers: (ids) =>
      Object.fromEntries(
        unique(ids).flatMap((id) => {
          const found = membersOf(id).length;
          return found === 0 ? [] : [[id, { members: found, exact: true }]];
        }),
      ),
    workflowData: (id, slice) =>
      sliceOf(
        sortedBy(
          rows.workflow_data.filter((data) => data.workflow_id === id),
          (data) => data.data_key,
        ),
        slice,
      ).map(({ data_key, data_value: whole }) => {
        const { text: data_value, ...mark } = boundedText(whole, LIST_BYTES);
        return { data_key, data_value, ...mark };
      }),
    countWorkflowData: (ids) =>
      counted(
        rows.workflow_data.filter((data) => ids.includes(data.workflow_id)),
        (data) => data.workflow_id,
      ),

    historyBetween: (window, limit, end) => {
      const entries = within(window);
      return end === "earliest" ? entries.slice(0, limit) : entries.slice(Math.max(0, entries.length - limit));
    },
    historyWithin: (windows, each) => windows.map((window) => within(window).slice(0, each)),
    printedBetween: (window, limit) => printed(within(window).slice(-limit)),
    historyEnd: () => `${rows.history.length} ${signOf(rows.history.at(-1))}`,
    historyFrom(cursor, direction, limit) {
      const space = cursor.indexOf(" ");
      const at = Number(cursor.slice(0, space));
      const nothing = { entries: [], prints: [], cursor, exhausted: true, lost: false, late: 0 };
      if (direction === "older") {
        const { entries, ...reached } = before(cursor, limit);
        return { ...nothing, ...reached, ...printed(entries) };
      }
      if (signOf(rows.history[at - 1]) !== cursor.slice(space + 1)) return { ...nothing, lost: true };
      const entries = rows.history.slice(at, at + limit);
      const last = entries.at(-1);
      return {
        ...nothing,
        ...printed(entries),
        cursor: last === undefined ? cursor : `${at + entries.length} ${signOf(last)}`,
        exhausted: entries.length < limit,
      };
    },
    printsBefore(cursor, limit) {
      const { entries, ...reached } = before(cursor, limit);
      return { ...reached, prints: printed(entries).prints };
    },
    countHistory: (window) => ({ entries: within(window).length, exact: true }),
    lastEntriesBefore: (ids, before) =>
      unique(ids).flatMap((id) => entriesOf(id).findLast((entry) => entry.written_at < before) ?? []),
    surveyHistory({ from, to }, slices) {
      const surveyed = Array.from({ length: slices }, () => new Map<string, SurveyedSlice["shares"][number]>());
      for (const { runner_context_id, status, written_at } of within({ from, to })) {
        const shares = surveyed[Math.min(slices - 1, Math.floor(((written_at - from) / (to - from)) * slices))];
        const key = `${status} ${runner_context_id}`;
        shares?.set(key, { runner_context_id, status, met: (shares.get(key)?.met ?? 0) + 1 });
      }
      return {
        slices: surveyed.map((shares) => ({
          entries: [...shares.values()].reduce((sum, { met }) => sum + met, 0),
          shares: [...shares.values()],
        })),
        exact: true,
      };
    },
    historySpan: () => {
      const [first, last] = [history[0], history.at(-1)];
      return first === undefined || last === undefined ? null : { first: first.written_at, last: last.written_at };
    },
  };
}

function boundedValue(
  { invocation_id, stored: whole }: StoredValueRecord,
  bytes: number = VALUE_BYTES,
): StoredValueRecord {
  const { text: stored, ...mark } = boundedText(whole, bytes);
  return { invocation_id, stored, ...mark };
}

function printed(entries: HistoryRecord[]): PrintedHistory {
  return {
    entries,
    prints: entries.map((entry) => ({
      written_at: entry.written_at,
      print: printOf(entry.written_at, [JSON.stringify(entry)]),
    })),
  };
}

/** Tells an entry from another one at its place. */
function signOf(entry: HistoryRecord | undefined): string {
  return entry === undefined ? "" : JSON.stringify([entry.invocation_id, entry.written_at, entry.status]);
}

function endOf({ status, timestamp, written_at }: HistoryRecord): HistoryEnd {
  return { status, timestamp, written_at };
}
