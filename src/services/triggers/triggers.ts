/** Trigger definitions registered by runners. */

import type { TriggerCondition, TriggerDetail, TriggerList, TriggerRow, TriggerWaiting } from "../../api/triggers.ts";
import { NotFoundError } from "../../errors.ts";
import { triggersInput } from "../../inputs/triggers.ts";
import { describeArgumentProvider } from "../../pynenc/argument-providers.ts";
import { isOffSchedule } from "../../pynenc/conditions.ts";
import { addTo } from "../../pynenc/groups.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { ConditionRecord, TriggerRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TriggerRunSearch } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { conditionView } from "../model/condition-views.ts";
import { conditionMap, hasServiceRunner, listPending, pendingOf, triggerWaiting } from "../model/pending-conditions.ts";
import { valueReader } from "../model/stored-values.ts";
import { nextTimes } from "./conditions.ts";
import { triggerRunRows } from "./trigger-runs.ts";

/** Conditions shown per row. */
const CONDITIONS_IN_ROW = 5;

/** Valid conditions read per condition, to find out which conditions of a trigger are met. */
const PENDING_EACH = 3;
const PENDING_SHOWN = 20;
/** Valid conditions read per condition for the page of a single trigger, which lists them. */
const PENDING_EACH_SHOWN = 5;

/** Triggers of one task that are read. */
const TRIGGERS_OF_TASK = 20;

/** @throws InvalidInputError */
export function listTriggers(app: OpenedApp, raw: RawInput): Promise<TriggerList> {
  const input = parseInput(triggersInput, raw);
  const wanted = { number: input.page, size: input.limit };
  return app.store.read(async (reads) => {
    const [{ components }, listed, { triggers: total }] = await Promise.all([
      reads.layout.capabilities(),
      reads.trigger.triggers({}, sliceOf(wanted)),
      reads.trigger.countDefinitions(),
    ]);
    const { rows, page } = pageOf(listed, wanted, components.trigger ? total : null);
    const shown = rows.map((row) => row.condition_ids.slice(0, CONDITIONS_IN_ROW));
    const own = rows.flatMap((row) => row.condition_ids.slice(0, CONDITIONS_SHOWN));
    const [conditions, pending, met, turns] = await Promise.all([
      conditionMap(reads, shown.flat()),
      listPending(reads, PENDING_SHOWN),
      pendingOf(reads, [...new Set(own)], PENDING_EACH),
      hasServiceRunner(app, reads),
    ]);
    const groups = new Map<string, TriggerRow[]>();
    for (const row of rows) {
      const waiting = triggerWaiting(row, met, turns);
      addTo(groups, row.task_id_key, { ...triggerRow(row, conditions, app.now()), waiting });
    }
    return {
      stored: components.trigger,
      tasks: [...groups].map(([task_id_key, triggers]) => ({ task_id_key, core: isCoreTask(task_id_key), triggers })),
      page,
      pending,
    };
  });
}

/** Triggers of a task for whose next run something was met, with what each of them waits for. */
export async function waitingTriggersOf(
  app: OpenedApp,
  reads: AppReads,
  task: string,
): Promise<{ trigger_id: string; waiting: TriggerWaiting }[]> {
  const triggers = await reads.trigger.triggers(
    { by: "task_id_key", ids: [task] },
    { limit: TRIGGERS_OF_TASK, offset: 0 },
  );
  if (triggers.length === 0) return [];
  const ids = triggers.flatMap(({ condition_ids }) => condition_ids.slice(0, CONDITIONS_SHOWN));
  const [pending, turns] = await Promise.all([
    pendingOf(reads, [...new Set(ids)], PENDING_EACH),
    hasServiceRunner(app, reads),
  ]);
  return triggers.flatMap((trigger) => {
    const waiting = triggerWaiting(trigger, pending, turns);
    return waiting === null ? [] : [{ trigger_id: trigger.trigger_id, waiting }];
  });
}

