/**
 * An app as it was at an instant in the past, as far as rows can show it: statuses come from the history up to then, and anything registered, emitted
 * or started later is hidden. Reads of data that only exists for the present (queues, waits) throw.
 */
import { NotFoundError, quote, RefusedError } from "../../errors.ts";
import { historiesInOrder } from "../../pynenc/life.ts";
import type { HistoryRecord, InvocationStatusRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, utcText } from "../../pynenc/time.ts";
import type { Slice } from "../../stores/ports/common.ts";
import type { ExecutionFilter } from "../../stores/ports/orchestrator.ts";
import type { HistoryEnd } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter, TriggerRunFilter } from "../../stores/ports/trigger.ts";
import { type OpenedApp, storeWith } from "./opened-app.ts";

/** Histories read per call, and the limit of entries that the call may return. */
const HISTORIES = 500;
const ENTRIES = 50_000;

/**
 * Only for services about families and causes. Others need data that is not known for the past.
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
    memoAcross: unknown,
    memoOrNull: unknown,
    inventory: unknown,
    knownInventory: () => null,
    completeInventory: unknown,
    rollups: null,
  };
}

/**
 * What `find` finds in the app as of an instant.
 *
 * @throws NotFoundError that says since when a thing is there, if it is only later.
 */
export async function asOf<T>(app: OpenedApp, at: EpochSeconds, find: (then: OpenedApp) => Promise<T>): Promise<T> {
  try {
    return await find(appAsOf(app, at));
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.hint !== null) throw error;
    const { kind, id } = error;
    const [later] = await app.store.read((reads) => notYet(reads, [id], at));
    if (later !== undefined) throw new NotFoundError(kind, id, null, later);
    throw new NotFoundError(kind, id, `Nothing is known about it as of ${utcText(at, true)}.`);
  }
}

/** A sentence for each invocation, event or trigger run that was there only after the instant. Ids of nothing are ignored. */
export async function notYet(reads: AppReads, ids: readonly string[], at: EpochSeconds): Promise<string[]> {
  const [spans, events, runs] = await Promise.all([
    reads.state_backend.historySpanOf(ids),
    reads.trigger.eventsByIds(ids, 0),
    reads.trigger.triggerRunsByIds(ids),
  ]);
  const began = [
    ...spans.map(({ invocation_id, first }) => {
      const how = first.status === "registered" ? "registered" : "seen";
      return { what: `Invocation ${quote(invocation_id)}`, how, since: first.timestamp };
    }),
    ...events.map(({ event_id, timestamp }) => ({
      what: `Event ${quote(event_id)}`,
      how: "emitted",
      since: timestamp,
    })),
    ...runs.map(({ trigger_run_id, claimed_at, executed_at }) => {
      const [how, since] = claimed_at === null ? ["executed", executed_at] : ["claimed", claimed_at];
      return { what: `Trigger run ${quote(trigger_run_id)}`, how, since };
    }),
  ];
  return began.flatMap(({ what, how, since }) =>
    since !== null && since > at
      ? [`${what} was not ${how} yet at ${utcText(at, true)}; it was ${how} at ${utcText(since, true)}.`]
      : [],
  );
}

/** The reads of `appAsOf`. */
export function readsAsOf(reads: AppReads, at: EpochSeconds): AppReads {
  const { orchestrator, state_backend, trigger } = reads;

  /** Restricts a filter to rows up to the instant. */
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
          "The histories of these invocations are too long to reconstruct their past statuses.",
          "Request fewer of them with a lower --limit.",
          409,
        );
      }
      // No spread into push(): there may be more entries than a call accepts arguments.
      for (const entry of entries) if (entry.timestamp <= at) found.push(entry);
    }
    return found;
  }

  async function historiesOf(ids: readonly string[]): Promise<Map<string, HistoryRecord[]>> {
    return historiesInOrder(await historyOf([...new Set(ids)]));
  }

  /** The rows whose invocation had been registered by then. */
  async function known<Row>(rows: readonly Row[], idOf: (row: Row) => string): Promise<Row[]> {
    const ids = [...new Set(rows.map(idOf))];
    const spans = await state_backend.historySpanOf(ids);
    const begun = new Set(spans.flatMap(({ invocation_id, first }) => (first.timestamp <= at ? [invocation_id] : [])));
    return rows.filter((row) => begun.has(idOf(row)));
  }

  const runAt = ({ claimed_at, executed_at }: TriggerRunRecord) => claimed_at ?? executed_at;

  /** Runs that had been claimed by then. What they started may be later. */
  async function runsByIds(ids: readonly string[], bytes?: number): Promise<TriggerRunRecord[]> {
    return runsThen(await trigger.triggerRunsByIds(ids, bytes));
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

  /** Events emitted by then. Whether one had started anything is derived from the registration of what it started. */
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

  return guardedReads({
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
      /** A runner that was heard of later was alive then. */
      heartbeatsByIds: async (ids: readonly string[]) =>
        (await orchestrator.heartbeatsByIds(ids)).map((one) => ({
          ...one,
          last_heartbeat: Math.min(one.last_heartbeat, at),
        })),
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
      historyOf: async (ids: readonly string[], limit: number) => (await historyOf(ids)).slice(0, limit),
      childrenOf: async (...request: Parameters<typeof state_backend.childrenOf>) =>
        known(await state_backend.childrenOf(...request), (row) => row.invocation_id),
      // Only called for invocations that had failed by then, which is final.
      outcomesOf: (...[kinds, ids, bytes]: Parameters<typeof state_backend.outcomesOf>) => {
        if (kinds.includes("result")) throw new Error("results are not known of the past");
        return state_backend.outcomesOf(kinds, ids, bytes);
      },
      runnerContexts: (ids: readonly string[]) => state_backend.runnerContexts(ids),
    },
    trigger: {
      eventsByIds: async (...[ids, bytes]: Parameters<typeof trigger.eventsByIds>) =>
        (await trigger.eventsByIds(ids, bytes)).filter(({ timestamp }) => timestamp <= at),
      listEvents: async (...[filter, ...rest]: Parameters<typeof trigger.listEvents>) =>
        emitted(await trigger.listEvents(until(filter), ...rest)),
      countEvents: (filters: readonly EventFilter[], cap: number) => trigger.countEvents(filters.map(until), cap),
      // Filtered by execution time, so runs that had only been claimed are not included.
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

/** Links read per event, oldest first. One is enough to know that it had started something. */
const LINKS = 100;

type Some<Port> = { [Name in keyof Port]?: Port[Name] };

/** Throws on reads that have no rule for the past, so that present data is never shown as past data. */
function guardedReads(ports: { [Name in keyof AppReads]?: Some<AppReads[Name]> }): AppReads {
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
