/**
 * An app as it was at an instant of the past, as far as rows tell: every status comes from the history up to then, and what was registered, emitted or
 * started later is not there. What rows tell only of the present (heartbeats, queues, waits) cannot be asked.
 */
import { RefusedError } from "../../errors.ts";
import type { HistoryRecord, InvocationStatusRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, MICROSECOND } from "../../pynenc/time.ts";
import type { Slice } from "../../stores/ports/common.ts";
import type { ExecutionFilter } from "../../stores/ports/orchestrator.ts";
import type { HistoryEnd } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter, TriggerRunFilter } from "../../stores/ports/trigger.ts";
import { type OpenedApp, storeWith } from "./opened-app.ts";

/** Histories looked up in one call, and the most entries that call may return. */
const HISTORIES = 500;
const ENTRIES = 50_000;

/**
 * For services that look at families and causes: others ask what is not known of the past.
 *
 * @param at not after the present.
 */
export function appAsOf(app: OpenedApp, at: EpochSeconds): OpenedApp {
  const unknown = () => Promise.reject(new Error("not known of the past"));
  return {
    ...app,
    now: () => at,
    past: true,
    store: storeWith(app.store, { read: (fn, signal) => app.store.read((reads) => fn(readsAsOf(reads, at)), signal) }),
    memo: unknown,
    soon: unknown,
    inventory: unknown,
    completeInventory: unknown,
    rollups: null,
  };
}

