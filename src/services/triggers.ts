/** Trigger definitions as runners registered them. */
import { NotFoundError } from "../errors.ts";
import { describeArgumentProvider } from "../pynenc/argument-providers.ts";
import { isCoreTask } from "../pynenc/identifiers.ts";
import type { ConditionRecord, TriggerRecord } from "../pynenc/records.ts";
import { isoOrNull } from "../pynenc/time.ts";
import type { AppReads } from "../stores/ports.ts";
import { type ConditionView, conditionView } from "./condition-views.ts";
import { integer, pageNumber, parseInput, type RawInput } from "./input.ts";
import type { ShownArgument } from "./invocation-detail.ts";
import type { OpenedApp } from "./opened-app.ts";
import { type PageInfo, pageOf, sliceOf } from "./paging.ts";
import { valueReader } from "./stored-values.ts";
import { nextTimes, type TriggerRunRow, triggerRunRows } from "./trigger-runs.ts";

/** A condition of a trigger, in words. */
export interface TriggerConditionWords {
  condition_id: string;
  /** Null when the condition is not registered. */
  sentence: string | null;
}

export interface TriggerRow {
  trigger_id: string;
  task_id_key: string;
  /** `and`: all conditions; `or`: any of them. */
  logic_value: string;
  /** The first few. */
  conditions: TriggerConditionWords[];
  conditions_count: number;
  /** Where the arguments of the call come from, in words. */
  argument_provider: string;
  /** When one of its schedules comes true next. */
  next_time: string | null;
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
}

/** Conditions that one line shows. */
const CONDITIONS_IN_ROW = 5;

/** @throws InvalidInputError */
export function listTriggers(app: OpenedApp, raw: RawInput): Promise<TriggerList> {
  const input = parseInput({ page: pageNumber, page_size: integer(1, 200, 50) }, raw);
  const wanted = { number: input.page, size: input.page_size };
  return app.store.read(async (reads) => {
    const [{ components }, listed, { triggers: total }] = await Promise.all([
      reads.layout.capabilities(),
      reads.trigger.listTriggers(sliceOf(wanted)),
      reads.trigger.countDefinitions(),
    ]);
    const { rows, page } = pageOf(listed, wanted, components.trigger ? total : null);
    const shown = rows.map((row) => row.condition_ids.slice(0, CONDITIONS_IN_ROW));
    const conditions = await conditionMap(reads, shown.flat());
    const groups = new Map<string, TriggerRow[]>();
    for (const row of rows) {
      groups.set(row.task_id_key, [...(groups.get(row.task_id_key) ?? []), triggerRow(row, conditions, app.now())]);
    }
    return {
      stored: components.trigger,
      tasks: [...groups].map(([task_id_key, triggers]) => ({ task_id_key, core: isCoreTask(task_id_key), triggers })),
      page,
    };
  });
}

async function conditionMap(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, ConditionRecord>> {
  const records = await reads.trigger.conditionsByIds([...new Set(ids)]);
  return new Map(records.map((record) => [record.condition_id, record]));
}

function triggerRow(trigger: TriggerRecord, conditions: ReadonlyMap<string, ConditionRecord>, now: number): TriggerRow {
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
      const hint = "Runners register the triggers of their tasks when they start, and take back those that are gone.";
      throw new NotFoundError("trigger", id, hint);
    }
    // The task narrows the search to an index; the id alone has none (storage.md 3.6).
    const filter = { trigger_id: id, task_id_key: trigger.task_id_key };
    const provider = describeArgumentProvider(trigger.argument_provider_json);
    const given = Object.entries(provider.arguments).slice(0, ARGUMENTS_SHOWN);
    const ids = trigger.condition_ids.slice(0, CONDITIONS_SHOWN);
    const [conditions, runs, counted, show] = await Promise.all([
      conditionMap(reads, ids),
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
      conditions: ids.map((conditionId) => triggerCondition(conditionId, conditions.get(conditionId), app.now())),
      conditions_count: trigger.condition_ids.length,
      events_recorded: recorded,
      trigger_runs: await triggerRunRows(reads, runs),
      trigger_runs_count: recorded ? counted : null,
      trigger_runs_capped: counted === RUNS_COUNTED,
    };
  });
}

function triggerCondition(id: string, record: ConditionRecord | undefined, now: number): TriggerCondition {
  return {
    ...conditionView(id, record),
    last_cron_execution: isoOrNull(record?.last_cron_execution),
    next_times: record === undefined ? [] : nextTimes(record.condition_json, now),
  };
}
