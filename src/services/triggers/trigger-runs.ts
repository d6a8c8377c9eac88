/** Lists of trigger runs: what met a trigger's conditions, and what the trigger then started. */
import type { TriggerRunList, TriggerRunRow } from "../../api/trigger-runs.ts";
import { CONTEXT_KINDS, contextClass } from "../../pynenc/context-summary.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { TriggerRunRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TriggerRunFilter } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { choice, integer, pageNumber, parseInput, type RawInput, text } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { TIME_BOUNDS, timeBounds } from "../input/time-bounds.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { withWholeIds } from "../model/resolve-ids.ts";
import { causesOf } from "../model/run-causes.ts";
import { triggeredTasks } from "../model/task-keys.ts";

const MAX_PAGE_SIZE = 200;

const SHAPE = {
  task: text,
  trigger: text,
  ...TIME_BOUNDS,
  kind: choice(["", ...CONTEXT_KINDS], ""),
  page: pageNumber,
  limit: integer(1, MAX_PAGE_SIZE, 25),
};

/** Newest runs read if there is a filter. */
const LOOK_LIMIT = 10_000;

/** Enough to count any store. */
const ALL = 1_000_000_000;

const CAUSES_IN_ROW = 3;

/** A page of runs, the latest written first. @throws InvalidInputError */
export async function listTriggerRuns(app: OpenedApp, raw: RawInput): Promise<TriggerRunList> {
  const input = parseInput(SHAPE, await withWholeIds(app, raw, { trigger: ["trigger"] }));
  const bounds = timeBounds(input, raw, app.now());
  const wanted = { number: input.page, size: input.limit };
  const kind = CONTEXT_KINDS.find((known) => known === input.kind) ?? null;
  const filter: TriggerRunFilter = {
    ...(input.task !== undefined && { task_id_key: input.task }),
    ...(input.trigger !== undefined && { trigger_id: input.trigger }),
    ...bounds,
    ...(kind !== null && { context_type: contextClass(kind) }),
  };
  const unfiltered = Object.keys(filter).length === 0;
  const all = unfiltered ? await app.memo("trigger runs", (reads) => reads.trigger.countTriggerRuns({}, ALL)) : null;
  const tasks = await triggeredTasks(app);
  return app.store.read(async (reads) => {
    const { events: recorded } = await reads.layout.capabilities();
    const found =
      all === null
        ? await reads.trigger.searchTriggerRuns(filter, sliceOf(wanted), LOOK_LIMIT)
        : { runs: await reads.trigger.listTriggerRuns({}, sliceOf(wanted)), matching: all, looked: all, whole: true };
    // If older runs were not read, the matches found are no total.
    const isKnown = recorded && (found.whole || found.matching === found.looked);
    const { rows, page } = pageOf(found.runs, wanted, isKnown ? found.matching : null, isKnown && !found.whole);
    return {
      events_recorded: recorded,
      trigger_runs: await triggerRunRows(reads, rows),
      page,
      filter: {
        task: input.task ?? null,
        trigger: input.trigger ?? null,
        from: isoOrNull(bounds.from),
        to: isoOrNull(bounds.to),
        kind,
      },
      task_id_keys: tasks.flatMap((task) => (task.triggers > 0 ? [task.task_id_key] : [])).sort(),
      notes: found.whole || isKnown || page.has_next ? [] : [reachOf(found.looked)],
    };
  });
}

function reachOf(looked: number): string {
  return `The newest ${grouped(looked)} trigger runs were searched; older ones may match too. To search further back, end the time range earlier.`;
}

/** Rows in the order of the records. Four batched reads whatever their number. */
export async function triggerRunRows(reads: AppReads, records: readonly TriggerRunRecord[]): Promise<TriggerRunRow[]> {
  if (records.length === 0) return [];
  const [triggers, invocations] = await Promise.all([
    reads.trigger.triggersByIds([...new Set(records.map((record) => record.trigger_id))]),
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