/** The reads of `appAsOf`. */
export function readsAsOf(reads: AppReads, at: EpochSeconds): AppReads {
  const { orchestrator, state_backend, trigger } = reads;

  /** Nothing that came later. */
  const until = <Filter extends { to?: EpochSeconds }>(filter: Filter): Filter => ({
    ...filter,
    to: Math.min(filter.to ?? at, at),
  });

  async function historyOf(ids: readonly string[]): Promise<HistoryRecord[]> {
    const found: HistoryRecord[] = [];
    for (let from = 0; from < ids.length; from += HISTORIES) {
      const entries = await state_backend.historyOf(ids.slice(from, from + HISTORIES), ENTRIES);
      if (entries.length >= ENTRIES) {
        throw new RefusedError(
          "The histories of these invocations are too long to tell how they were then.",
          "Ask for fewer of them with a lower --limit.",
          409,
        );
      }
      // Not in place of the first ones by a spread: there may be more than a call takes arguments.
      for (const entry of entries) if (entry.timestamp <= at) found.push(entry);
    }
    return found.sort((a, b) => a.timestamp - b.timestamp);
  }

  async function historiesOf(ids: readonly string[]): Promise<Map<string, HistoryRecord[]>> {
    const histories = new Map<string, HistoryRecord[]>();
    for (const entry of await historyOf([...new Set(ids)])) {
      const history = histories.get(entry.invocation_id);
      if (history === undefined) histories.set(entry.invocation_id, [entry]);
      else history.push(entry);
    }
    return histories;
  }

  /** Those rows of which the invocation had been registered. */
  async function known<Row>(rows: readonly Row[], idOf: (row: Row) => string): Promise<Row[]> {
    const ids = [...new Set(rows.map(idOf))];
    const spans = await state_backend.historySpanOf(ids);
    const begun = new Set(spans.flatMap(({ invocation_id, first }) => (first.timestamp <= at ? [invocation_id] : [])));
    return rows.filter((row) => begun.has(idOf(row)));
  }

  const runAt = ({ claimed_at, executed_at }: TriggerRunRecord) => claimed_at ?? executed_at;

  /** A run that had been claimed; what it started may have come later. */
  async function runsByIds(ids: readonly string[]): Promise<TriggerRunRecord[]> {
    return runsThen(await trigger.triggerRunsByIds(ids));
  }

  async function runsThen(runs: readonly TriggerRunRecord[]): Promise<TriggerRunRecord[]> {
    const begun = runs.filter((run) => (runAt(run) ?? Number.POSITIVE_INFINITY) <= at);
    const started = await known(
      begun.flatMap(({ triggered_invocation_id: id }) => (id === null ? [] : [id])),
      (id) => id,
    );
    return begun.map((run) => ({
      ...run,
      executed_at: run.executed_at !== null && run.executed_at <= at ? run.executed_at : null,
      triggered_invocation_id:
        run.triggered_invocation_id !== null && started.includes(run.triggered_invocation_id)
          ? run.triggered_invocation_id
          : null,
    }));
  }

  async function triggeredBy(...[ids, limit]: Parameters<AppReads["trigger"]["triggeredBy"]>) {
    return known(await trigger.triggeredBy(ids, limit), (row) => row.invocation_id);
  }

  /** Whether an event had started anything is told by what it started. */
  async function emitted<Row extends { event_id: string; timestamp: EpochSeconds; triggered: boolean }>(
    rows: readonly Row[],
  ): Promise<Row[]> {
    const begun = rows.filter(({ timestamp }) => timestamp <= at);
    const doubtful = begun.flatMap(({ event_id, triggered }) => (triggered ? [event_id] : []));
    const linked = await triggeredBy(doubtful, { each: LINKS });
    const started = new Set(linked.map((link) => link.event_id));
    return begun.map((row) => ({ ...row, triggered: started.has(row.event_id) }));
  }

  const endOf = ({ status, timestamp, written_at }: HistoryRecord): HistoryEnd => ({ status, timestamp, written_at });

  return asked({
    orchestrator: {
      async statusesByIds(ids: readonly string[]): Promise<InvocationStatusRecord[]> {
        const [histories, definitions] = await Promise.all([
          historiesOf(ids),
          state_backend.invocationsByIds([...ids], 0),
        ]);
        return definitions.flatMap(({ invocation_id, task_id_key, call_id_key }) => {
          const history = histories.get(invocation_id) ?? [];
          const last = history.at(-1);
          if (last === undefined) return [];
          const { status, timestamp: status_timestamp, status_runner_id } = last;
          const retry_count = history.filter((entry) => entry.status === "retry").length;
          const row = { invocation_id, task_id_key, call_id_key, status, status_timestamp, status_runner_id };
          return [{ ...row, retry_count, auto_purge_timestamp: null }];
        });
      },
      executions: async (slice: Slice, filter: ExecutionFilter = {}) =>
        (await orchestrator.executions(slice, until(filter))).map((run) =>
          run.end_time === null || run.end_time <= at ? run : { ...run, end_time: null, status: "running", reason: "" },
        ),
      countExecutions: (filter: ExecutionFilter = {}, cap?: number) => orchestrator.countExecutions(until(filter), cap),
    },
    state_backend: {
      invocationsByIds: async (...[ids, bytes]: Parameters<typeof state_backend.invocationsByIds>) =>
        known(await state_backend.invocationsByIds(ids, bytes), (row) => row.invocation_id),
      async historySpanOf(ids: readonly string[]) {
        const histories = await historiesOf(ids);
        return [...histories].flatMap(([invocation_id, history]) => {
          const [first, last] = [history[0], history.at(-1)];
          return first === undefined || last === undefined
            ? []
            : [{ invocation_id, first: endOf(first), last: endOf(last) }];
        });
      },
      historyOf: async (...[ids, limit]: Parameters<typeof state_backend.historyOf>) =>
        (await historyOf(ids)).slice(0, limit),
      childrenOf: async (...[ids, limit]: Parameters<typeof state_backend.childrenOf>) =>
        known(await state_backend.childrenOf(ids, limit), (row) => row.invocation_id),
      invocationsOfEvents: async (...[ids, limit]: Parameters<typeof state_backend.invocationsOfEvents>) =>
        known(await state_backend.invocationsOfEvents(ids, limit), (row) => row.invocation_id),
      // Asked only of those that had failed by then, which is final.
      exceptionsOf: (...[ids, bytes]: Parameters<typeof state_backend.exceptionsOf>) =>
        state_backend.exceptionsOf(ids, bytes),
      runnerContexts: (ids: readonly string[]) => state_backend.runnerContexts(ids),
    },
    trigger: {
      eventsByIds: async (...[ids, bytes]: Parameters<typeof trigger.eventsByIds>) =>
        (await trigger.eventsByIds(ids, bytes)).filter(({ timestamp }) => timestamp <= at),
      listEventsForward: async (filter: EventFilter, slice: Slice) =>
        emitted(await trigger.listEventsForward(until(filter), slice)),
      countEventsBetween: (...[filter, instants, cap]: Parameters<typeof trigger.countEventsBetween>) =>
        trigger.countEventsBetween(
          filter,
          // The last one does not belong to the others, and this instant does.
          instants.map((instant) => Math.min(instant, at + MICROSECOND)),
          cap,
        ),
      countEvents: (filter: EventFilter, cap: number) => trigger.countEvents(until(filter), cap),
      // By when they were carried out: one that had only been claimed is not in these lists.
      listTriggerRuns: async (filter: TriggerRunFilter, slice: Slice) =>
        runsThen(await trigger.listTriggerRuns(until(filter), slice)),
      countTriggerRuns: (filter: TriggerRunFilter, cap: number) => trigger.countTriggerRuns(until(filter), cap),
      eventsEmittedBy: async (...[ids, limit]: Parameters<typeof trigger.eventsEmittedBy>) =>
        emitted(await trigger.eventsEmittedBy(ids, limit)),
      triggeredBy,
      triggerRunsByIds: runsByIds,
      async triggerRunsOf(...[kind, ids, limit]: Parameters<typeof trigger.triggerRunsOf>) {
        const links = await trigger.triggerRunsOf(kind, ids, limit);
        const runs = await runsByIds([...new Set(links.map((link) => link.trigger_run_id))]);
        const byId = new Map(runs.map((run) => [run.trigger_run_id, run]));
        return links.filter(({ trigger_run_id, of }) => {
          const run = byId.get(trigger_run_id);
          return run !== undefined && (kind !== "triggered_invocation" || run.triggered_invocation_id === of);
        });
      },
    },
    client_data_store: reads.client_data_store,
  });
}

/** Links of one event: one of them tells whether it had started something, and the first are the oldest. */
const LINKS = 100;

type Some<Port> = { [Name in keyof Port]?: Port[Name] };

/** What has no rule for the past throws: nothing of the present may be told as if it was then. */
function asked(ports: { [Name in keyof AppReads]?: Some<AppReads[Name]> }): AppReads {
  const refusing = (of: object, path: string): object =>
    new Proxy(of, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (value !== undefined) return value;
        throw new Error(`${path}${String(name)} is not known of the past`);
      },
    });
  const guarded = Object.entries(ports).map(([name, port]) => [name, refusing(port, `${name}.`)] as const);
  return refusing(Object.fromEntries(guarded), "") as AppReads;
}
