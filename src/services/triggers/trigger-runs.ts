/** Lists of trigger runs: what met the conditions of a trigger, and what it then started. */

import type { TriggerRunList, TriggerRunRow } from "../../api/trigger-runs.ts";
import { triggerRunsInput } from "../../inputs/triggers.ts";
import { contextClass } from "../../pynenc/context-summary.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { TriggerRunRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TriggerRunFilter } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { cursorsIn, pageOf, sliceOf } from "../input/paging.ts";
import { timeBounds } from "../input/time-bounds.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { unknownAmong } from "../model/known-names.ts";
import { withFullIds } from "../model/resolve-ids.ts";
import { causesOf } from "../model/run-causes.ts";
import { triggeredTasks, withTaskKey } from "../model/task-keys.ts";

/** Maximum number of runs read when filtering, newest first. */
const SCAN_LIMIT = 10_000;

/** More than any store contains. */
const ALL = 1_000_000_000;

const CAUSES_IN_ROW = 3;

/** A page of runs, the latest written first. @throws InvalidInputError */
export async function listTriggerRuns(app: OpenedApp, raw: RawInput): Promise<TriggerRunList> {
  const withIds = await withFullIds(app, raw, { trigger: ["trigger"] });
  const input = parseInput(triggerRunsInput, await withTaskKey(app, withIds, "task"));
  const bounds = timeBounds(input, raw, app.now());
  const wanted = { number: input.page, size: input.limit };
  const after = cursorsIn(input.after, input.page > 1 ? "page" : null).at(-1);
  const filter: TriggerRunFilter = {
    ...(input.task !== undefined && { task_id_key: input.task }),
    ...(input.trigger !== undefined && { trigger_id: input.trigger }),
    ...bounds,
    ...(input.kind !== undefined && { context_type: contextClass(input.kind) }),
    ...(after !== undefined && { after }),
  };
  const unfiltered = Object.keys(filter).length === 0;
  const all = unfiltered ? await app.memo("trigger runs", (reads) => reads.trigger.countTriggerRuns({}, ALL)) : null;
  const tasks = await triggeredTasks(app);
  const list = await app.store.read(async (reads) => {
    const { events: recorded } = await reads.layout.capabilities();
    const found =
      all === null
        ? await reads.trigger.searchTriggerRuns(filter, sliceOf(wanted), SCAN_LIMIT)
        : {
            runs: await reads.trigger.listTriggerRuns({}, sliceOf(wanted)),
            matching: all,
            scanned: all,
            complete: true,
            last_scanned: null,
          };
    // The matches found are not the total if older runs were not read, or if the page starts at a cursor.
    const isCounted = found.complete || found.matching === found.scanned;
    const isKnown = recorded && isCounted && after === undefined;
    const { rows, page } = pageOf(found.runs, wanted, isKnown ? found.matching : null, isKnown && !found.complete);
    const unread = found.complete ? null : found.last_scanned;
    return {
      events_recorded: recorded,
      trigger_runs: await triggerRunRows(reads, rows),
      page,
      older: page.has_next ? (rows.at(-1)?.trigger_run_id ?? null) : unread,
      filter: {
        task: input.task ?? null,
        trigger: input.trigger ?? null,
        from: isoOrNull(bounds.from),
        to: isoOrNull(bounds.to),
        kind: input.kind ?? null,
      },
      task_id_keys: tasks.flatMap((task) => (task.triggers > 0 ? [task.task_id_key] : [])).sort(),
      notes: isCounted || page.has_next ? [] : [reachOf(found.scanned, after === undefined)],
    };
  });
  if (list.trigger_runs.length > 0 || input.task === undefined) return list;
  const unknown = await unknownAmong(app, { tasks: [input.task] });
  return { ...list, notes: [...list.notes, ...unknown.map(({ sentence }) => sentence)] };
}

function reachOf(scanned: number, fromNewest: boolean): string {
  const searched = fromNewest ? `The newest ${grouped(scanned)}` : `${grouped(scanned)} older`;
  return `${searched} trigger runs were searched; older ones may match too.`;
}

/** Rows in the order of the records, with four batched reads. */
export async function triggerRunRows(reads: AppReads, records: readonly TriggerRunRecord[]): Promise<TriggerRunRow[]> {
  if (records.length === 0) return [];
  const ids = [...new Set(records.map((record) => record.trigger_id))];
  const [triggers, invocations] = await Promise.all([
    reads.trigger.triggers({ by: "trigger_id", ids }, { limit: ids.length, offset: 0 }),
    invocationRows(reads, [...new Set(records.flatMap((record) => record.triggered_invocation_id ?? []))]),
  ]);
  const registered = new Set(triggers.map((trigger) => trigger.trigger_id));
  const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
  return records.map((record) => {
    const causes = causesOf(record);
    return {
      trigger_run_id: record.trigger_run_id,
      trigger_id: record.trigger_id,
      trigger_registered: registered.has(record.trigger_id),
      task_id_key: record.task_id_key,
      logic_value: record.logic_value,
      claimed_at: isoOrNull(record.claimed_at),
      executed_at: isoOrNull(record.executed_at),
      causes: causes.slice(0, CAUSES_IN_ROW),
      causes_count: causes.length,
      triggered_invocation: invocationById.get(record.triggered_invocation_id ?? "") ?? null,
    };
  });
}
