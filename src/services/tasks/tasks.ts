import type { CallRow, TaskDetail, TaskList, TaskRow } from "../../api/tasks.ts";
import { NotFoundError } from "../../errors.ts";
import { invocationPages, tasksInput } from "../../inputs/tasks.ts";
import { folded } from "../../pynenc/folded.ts";
import { isCoreTask, parseTaskKey } from "../../pynenc/identifiers.ts";
import { type EpochSeconds, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { countByTaskAndStatus, invocationTotals, type TaskStatusShare } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { argumentsLine } from "../model/arguments-line.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { isBounded, notFoundHint, notOlder, STILL_SCANNING, sliceOfInvocations } from "../model/listed-invocations.ts";
import { taskKeys, triggeredTasks } from "../model/task-keys.ts";
import { statusesByTask } from "../model/task-statuses.ts";
import { latelyNoted, trends } from "../stats/trends.ts";

/** Newest invocations of a task from which its calls are collected. */
const CALLS_FROM = 500;
const CALLS_SHOWN = 50;

const STILL_COUNTING = "Still counting the invocations of this large store. Try again in a moment.";

/**
 * All tasks, by default those with failed invocations first.
 *
 * @param figures the range of figures over time, only for pages: a command would have to read it first.
 * @throws InvalidInputError
 */
export async function listTasks(
  app: OpenedApp,
  raw: RawInput = {},
  figures: RawInput | null = null,
): Promise<TaskList> {
  const { name = "", sort } = parseInput(tasksInput, raw);
  const filter = { name: name === "" ? null : name, sort };
  const all = await taskKeys(app);
  const keys = all.filter((key) => folded(key).includes(folded(name)));
  const counts = await countByTaskAndStatus(app);
  const [rows, over] = await Promise.all([
    taskRows(app, keys, counts),
    figures === null ? null : trends(app, keys, figures),
  ]);
  if (sort === "failing") rows.sort((a, b) => failed(b) - failed(a));
  const list = { filter, tasks: rows, total: all.length, trends: over };
  if (counts === null) return { ...list, notes: [STILL_COUNTING] };
  const onlyTriggers = rows.filter((row) => row.invocations_count === 0).length;
  const { complete } = await invocationTotals(app);
  const notes: string[] = [];
  if (!complete) notes.push(STILL_SCANNING);
  if (onlyTriggers > 0) {
    notes.push(
      `${onlyTriggers} of these tasks ${onlyTriggers === 1 ? "has" : "have"} no invocation in the store${complete ? "" : " as far as it was searched"}; triggers name them.`,
    );
  }
  return { ...list, notes };
}

function failed({ statuses }: TaskRow): number {
  return statuses.find(({ status }) => status === "failed")?.count ?? 0;
}

async function taskRows(
  app: OpenedApp,
  keys: readonly string[],
  counts: readonly TaskStatusShare[] | null,
): Promise<TaskRow[]> {
  const [triggered, latest] = await Promise.all([triggeredTasks(app), lastActivity(app)]);
  const countsByTask = statusesByTask(counts ?? []);
  const triggersByTask = new Map(triggered.map((t) => [t.task_id_key, t.triggers]));
  return keys.map((key) => {
    const parts = parseTaskKey(key);
    const statuses = countsByTask.get(key) ?? [];
    return {
      task_id_key: key,
      module: parts?.module ?? null,
      function: parts?.func ?? null,
      core: isCoreTask(key),
      invocations_count: counts && statuses.reduce((sum, row) => sum + row.count, 0),
      statuses,
      triggers: triggersByTask.get(key) ?? 0,
      last_activity: isoOrNull(latest[key]),
    };
  });
}

/** Time of the latest change per task. If all invocations of a task are forgotten, it is the last history entry of the newest one. */
async function lastActivity(app: OpenedApp): Promise<Record<string, EpochSeconds>> {
  const keys = await taskKeys(app);
  const { forgotten } = await app.inventory();
  return app.memo("task activity", async (reads) => {
    const latest = await reads.orchestrator.lastActivityOfTasks(keys);
    const others = keys.filter((key) => latest[key] === undefined);
    const newest = new Map(
      others.flatMap((task_id_key) =>
        forgotten
          .matching({ task_id_key })
          .slice(0, 1)
          .map((match) => [match.invocation_id, task_id_key] as const),
      ),
    );
    const spans = await reads.state_backend.historySpanOf([...newest.keys()]);
    const found = spans.map(({ invocation_id, last }) => [newest.get(invocation_id) ?? "", last.timestamp] as const);
    return { ...latest, ...Object.fromEntries(found) };
  });
}

/**
 * @param key usually `module.function`, but a store may contain any text, and pages link to it.
 * @param figures as for `listTasks`
 * @throws InvalidInputError, NotFoundError if nothing refers to the task.
 */
export async function taskDetail(
  app: OpenedApp,
  key: string,
  raw: RawInput,
  figures: RawInput | null = null,
): Promise<TaskDetail> {
  const input = parseInput(invocationPages, raw);
  const wanted = { number: input.page, size: input.limit };
  const counts = await countByTaskAndStatus(app);
  const [task] = (await taskKeys(app)).includes(key) ? await taskRows(app, [key], counts) : [];
  const inventory = await app.inventory();
  if (task === undefined) throw new NotFoundError("task", key, notFoundHint(inventory));
  const figured = await latelyNoted(app, { task_id: key }, figures);
  return app.store.read(async (reads) => {
    const filter = { task_id_key: key };
    const [listed, newest, bounded] = await Promise.all([
      sliceOfInvocations(reads, inventory, filter, sliceOf(wanted)),
      sliceOfInvocations(reads, inventory, filter, { limit: CALLS_FROM, offset: 0 }),
      wanted.number === 1 && isBounded(reads, filter),
    ]);
    const { rows, page } = pageOf(listed.invocation_ids, wanted, task.invocations_count, !inventory.forgotten.complete);
    const missing = bounded && !page.has_next && rows.length < (task.invocations_count ?? Number.POSITIVE_INFINITY);
    const calls = distinctCalls(await callsOf(reads, newest.invocation_ids));
    return {
      task,
      calls: await withPreviews(reads, calls.slice(0, CALLS_SHOWN)),
      calls_count: calls.length,
      calls_from: newest.invocation_ids.length,
      invocations: await invocationRows(reads, rows),
      page,
      ...figured,
      notes: [
        ...(counts === null ? [STILL_COUNTING] : []),
        ...(missing
          ? [notOlder(rows.length === 0 ? "No invocation of this task" : "The invocations listed are those")]
          : []),
      ],
    };
  });
}

/** The call key of each invocation, in the order given. */
async function callsOf(
  reads: AppReads,
  ids: readonly string[],
): Promise<{ invocation_id: string; call_id_key: string }[]> {
  const kept = await reads.orchestrator.statusesByIds(ids);
  const known = new Set(kept.map((row) => row.invocation_id));
  const forgotten = await reads.state_backend.invocationsByIds(ids.filter((id) => !known.has(id)));
  const callOf = new Map([...kept, ...forgotten].map((row) => [row.invocation_id, row.call_id_key]));
  return ids.flatMap((invocation_id) => {
    const call_id_key = callOf.get(invocation_id);
    return call_id_key === undefined ? [] : [{ invocation_id, call_id_key }];
  });
}

function distinctCalls(rows: readonly { invocation_id: string; call_id_key: string }[]): CallRow[] {
  const calls = new Map<string, CallRow>();
  for (const { invocation_id, call_id_key } of rows) {
    const call = calls.get(call_id_key);
    if (call === undefined) {
      const arguments_id = call_id_key.slice(call_id_key.lastIndexOf(":") + 1);
      const latest = { latest_invocation_id: invocation_id, arguments_preview: null };
      calls.set(call_id_key, { call_id_key, arguments_id, invocations_count: 1, ...latest });
    } else call.invocations_count++;
  }
  return [...calls.values()];
}

async function withPreviews(reads: AppReads, calls: readonly CallRow[]): Promise<CallRow[]> {
  const definitions = await reads.state_backend.invocationsByIds(calls.map((call) => call.latest_invocation_id));
  const previews = new Map(definitions.map((d) => [d.invocation_id, argumentsLine(d.serialized_arguments, d)]));
  return calls.map((call) => ({ ...call, arguments_preview: previews.get(call.latest_invocation_id) ?? null }));
}
