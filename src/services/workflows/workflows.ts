import type {
  WorkflowCall,
  WorkflowDebug,
  WorkflowRunDetail,
  WorkflowRunList,
  WorkflowRunRow,
  WorkflowStep,
  WorkflowTypeList,
  WorkflowTypeRow,
} from "../../api/workflows.ts";
import { NotFoundError } from "../../errors.ts";
import { workflowInput, workflowRunsInput } from "../../inputs/workflows.ts";
import { parseTaskKey } from "../../pynenc/identifiers.ts";
import type { WorkflowRunRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoOrNull } from "../../pynenc/time.ts";
import type { WorkflowTypeCount } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { PREVIEW_BYTES } from "../../stores/value-limit.ts";
import { countByTaskAndStatus, invocationTotals, workflowTypeCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { valueLine } from "../model/arguments-line.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { storedArguments } from "../model/stored-arguments.ts";
import { exceptionReader, outcomeOf, SHOWN_CHARACTERS, valueReader } from "../model/stored-values.ts";
import { invokedTaskKeys } from "../model/task-keys.ts";
import { statusesByTask } from "../model/task-statuses.ts";
import { listTimeline } from "../model/timeline-links.ts";

const SUB_WORKFLOWS_SHOWN = 100;
const DATA_SHOWN = 200;
const STEPS_SHOWN = 50;
/** Limit of history entries read for the steps: some twenty for each. */
const STEP_ENTRIES = 1_000;
/** How many members of a page are drawn on the timeline. */
const MEMBERS_DRAWN = 100;

export async function workflowTypes(app: OpenedApp): Promise<WorkflowTypeList> {
  const types = await workflowTypeCounts(app);
  const counts = await countByTaskAndStatus(app);
  const { complete } = await invocationTotals(app);
  const statuses = counts === null || !complete ? null : statusesByTask(counts);
  return app.store.read(async (reads) => {
    // One newest run per type takes a call per type. Types come from the code of the app, so they are few, even up to 0.2.4, where every task is one.
    const newest = await Promise.all(
      types.map((t) =>
        reads.state_backend.workflowRuns({ limit: 1, offset: 0 }, { workflow_type_key: t.workflow_type_key }),
      ),
    );
    const latest = new Map((await runRows(reads, newest.flat())).map((run) => [run.workflow_type_key, run]));
    return {
      types: types.map((type) => ({
        ...typeRow(type, latest.get(type.workflow_type_key) ?? null),
        statuses: statuses === null ? null : (statuses.get(type.workflow_type_key) ?? []),
      })),
    };
  });
}

function typeRow(type: WorkflowTypeCount, latest: WorkflowRunRow | null): Omit<WorkflowTypeRow, "statuses"> {
  const parts = parseTaskKey(type.workflow_type_key);
  return { ...type, module: parts?.module ?? null, function: parts?.func ?? null, latest };
}

/**
 * Runs of one or all types, newest first.
 *
 * @throws InvalidInputError, NotFoundError if nothing has this type.
 */
export async function workflowRuns(
  app: OpenedApp,
  raw: RawInput,
  typeKey: string | null = null,
): Promise<WorkflowRunList> {
  const input = parseInput(workflowRunsInput, raw);
  const wanted = { number: input.page, size: input.limit };
  const types = await workflowTypeCounts(app);
  const ofType = types.find((t) => t.workflow_type_key === typeKey);
  if (typeKey !== null && ofType === undefined && !(await isTask(app, typeKey)))
    throw new NotFoundError("workflow type", typeKey);
  const total = typeKey === null ? types.reduce((sum, t) => sum + t.runs, 0) : (ofType?.runs ?? 0);
  return app.store.read(async (reads) => {
    const listed = await reads.state_backend.workflowRuns(
      sliceOf(wanted),
      typeKey === null ? {} : { workflow_type_key: typeKey },
    );
    const { rows, page } = pageOf(listed, wanted, total);
    return { workflow_type_key: typeKey, runs: await runRows(reads, rows), page };
  });
}

/** A task that never ran as a workflow gives an empty page, not an error. */
async function isTask(app: OpenedApp, key: string): Promise<boolean> {
  return (await invokedTaskKeys(app)).includes(key);
}

/** @throws NotFoundError if no run with this id started. */
export async function workflowRunDetail(app: OpenedApp, id: string, raw: RawInput): Promise<WorkflowRunDetail> {
  const input = parseInput(workflowInput, raw);
  const wanted = { number: input.page, size: input.limit };
  const dataWanted = { number: input.data_page, size: DATA_SHOWN };
  return app.store.read(async (reads) => {
    const [record] = await runsByIds(reads, [id]);
    if (record === undefined)
      throw new NotFoundError("workflow run", id, "An invocation that never started has no run.");
    const [called, members, subs, data, memberCounts, dataCounts, [definition], outcomes] = await Promise.all([
      reads.state_backend.childrenOf([id], STEPS_SHOWN + 1),
      reads.state_backend.workflowMembers(id, sliceOf(wanted)),
      reads.state_backend.subWorkflows(id, SUB_WORKFLOWS_SHOWN),
      reads.state_backend.workflowData(id, sliceOf(dataWanted)),
      reads.state_backend.countWorkflowMembers([id]),
      reads.state_backend.countWorkflowData([id]),
      reads.state_backend.invocationsByIds([id]),
      reads.state_backend.outcomesOf(["result", "exception"], [id]),
    ]);
    const { result, exception } = outcomeOf(outcomes);
    const counted = memberCounts[id] ?? { members: 0, exact: true };
    const memberPage = pageOf(members, wanted, counted.members, !counted.exact);
    const dataPage = pageOf(data, dataWanted, dataCounts === null ? data.length : (dataCounts[id] ?? 0));
    const given = storedArguments(definition);
    const show = await valueReader(reads, [
      ...dataPage.rows.map((row) => row.data_value),
      ...given.texts,
      ...(result === undefined ? [] : [result.stored]),
    ]);
    const readException = await exceptionReader(reads, exception === undefined ? [] : [exception.stored]);
    const [run, ...subRuns] = await runRows(reads, [record, ...subs]);
    if (run === undefined) throw new NotFoundError("workflow run", id);
    const calledIds = called.slice(0, STEPS_SHOWN).map((row) => row.invocation_id);
    const [rows, began] = await Promise.all([
      stepsOf(reads, [...new Set([...calledIds, ...memberPage.rows])]),
      beginnings(reads, calledIds),
    ]);
    const stepById = new Map(rows.map((row) => [row.invocation_id, row]));
    const listed = memberPage.rows.flatMap((member) => stepById.get(member) ?? []);
    return {
      run,
      ...given.shown(show),
      result: result === undefined ? null : show(result.stored, result),
      result_raw: result === undefined ? null : result.stored.slice(0, SHOWN_CHARACTERS),
      exception: exception === undefined ? null : readException(exception.stored, exception),
      exception_raw: exception === undefined ? null : exception.stored.slice(0, SHOWN_CHARACTERS),
      steps: calledIds.flatMap((step): WorkflowCall[] => {
        const row = stepById.get(step);
        return row === undefined ? [] : [{ ...row, began_at: isoOrNull(began.get(step)) }];
      }),
      steps_more: called.length > STEPS_SHOWN,
      members: listed,
      members_page: memberPage.page,
      sub_workflows: subRuns,
      data: dataPage.rows.map((row) => ({
        data_key: row.data_key,
        purpose: purposeOf(row.data_key),
        value: show(row.data_value, row),
        invocation_id: row.data_key.startsWith("task_invocation:") ? unquoted(row.data_value) : null,
      })),
      data_page: dataPage.page,
      timeline: listTimeline([run.invocation, ...listed.slice(0, MEMBERS_DRAWN)]),
    };
  });
}

async function stepsOf(reads: AppReads, ids: readonly string[]): Promise<WorkflowStep[]> {
  const [rows, results, runs] = await Promise.all([
    invocationRows(reads, ids),
    reads.state_backend.outcomesOf(["result"], ids, PREVIEW_BYTES),
    runsByIds(reads, ids),
  ]);
  const resultById = new Map(results.map((row) => [row.invocation_id, valueLine(row.stored, row)]));
  const runIds = new Set(runs.map((record) => record.workflow_id));
  return rows.map((row) => ({
    ...row,
    result: resultById.get(row.invocation_id) ?? null,
    starts_run: runIds.has(row.invocation_id),
  }));
}

/** When the code of each first ran, as far as the history is stored. */
async function beginnings(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, EpochSeconds>> {
  if (ids.length === 0) return new Map();
  const entries = await reads.state_backend.historyOf(ids, STEP_ENTRIES);
  return new Map(
    entries
      .toReversed()
      .flatMap((entry) => (entry.status === "running" ? [[entry.invocation_id, entry.timestamp] as const] : [])),
  );
}

/** Keys written by pynenc itself (storage-format.md 3.4). */
function purposeOf(key: string): string | null {
  if (key.startsWith("task_invocation:")) return "invocation of a call, for replays";
  if (/^(random|time|uuid):\d+$/.test(key)) return "deterministic value given to the workflow";
  if (/^counter:(random|time|uuid)$/.test(key)) return "number of deterministic values given so far";
  if (key === "workflow:base_time") return "start of the workflow's deterministic time";
  return null;
}

function unquoted(stored: string): string | null {
  return /^"([0-9a-zA-Z-]+)"$/.exec(stored)?.[1] ?? null;
}

function runsByIds(reads: AppReads, ids: readonly string[]): Promise<WorkflowRunRecord[]> {
  return reads.state_backend.workflowRuns({ limit: ids.length, offset: 0 }, { workflow_ids: ids });
}

async function runRows(reads: AppReads, records: readonly WorkflowRunRecord[]): Promise<WorkflowRunRow[]> {
  const ids = records.map((r) => r.workflow_id);
  const parentIds = [...new Set(records.flatMap((r) => (r.parent_workflow_id === null ? [] : [r.parent_workflow_id])))];
  const [invocations, parents, members, data] = await Promise.all([
    invocationRows(reads, ids),
    runsByIds(reads, parentIds),
    reads.state_backend.countWorkflowMembers(ids),
    reads.state_backend.countWorkflowData(ids),
  ]);
  const typeOfParent = new Map(parents.map((p) => [p.workflow_id, p.workflow_type_key]));
  return records.flatMap((record, index) => {
    const invocation = invocations[index];
    if (invocation === undefined) return [];
    return [
      {
        ...record,
        invocation,
        parent_workflow_type_key:
          record.parent_workflow_id === null ? null : (typeOfParent.get(record.parent_workflow_id) ?? null),
        members_count: members[record.workflow_id]?.members ?? 0,
        members_capped: members[record.workflow_id]?.exact === false,
        data_rows: data === null ? null : (data[record.workflow_id] ?? 0),
      },
    ];
  });
}

/** The data behind the workflow pages, for developers of the monitor. */
export async function workflowDebug(app: OpenedApp): Promise<WorkflowDebug> {
  const types = await workflowTypeCounts(app);
  const tasks = await invokedTaskKeys(app);
  return { app_id: app.app_id, tasks, types, runs: types.reduce((sum, type) => sum + type.runs, 0) };
}