function triggerRow(
  trigger: TriggerRecord,
  conditions: ReadonlyMap<string, ConditionRecord>,
  now: number,
): Omit<TriggerRow, "waiting"> {
  const ids = trigger.condition_ids.slice(0, CONDITIONS_IN_ROW);
  const schedules = ids.map((id) => nextTimes(conditions.get(id)?.condition_json, now));
  const times = schedules.flatMap(({ next_times }) => next_times.slice(0, 1));
  return {
    trigger_id: trigger.trigger_id,
    task_id_key: trigger.task_id_key,
    logic_value: trigger.logic_value,
    conditions: ids.map((id) => ({ condition_id: id, sentence: conditionView(id, conditions.get(id)).sentence })),
    conditions_count: trigger.condition_ids.length,
    argument_provider: describeArgumentProvider(trigger.argument_provider_json).sentence,
    next_time: times.sort()[0] ?? null,
    never_due: times.length === 0 && schedules.some(({ never_due }) => never_due),
  };
}

const RUNS_SHOWN = 20;
/** The newest that are read where the store has no index of the runs of a task: with it, the newest of that task. */
const RUNS_SEARCHED = 5_000;
const CONDITIONS_SHOWN = 100;
const ARGUMENTS_SHOWN = 100;
const JSON_SHOWN = 10_000;

/** @throws NotFoundError */
export function triggerDetail(app: OpenedApp, id: string): Promise<TriggerDetail> {
  return app.store.read(async (reads) => {
    const [[trigger], { events: recorded }] = await Promise.all([
      reads.trigger.triggers({ by: "trigger_id", ids: [id] }, { limit: 1, offset: 0 }),
      reads.layout.capabilities(),
    ]);
    if (trigger === undefined) {
      const hint =
        "Runners register the triggers of their tasks when they start, and remove those that no longer exist.";
      throw new NotFoundError("trigger", id, hint);
    }
    // The task allows the use of an index; the id alone has none (storage-format.md 3.6).
    const filter = { trigger_id: id, task_id_key: trigger.task_id_key };
    const provider = describeArgumentProvider(trigger.argument_provider_json);
    const given = Object.entries(provider.arguments).slice(0, ARGUMENTS_SHOWN);
    const ids = trigger.condition_ids.slice(0, CONDITIONS_SHOWN);
    const [conditions, pending, turns, runs, show] = await Promise.all([
      conditionMap(reads, ids),
      pendingOf(reads, ids, PENDING_EACH_SHOWN),
      hasServiceRunner(app, reads),
      reads.trigger.searchTriggerRuns(filter, { limit: RUNS_SHOWN, offset: 0 }, RUNS_SEARCHED),
      valueReader(
        reads,
        given.map(([, stored]) => stored),
      ),
    ]);
    return {
      trigger_id: id,
      task_id_key: trigger.task_id_key,
      core: isCoreTask(trigger.task_id_key),
      logic_value: trigger.logic_value,
      argument_provider: {
        type: provider.type,
        sentence: provider.sentence,
        arguments: given.map(([name, stored]) => ({ name, value: show(stored) })),
        json: trigger.argument_provider_json?.slice(0, JSON_SHOWN) ?? null,
      },
      conditions: ids.map((conditionId) => ({
        ...triggerCondition(conditionId, conditions.get(conditionId), app.now()),
        met: pending.total === null ? null : pending.rows.some((row) => row.condition_id === conditionId),
      })),
      waiting: triggerWaiting(trigger, pending, turns),
      pending,
      conditions_count: trigger.condition_ids.length,
      events_recorded: recorded,
      trigger_runs: await triggerRunRows(reads, runs.runs),
      trigger_runs_count: recorded ? runs.matching : null,
      trigger_runs_capped: !runs.complete,
      off_schedule: runs.runs.filter((run) => wasOffSchedule(run, conditions)).length,
      no_runs: runs.runs.length > 0 ? null : noRunWords(recorded, runs),
    };
  });
}

function wasOffSchedule({ participants }: TriggerRunRecord, conditions: ReadonlyMap<string, ConditionRecord>): boolean {
  return participants.some(
    ({ condition_id: id, context_timestamp: at }) =>
      at !== null && isOffSchedule(conditions.get(id ?? "")?.condition_json ?? "", at),
  );
}

function noRunWords(recorded: boolean, { complete, scanned }: TriggerRunSearch): string {
  if (!recorded) return "pynenc records trigger runs since 0.2.4; this store is older.";
  if (complete) return "No runs recorded.";
  return `No run among the newest ${grouped(scanned)} trigger runs; older ones were not searched.`;
}

function triggerCondition(id: string, record: ConditionRecord | undefined, now: number): Omit<TriggerCondition, "met"> {
  return {
    ...conditionView(id, record),
    last_cron_execution: isoOrNull(record?.last_cron_execution),
    ...nextTimes(record?.condition_json, now),
  };
}
