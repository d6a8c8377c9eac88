/** Trigger definitions as runners registered them. */
import { NotFoundError } from "../../errors.ts";
import { describeArgumentProvider } from "../../pynenc/argument-providers.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import type { ConditionRecord, TriggerRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { integer, pageNumber, parseInput, type RawInput } from "../input/input.ts";
import { type PageInfo, pageOf, sliceOf } from "../input/paging.ts";
import type { ShownArgument } from "../model/stored-arguments.ts";
import { valueReader } from "../model/stored-values.ts";
import { type ConditionView, conditionView } from "./condition-views.ts";
import { nextTimes } from "./conditions.ts";
import {
  type ConditionWords,
  conditionMap,
  hasServiceRunner,
  listPending,
  type PendingList,
  pendingOf,
  type TriggerWaiting,
  triggerWaiting,
} from "./pending-conditions.ts";
import { type TriggerRunRow, triggerRunRows } from "./trigger-runs.ts";

export interface TriggerRow {
  trigger_id: string;
  task_id_key: string;
  /** `and`: all conditions; `or`: any of them. */
  logic_value: string;
  /** The first few. */
  conditions: ConditionWords[];
  conditions_count: number;
  /** Where the arguments of the call come from, in words. */
  argument_provider: string;
  /** When one of its schedules comes true next. */
  next_time: string | null;
  /** How far it is, when conditions of it are met for which it has not run; null when nothing waits for it. */
  waiting: TriggerWaiting | null;
}

export interface TaskTriggers {
  task_id_key: string;
  /** One of pynenc's own recovery tasks. */
  core: boolean;
  triggers: TriggerRow[];
}

export interface TriggerList {
  /** False when the trigger component is kept in memory or elsewhere: then nothing is known. */
  stored: boolean;
  /** By task, then id; a task may go on on the next page. */
  tasks: TaskTriggers[];
  page: PageInfo;
  /** Conditions that were met and wait for their triggers: of all triggers, whatever the page. */
  pending: PendingList;
}

/** Conditions that one line shows. */
const CONDITIONS_IN_ROW = 5;

/** Valid conditions of each condition that are looked at to tell how far a trigger is. */
const PENDING_EACH = 3;
const PENDING_SHOWN = 20;
/** The same on the page of a single trigger, which shows them. */
const PENDING_EACH_SHOWN = 5;

/** @throws InvalidInputError */
export function listTriggers(app: OpenedApp, raw: RawInput): Promise<TriggerList> {
  const input = parseInput({ page: pageNumber, limit: integer(1, 200, 50) }, raw);
  const wanted = { number: input.page, size: input.limit };
  return app.store.read(async (reads) => {
    const [{ components }, listed, { triggers: total }] = await Promise.all([
      reads.layout.capabilities(),
      reads.trigger.listTriggers(sliceOf(wanted)),
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
      const shownRow = { ...triggerRow(row, conditions, app.now()), waiting };
      groups.set(row.task_id_key, [...(groups.get(row.task_id_key) ?? []), shownRow]);
    }
    return {
      stored: components.trigger,
      tasks: [...groups].map(([task_id_key, triggers]) => ({ task_id_key, core: isCoreTask(task_id_key), triggers })),
      page,
      pending,
    };
  });
}

function triggerRow(
  trigger: TriggerRecord,
  conditions: ReadonlyMap<string, ConditionRecord>,
  now: number,
): Omit<TriggerRow, "waiting"> {
  const ids = trigger.condition_ids.slice(0, CONDITIONS_IN_ROW);
  const times = ids.flatMap((id) => nextTimes(conditions.get(id)?.condition_json ?? "", now).slice(0, 1));
  return {
    trigger_id: trigger.trigger_id,
    task_id_key: trigger.task_id_key,
    logic_value: trigger.logic_value,
    conditions: ids.map((id) => ({ condition_id: id, sentence: conditionView(id, conditions.get(id)).sentence })),
    conditions_count: trigger.condition_ids.length,
    argument_provider: describeArgumentProvider(trigger.argument_provider_json).sentence,
    next_time: times.sort()[0] ?? null,
  };
}

export interface TriggerCondition extends ConditionView {
  /** Of a schedule. Null also right after a runner start, which registers anew. */
  last_cron_execution: string | null;
  /** Of a schedule: five times from now on. */
  next_times: string[];
  /** It is met now, for this trigger or for others; null while the store cannot tell yet. */
  met: boolean | null;
}

export interface TriggerDetail {
  trigger_id: string;
  task_id_key: string;
  core: boolean;
  logic_value: string;
  argument_provider: {
    /** Class name as stored; null when the task is called without arguments. */
    type: string | null;
    sentence: string;
    /** Fixed arguments. */
    arguments: ShownArgument[];
    /** As stored, cut for display. */
    json: string | null;
  };
  conditions: TriggerCondition[];
  conditions_count: number;
  /** How far it is, when conditions of it are met for which it has not run. */
  waiting: TriggerWaiting | null;
  /** What met its conditions and is still stored. */
  pending: PendingList;
  /** False where the layout records no trigger runs (before 0.2.4). */
  events_recorded: boolean;
  /** The latest. */
  trigger_runs: TriggerRunRow[];
  /** Null where runs are not recorded; a lower bound when `trigger_runs_capped`. */
  trigger_runs_count: number | null;
  trigger_runs_capped: boolean;
}

const RUNS_SHOWN = 20;
const RUNS_COUNTED = 10_000;
const CONDITIONS_SHOWN = 100;
const ARGUMENTS_SHOWN = 100;
const JSON_SHOWN = 10_000;

/** @throws NotFoundError */
export function triggerDetail(app: OpenedApp, id: string): Promise<TriggerDetail> {
  return app.store.read(async (reads) => {
    const [[trigger], { events: recorded }] = await Promise.all([
      reads.trigger.triggersByIds([id]),
      reads.layout.capabilities(),
    ]);
    if (trigger === undefined) {
      const hint =
        "Runners register the triggers of their tasks when they start, and remove those that no longer exist.";
      throw new NotFoundError("trigger", id, hint);
    }
    // The task narrows the search to an index; the id alone has none (storage-format.md 3.6).
    const filter = { trigger_id: id, task_id_key: trigger.task_id_key };
    const provider = describeArgumentProvider(trigger.argument_provider_json);
    const given = Object.entries(provider.arguments).slice(0, ARGUMENTS_SHOWN);
    const ids = trigger.condition_ids.slice(0, CONDITIONS_SHOWN);
    const [conditions, pending, turns, runs, counted, show] = await Promise.all([
      conditionMap(reads, ids),
      pendingOf(reads, ids, PENDING_EACH_SHOWN),
      hasServiceRunner(app, reads),
      reads.trigger.listTriggerRuns(filter, { limit: RUNS_SHOWN, offset: 0 }),
      reads.trigger.countTriggerRuns(filter, RUNS_COUNTED),
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
      trigger_runs: await triggerRunRows(reads, runs),
      trigger_runs_count: recorded ? counted : null,
      trigger_runs_capped: counted === RUNS_COUNTED,
    };
  });
}

function triggerCondition(id: string, record: ConditionRecord | undefined, now: number): Omit<TriggerCondition, "met"> {
  return {
    ...conditionView(id, record),
    last_cron_execution: isoOrNull(record?.last_cron_execution),
    next_times: record === undefined ? [] : nextTimes(record.condition_json, now),
  };
}
