/**
 * What every store must answer, whatever it is made of. An adapter is done when this suite is green for it. The data is that of the
 * fixtures: a harness opens a store that holds the same apps.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AbandonedError } from "../../src/errors.ts";
import { totalOf } from "../../src/pynenc/groups.ts";
import type { IdKind } from "../../src/pynenc/id-kinds.ts";
import { ID_KINDS } from "../../src/pynenc/id-kinds.ts";
import type { EventSummary, ExecutionRecord, HistoryRecord, TriggerRunRecord } from "../../src/pynenc/records.ts";
import type { EpochSeconds } from "../../src/pynenc/time.ts";
import type { Rerun } from "../../src/stores/ports/actions.ts";
import type { RowLimit, Slice } from "../../src/stores/ports/common.ts";
import type { ForgottenInvocation } from "../../src/stores/ports/forgotten.ts";
import type { PartialId } from "../../src/stores/ports/ids.ts";
import type { ExecutionFilter, StatusFilter } from "../../src/stores/ports/orchestrator.ts";
import type { DefinitionFilter, HistoryFilter } from "../../src/stores/ports/state-backend.ts";
import type { AppReads, AppStore, Store } from "../../src/stores/ports/store.ts";
import type { EventFilter, TriggerRunFilter } from "../../src/stores/ports/trigger.ts";
import { type AppFacts, FACTS, FIXTURE_NAMES, type FixtureName, sum } from "../support/fixtures.ts";
import type { Everything } from "./everything.ts";

export interface Harness {
  store: Store;
  keeps: Keeps;
  /** By how many rows each figure of storage grows when calls are registered; figures that stay are left out. */
  grownBy(registered: readonly Rerun[], before: Everything): Record<string, number>;
  /** All that is stored, of every app: tables with their rows, or keys with their values. */
  stored(): Promise<ReadonlyMap<string, unknown>>;
  /** Where, in `stored`, messages of these queues are, with what else changes when one is put in. */
  queuePlaces(appId: string, queues: readonly (string | null)[]): { messages: string[]; besides: string[] };
  /**
   * Gives an invocation another status in the orchestrator, as a runner would, or with null takes it away as an auto-purge does.
   *
   * @param status with the instant at which its clock for the auto-purge started, or null where none runs.
   */
  setStatus(
    appId: string,
    invocationId: string,
    status: { word: string; final_since: EpochSeconds | null } | null,
  ): Promise<void>;
  /** The figure that grows when arguments are indexed that no other call has. */
  argument_index: string;
  /** How many times as long as elsewhere the steps of walks and the distances of samples are: 1, or more where each command looks at all documents. */
  stride: number;
  close(): Promise<void>;
}

/** What a store can know and another cannot. */
export interface Keeps {
  /** When a message came. */
  queue_times: boolean;
  /** When a value was stored. */
  value_times: boolean;
  /** When an event was linked to what it started. */
  link_times: boolean;
  /** Through which run an event started something, also when the run is gone. */
  link_runs: boolean;
  /** Tables and families of keys that hold nothing: they are told as 0 rows, or not at all. */
  empty_families: boolean;
  /** Which version wrote it, also when all data are gone. */
  layout: boolean;
  /** When a status was entered, to the microsecond. */
  microseconds: boolean;
}

const ALL: Slice = { limit: 10_000, offset: 0 };
const NOBODY = ["no-such-id", "", "'; --", "%", "\u0000", "日本"];

export function storeContract(
  kind: string,
  open: (fixture: FixtureName) => Promise<Harness>,
  fixtures: readonly FixtureName[] = FIXTURE_NAMES,
): void {
  describe.each(fixtures)(`a store (${kind}) with %s`, (fixture) => {
    let harness: Harness;
    beforeAll(async () => {
      harness = await open(fixture);
    });
    afterAll(() => harness.close());

    it("has the apps of its data, none of them without a registration", async () => {
      const apps = await harness.store.apps();
      expect(apps.map((app) => app.app_id).sort()).toEqual(Object.keys(FACTS[fixture]).sort());
      expect(apps.every((app) => !app.phantom)).toBe(true);
    });

    it("has empty answers, and no error, for an unknown app", async () => {
      const stranger = harness.store.app("somebody else's app");
      const { components } = await stranger.read((reads) => reads.layout.capabilities());
      expect(Object.values(components)).toEqual([false, false, false, false, false]);
      const answers = await stranger.read((reads) =>
        Promise.all([
          reads.broker.countMessages(),
          reads.orchestrator.countByStatus(),
          reads.state_backend.listDefined({}, { limit: 10, offset: 0 }),
          reads.client_data_store.listValues(ALL),
          reads.trigger.eventCounters(),
        ]),
      );
      expect(answers).toEqual([0, {}, [], [], null]);
      const [active, defined] = await stranger.read((reads) =>
        Promise.all([reads.state_backend.listActive({}, 10, 100), reads.state_backend.scanDefined({}, 10, 100)]),
      );
      for (const walk of [active, defined]) expect(walk).toMatchObject({ rows: [], scanned: 0, exhausted: true });
    });

    it("finds nothing by id or name in an unknown app", async () => {
      const [[appId, facts] = ["", undefined]] = Object.entries(FACTS[fixture]);
      const stored = await harness.store.app(appId).read(async ({ orchestrator, state_backend, trigger }) => ({
        ids: (await orchestrator.listInvocations({}, ALL)).map((row) => row.invocation_id),
        workflows: (await state_backend.workflowRuns(ALL)).map((row) => row.workflow_id),
        conditions: (await trigger.triggers({}, ALL)).flatMap((row) => row.condition_ids),
      }));
      expect(stored.ids.length).toBeGreaterThan(0);
      const { ids, workflows, conditions } = stored;
      const [, to] = facts?.window ?? [0, 0];
      const stranger = harness.store.app("somebody else's app");
      const asked = (reads: AppReads): Record<string, Promise<unknown>> => ({
        statusesByIds: reads.orchestrator.statusesByIds(ids),
        lastActivityOfTasks: reads.orchestrator.lastActivityOfTasks(Object.keys(facts?.tasks ?? {})),
        pendingSince: reads.orchestrator.pendingSince(to + 1_000, 10),
        ownedByDeadRunner: reads.orchestrator.ownedByDeadRunner(["running"], to + 1_000, 10),
        invocationsByIds: reads.state_backend.invocationsByIds(ids),
        tasksOf: reads.state_backend.tasksOf(ids),
        historyOf: reads.state_backend.historyOf(ids, 10),
        resultsOf: reads.state_backend.outcomesOf(["result"], ids),
        exceptionsOf: reads.state_backend.outcomesOf(["exception"], ids),
        workflowTypes: reads.state_backend.workflowTypes(),
        countWorkflowMembers: reads.state_backend.countWorkflowMembers(workflows),
        historyBetween: reads.state_backend.historyBetween({}, 10, "latest"),
        countHistory: reads.state_backend.countHistory({}),
        conditionsByIds: reads.trigger.conditionsByIds(conditions),
        validConditionsOf: reads.trigger.validConditionsOf(conditions, 10),
      });
      const answers = await stranger.read(async (reads) =>
        Object.fromEntries(
          await Promise.all(Object.entries(asked(reads)).map(async ([name, answer]) => [name, await answer])),
        ),
      );
      expect(answers).toEqual({
        statusesByIds: [],
        lastActivityOfTasks: {},
        pendingSince: [],
        ownedByDeadRunner: [],
        invocationsByIds: [],
        tasksOf: [],
        historyOf: [],
        resultsOf: [],
        exceptionsOf: [],
        workflowTypes: [],
        countWorkflowMembers: {},
        historyBetween: [],
        countHistory: { entries: 0, exact: true },
        conditionsByIds: [],
        validConditionsOf: [],
      });
    });

    describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
      let app: AppStore;
      beforeAll(() => {
        app = harness.store.app(appId);
      });
      const read = <T>(fn: (reads: AppReads) => Promise<T>) => app.read(fn);

      it("stops reading for a client that has gone", async () => {
        const gone = new AbortController();
        const reading = app.read(async (reads) => {
          const before = await reads.orchestrator.countByStatus();
          gone.abort();
          const after = [reads.orchestrator.countByStatus(), reads.trigger.countDefinitions(), reads.layout.figures()];
          return [before, ...(await Promise.allSettled(after)).map(outcomeOf)];
        }, gone.signal);
        expect(await reading).toEqual([facts.statuses, "AbandonedError", "AbandonedError", "AbandonedError"]);
        const late = app.read(() => Promise.reject(new Error("begun all the same")), gone.signal);
        await expect(late).rejects.toBeInstanceOf(AbandonedError);
        expect(await read((reads) => reads.orchestrator.countByStatus())).toEqual(facts.statuses);
      });

      it("has the same tasks of invocations as their definitions", async () => {
        const [tasks, records] = await read(async ({ state_backend }) => {
          const ids = (await state_backend.listDefined({}, ALL)).map((row) => row.invocation_id);
          return Promise.all([state_backend.tasksOf([...ids, ...NOBODY]), state_backend.invocationsByIds(ids)]);
        });
        const taskOf = new Map(records.map((record) => [record.invocation_id, record.task_id_key]));
        expect(new Map(tasks.map((row) => [row.invocation_id, row.task_id_key]))).toEqual(taskOf);
        expect(tasks).toHaveLength(records.length);
      });

      it("lists definitions from any offset or cursor on in the same order", async () => {
        const { whole, parents } = await read(async ({ state_backend }) => {
          const listed = await state_backend.listDefined({}, ALL);
          const ids = listed.map((row) => row.invocation_id);
          const records = await state_backend.invocationsByIds(ids);
          return { whole: ids, parents: new Set(records.map((record) => record.parent_invocation_id ?? "no-such-id")) };
        });
        for (const parent of parents) {
          const filter = { parent_invocation_id: parent };
          const [children, count] = await read(({ state_backend }) =>
            Promise.all([state_backend.listDefined(filter, ALL), state_backend.countDefined(parent)]),
          );
          const ids = children.map((row) => row.invocation_id);
          expect(ids).toEqual(whole.filter((id) => ids.includes(id)));
          expect(ids).toHaveLength(count);
          for (const offset of [0, 1, Math.floor(count / 2), count, count + 5]) {
            const rows = await read(({ state_backend }) => state_backend.listDefined(filter, { limit: 2, offset }));
            expect(rows).toEqual(children.slice(offset, offset + 2));
          }
        }
        const [some] = await read(({ state_backend }) =>
          Promise.all([state_backend.listDefined({}, { limit: 3, offset: 4 })]),
        );
        expect(some?.map((row) => row.invocation_id)).toEqual(whole.slice(4, 7));
      });

      it("walks the definitions of a workflow in steps, in the order of its list", async () => {
        const records = await read(async ({ state_backend }) => {
          const ids = (await state_backend.listDefined({}, ALL)).map((row) => row.invocation_id);
          return state_backend.invocationsByIds(ids);
        });
        expect(records.length).toBe(sum(facts.statuses));
        const given = (record: (typeof records)[number]): DefinitionFilter[] => [
          { workflow_id: record.workflow_id ?? "none" },
          { workflow_type_key: record.workflow_type_key ?? "none" },
          { workflow_type_key: record.workflow_type_key ?? "none", workflow_id: record.workflow_id ?? "none" },
          { parent_invocation_id: record.parent_invocation_id ?? "none" },
        ];
        const some = records.filter((_, n) => n % Math.ceil(records.length / 3) === 0);
        for (const filter of [{}, { workflow_type_key: "no.such" }, ...some.flatMap(given)]) {
          const listed = await read(({ state_backend }) => state_backend.listDefined(filter, ALL));
          for (const [limit, scan] of [
            [2 * harness.stride, ALL.limit],
            [ALL.limit, 7 * harness.stride],
            [3 * harness.stride, 5 * harness.stride],
          ] as const) {
            const found: string[] = [];
            for (let after: string | undefined, exhausted = false; !exhausted; ) {
              const step = await read(({ state_backend }) => state_backend.scanDefined(filter, limit, scan, after));
              expect(step.rows.length).toBeLessThanOrEqual(limit);
              if (step.scanned > 0) expect(step.scanned).toBeGreaterThanOrEqual(step.rows.length);
              found.push(...step.rows.map((row) => row.invocation_id));
              exhausted = step.exhausted;
              after = step.last_cursor ?? undefined;
            }
            expect(found).toEqual(listed.map((row) => row.invocation_id));
          }
        }
      });

      describe("ids in the store", () => {
        let ids: Record<IdKind, readonly string[]>;
        beforeAll(async () => {
          ids = await read(idsOf);
        });

        it("are known only by their whole text", async () => {
          expect(Object.values(ids).filter((some) => some.length > 0).length).toBeGreaterThan(
            facts.events === undefined ? 4 : 6,
          );
          for (const kind of ID_KINDS) {
            const asked = [...ids[kind], ...NOBODY, ...ids[kind].map((id) => id.slice(0, -1))];
            const known = await read((reads) => reads.ids.known(asked.map((id) => ({ kind, id }))));
            expect(known.map((one) => one.id)).toEqual(asked.filter((id) => ids[kind].includes(id)));
            expect(known.every((one) => one.kind === kind)).toBe(true);
          }
          const mixed = ID_KINDS.flatMap((kind) => ids[kind].slice(0, 2).map((id) => ({ kind, id })));
          expect(await read((reads) => reads.ids.known(mixed))).toEqual(mixed);
        });

        it("are found by their beginnings and endings, whatever their kind", async () => {
          const parts = ID_KINDS.flatMap((kind) =>
            ids[kind].slice(0, 20).flatMap((id): PartialId[] => [
              { kind, beginning: id.slice(0, 4), ending: "" },
              { kind, beginning: id.slice(0, 8), ending: id.slice(-4) },
              { kind, beginning: id, ending: "" },
              { kind, beginning: id, ending: id.slice(-4) },
              { kind, beginning: `${id}x`, ending: "" },
            ]),
          );
          expect(parts.length).toBeGreaterThan(20);
          const found = await read((reads) => reads.ids.matching(parts, 1_000));
          const matches = parts.map(({ kind, beginning, ending }) => ({
            ids: [...ids[kind]]
              .filter((id) => id.startsWith(beginning) && id.slice(beginning.length).endsWith(ending))
              .sort(),
            complete: true,
          }));
          expect(found).toEqual(matches);
          expect(matches.some((match) => match.ids.length === 1)).toBe(true);
        });

        it("are cut to the limit with a note that there are more, and unknown parts match none", async () => {
          const all = [...ids.invocation].sort();
          const first = all[0]?.slice(0, 1) ?? "";
          const same = all.filter((id) => id.startsWith(first));
          const parts = [first, ...NOBODY.filter((id) => id !== "")].map(
            (beginning): PartialId => ({ kind: "invocation", beginning, ending: "" }),
          );
          const [some, ...none] = await read((reads) => reads.ids.matching(parts, 1));
          expect(some).toEqual({ ids: same.slice(0, 1), complete: same.length === 1 });
          for (const nobody of none) expect(nobody).toEqual({ ids: [], complete: true });
        });
      });

      it("counts statuses, tasks, messages, runners, workflows and values as they are", async () => {
        const found = await read(async (reads) => ({
          statuses: await reads.orchestrator.countByStatus(),
          queue: await reads.broker.countMessages(),
          heartbeats: await reads.orchestrator.countHeartbeats(),
          contexts: await reads.state_backend.countRunnerContexts("all"),
          defined: await reads.state_backend.countDefined(),
          types: await reads.state_backend.workflowTypes(),
          values: (await reads.client_data_store.figures()).values,
          blocking: await reads.orchestrator.countBlockingEdges(),
          executions: await reads.orchestrator.countExecutions(),
        }));
        expect(found).toEqual({
          statuses: facts.statuses,
          queue: facts.queue,
          heartbeats: facts.heartbeats,
          contexts: sum(facts.runner_contexts),
          defined: sum(facts.statuses),
          types: Object.entries(facts.workflow_types)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([workflow_type_key, runs]) => ({ workflow_type_key, runs })),
          values: facts.client_data,
          blocking: facts.blocking.length,
          executions: facts.executions ?? {},
        });
      });

      it("lists definitions without a status, the latest registration first, each with its cursor", async () => {
        const listed = await read((reads) => reads.state_backend.listDefined({}, ALL));
        const ids = listed.map((row) => row.invocation_id);
        const { kept, definitions, orders } = await read(async (reads) => ({
          kept: new Set((await reads.orchestrator.statusesByIds(ids)).map((row) => row.invocation_id)),
          definitions: await reads.state_backend.invocationsByIds(ids),
          orders: await reads.forgotten.orderOf([...ids, ...NOBODY]),
        }));
        expect(new Set(Object.keys(orders))).toEqual(new Set(ids));
        const places = ids.map((id) => orders[id] ?? Number.NaN);
        expect(places).toEqual([...places].sort((a, b) => b - a));
        for (const scanLimit of [7, ALL.limit]) {
          const { rows, scanned } = await scanAll(app, scanLimit);
          expect(scanned).toBe(ids.length);
          expect(rows.map((row) => row.invocation_id)).toEqual(ids.filter((id) => !kept.has(id)));
          for (const row of rows) {
            const definition = definitions.find((one) => one.invocation_id === row.invocation_id);
            expect([row.task_id_key, row.call_id_key]).toEqual([definition?.task_id_key, definition?.call_id_key]);
            expect(row.order).toBe(orders[row.invocation_id]);
          }
        }
      });

      it("counts tasks by status", async () => {
        const rows = await read((reads) => reads.orchestrator.countByTaskAndStatus());
        expect(totals(rows, "task_id_key")).toEqual(facts.tasks);
        expect(totals(rows, "status")).toEqual(facts.statuses);
        expect(rows.every((row) => row.count > 0)).toBe(true);
        expect(await read((reads) => reads.orchestrator.taskKeys())).toEqual(Object.keys(facts.tasks).sort());
      });

      it("finds the latest status change of each task among its newest invocations, and none of a task without any", async () => {
        const { listed, latest } = await read(async ({ orchestrator }) => ({
          listed: await orchestrator.listInvocations({}, ALL),
          latest: await orchestrator.lastActivityOfTasks([...Object.keys(facts.tasks), "no.such_task"]),
        }));
        const expected = Object.keys(facts.tasks).map((task) => {
          const newest = listed.filter((row) => row.task_id_key === task).slice(0, 20);
          return [task, Math.max(...newest.map((row) => row.status_timestamp))];
        });
        expect(latest).toEqual(Object.fromEntries(expected));
      });

      it("finds invocations whose runner has no heartbeat since an instant, the longest in their status first", async () => {
        const { rows, beats } = await read(async ({ orchestrator }) => {
          const listed = await orchestrator.listInvocations({}, ALL);
          return {
            rows: await orchestrator.statusesByIds(listed.map((row) => row.invocation_id)),
            beats: await orchestrator.heartbeats(ALL),
          };
        });
        const instants = [0, ...beats.map((beat) => beat.last_heartbeat), facts.window[1] + 1_000_000];
        const dead = (status: string, before: number) => {
          const alive = beats.filter((beat) => beat.last_heartbeat >= before).map((beat) => beat.runner_id);
          const owned = rows.filter((row) => row.status === status && row.status_runner_id !== null);
          return owned
            .filter((row) => !alive.includes(row.status_runner_id ?? ""))
            .sort((a, b) => a.status_timestamp - b.status_timestamp)
            .map((row) => row.invocation_id);
        };
        for (const status of ["running", "paused"] as const) {
          for (const before of [...new Set(instants)]) {
            const found = await read((reads) => reads.orchestrator.ownedByDeadRunner([status], before, 100));
            expect([status, before, found.map((row) => row.invocation_id)]).toEqual([
              status,
              before,
              dead(status, before),
            ]);
          }
        }
        expect(dead("running", Number.POSITIVE_INFINITY)).toHaveLength(facts.statuses.running ?? 0);
        const latest = Math.max(...instants) + 1;
        const both = await read((reads) => reads.orchestrator.ownedByDeadRunner(["running", "paused"], latest, 2));
        expect(both.map((row) => row.invocation_id)).toEqual([
          ...dead("running", latest).slice(0, 2),
          ...dead("paused", latest).slice(0, 2),
        ]);
      });

      it("reports whether it records events and service executions", async () => {
        const { events, executions } = await app.read((reads) => reads.layout.capabilities());
        expect({ events, executions }).toEqual({
          events: facts.events !== undefined,
          executions: facts.executions !== undefined,
        });
        const counters = await read((reads) => reads.trigger.eventCounters());
        expect(counters).toEqual(
          facts.events === undefined
            ? null
            : {
                recorded: facts.events,
                matched: facts.events_matched,
                triggered: facts.events_triggered,
                codes: Object.keys(facts.event_codes ?? {}).length,
                trigger_runs: facts.trigger_runs,
              },
        );
        if (facts.valid_conditions !== undefined) {
          expect(await read((reads) => reads.trigger.countValidConditions())).toBe(facts.valid_conditions);
        }
      });

      it("lists every invocation once, newest first, both by page number and by cursor", async () => {
        const whole = await read((reads) => reads.orchestrator.listInvocations({}, ALL));
        expect(new Set(whole.map((row) => row.invocation_id)).size).toBe(sum(facts.statuses));
        const paged: string[] = [];
        for (let offset = 0; offset < whole.length; offset += 7) {
          paged.push(
            ...(await read((reads) => reads.orchestrator.listInvocations({}, { limit: 7, offset }))).map(
              (r) => r.invocation_id,
            ),
          );
        }
        expect(paged).toEqual(whole.map((row) => row.invocation_id));
        expect(await byCursor(app, {}, 11)).toEqual(paged);
        const spans = await read((reads) => reads.state_backend.historySpanOf(paged));
        const registered = new Map(spans.map((span) => [span.invocation_id, span.first.timestamp]));
        const times = paged.map((id) => registered.get(id) ?? Number.NaN);
        // Registrations of several processes may be written a moment out of order.
        expect(times.every((time, i) => i === 0 || time <= (times[i - 1] ?? 0) + 1)).toBe(true);
      });

      it.each(filtersOf(facts))("lists invocations by %s in the order of the whole list", async (_, filter) => {
        const whole = await read((reads) => reads.orchestrator.listInvocations({}, ALL));
        const expected = whole.filter((row) => meets(row, filter)).map((row) => row.invocation_id);
        const listed = await read((reads) => reads.orchestrator.listInvocations(filter, ALL));
        expect(listed.map((row) => row.invocation_id)).toEqual(expected);
        expect(await byCursor(app, filter, 3)).toEqual(expected);
        expect(await read((reads) => reads.orchestrator.countInvocations(filter, 10_000))).toBe(expected.length);
        expect(await read((reads) => reads.orchestrator.countInvocations(filter, 2))).toBe(
          Math.min(2, expected.length),
        );
      });

      it("reads by ids in batches, and leaves out unknown ids", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const asked = [...ids, ...NOBODY];
        const found = await read(async (reads) => ({
          statuses: (await reads.orchestrator.statusesByIds(asked)).map((row) => row.invocation_id),
          definitions: (await reads.state_backend.invocationsByIds(asked)).map((row) => row.invocation_id),
          spans: (await reads.state_backend.historySpanOf(asked)).map((row) => row.invocation_id),
        }));
        for (const answered of Object.values(found)) expect(answered.sort()).toEqual([...ids].sort());
        expect(
          await read((reads) =>
            Promise.all([
              reads.orchestrator.statusesByIds([]),
              reads.state_backend.historyOf(NOBODY, 10),
              reads.state_backend.runnerContexts(NOBODY),
            ]),
          ),
        ).toEqual([[], [], []]);
      });

      it("holds the whole history, oldest first, ending in the current status", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const history = await read((reads) => reads.state_backend.historyOf(ids, 10_000));
        expect(history).toHaveLength(facts.history_rows);
        // Each in the order of insertion: before pynenc 0.2.4, entries were inserted a moment out of order.
        const isInserted = (entry: HistoryRecord, i: number, own: HistoryRecord[]) =>
          i === 0 || entry.written_at >= (own[i - 1]?.written_at ?? 0) - 1;
        expect(ids.every((id) => history.filter((entry) => entry.invocation_id === id).every(isInserted))).toBe(true);
        const span = await read((reads) => reads.state_backend.historySpan());
        expect([span?.first, span?.last]).toEqual([
          expect.closeTo(facts.window[0], 3),
          expect.closeTo(facts.window[1], 3),
        ]);
        const contexts = await read((reads) =>
          reads.state_backend.runnerContexts(history.flatMap((e) => e.runner_context_id ?? [])),
        );
        const known = new Set(contexts.map((context) => context.runner_id));
        expect(history.every((entry) => entry.runner_context_id !== null && known.has(entry.runner_context_id))).toBe(
          true,
        );
      });

      it("reports when statuses were entered by the orchestrator's clock, and when the entries were written", async () => {
        const statuses = await read((reads) => reads.orchestrator.listInvocations({}, ALL));
        const ids = statuses.map((row) => row.invocation_id);
        const { history, spans } = await read(async ({ state_backend }) => ({
          history: await state_backend.historyOf(ids, 10_000),
          spans: await state_backend.historySpanOf([...ids, ...ids.slice(0, 3), ...NOBODY]),
        }));
        expect(spans).toHaveLength(ids.length);
        const spanOf = new Map(spans.map((span) => [span.invocation_id, span]));
        const inserted = ids.map((id) => history.filter((entry) => entry.invocation_id === id));
        const ends = inserted.map(byWriting);
        const endOf = (entry: HistoryRecord | undefined) =>
          entry && { status: entry.status, timestamp: entry.timestamp, written_at: entry.written_at };
        expect(ids.map((id) => spanOf.get(id))).toEqual(
          ends.map((own, i) => ({ invocation_id: ids[i], first: endOf(own[0]), last: endOf(own.at(-1)) })),
        );
        expect(ends.map((own) => own[0]?.status)).toEqual(ids.map(() => "registered"));
        const exact = (seconds: number | undefined) =>
          harness.keeps.microseconds
            ? Math.round((seconds ?? Number.NaN) * 1e6)
            : Math.floor((seconds ?? Number.NaN) * 1e3 + 1e-3);
        expect(ends.map((own) => exact(own.at(-1)?.timestamp))).toEqual(
          statuses.map((row) => exact(row.status_timestamp)),
        );
        const longest = ends.map((own) => own[0]?.invocation_id ?? "").filter((_, i) => (ends[i]?.length ?? 0) > 3);
        for (const id of longest.slice(0, 5)) {
          const own = inserted.find((entries) => entries[0]?.invocation_id === id) ?? [];
          const of = (limit: number) => read((reads) => reads.state_backend.historyOf([id], limit, "latest"));
          for (const limit of [0, 1, 3, own.length, own.length + 5]) {
            expect(await of(limit)).toEqual(limit === 0 ? [] : own.slice(-limit));
          }
          expect(await read((reads) => reads.state_backend.countHistoryOf(id))).toBe(own.length);
        }
        expect(longest.length).toBeGreaterThan(0);
        expect(await read((reads) => reads.state_backend.historyOf(["no-such-id"], 5, "latest"))).toEqual([]);
        expect(await read((reads) => reads.state_backend.countHistoryOf("no-such-id"))).toBe(0);
        const late = history.map((entry) => entry.written_at - entry.timestamp);
        expect([Math.min(...late) > 0, Math.max(...late) < 1]).toEqual([true, true]);
      });

      it("counts the runners that have a context among any ids", async () => {
        const contexts = await read((reads) => reads.state_backend.listRunnerContexts(ALL));
        const ids = contexts.map((context) => context.runner_id);
        const among = (asked: readonly string[]) => read((reads) => reads.state_backend.countRunnerContexts(asked));
        expect(await among([...ids, ...ids.slice(0, 1), ...NOBODY])).toBe(ids.length);
        expect(await among(ids.slice(0, 1))).toBe(1);
        expect([await among(NOBODY), await among([])]).toEqual([0, 0]);
        const callers = contexts.filter((context) => context.runner_cls === "ExternalRunner");
        expect(await read((reads) => reads.state_backend.countRunnerContexts("callers"))).toBe(callers.length);
        expect(callers.length).toBeGreaterThan(0);
      });

      it("finds runners by parts of their ids, up to a limit for each part", async () => {
        const [contexts, heartbeats] = await read((reads) =>
          Promise.all([reads.state_backend.listRunnerContexts(ALL), reads.orchestrator.heartbeats(ALL)]),
        );
        const like = (parts: readonly string[], where: "beginning" | "anywhere", limit: number) =>
          read((reads) => reads.ids.runnersLike(parts, where, limit));
        const ids = [...new Set([...contexts, ...heartbeats].map((row) => row.runner_id))];
        const expected = (parts: readonly string[], meets: (id: string, part: string) => boolean) =>
          parts.flatMap((part) => ids.filter((id) => meets(id, part)).map((id) => `${part} ${id}`)).sort();
        const shown = (matches: readonly { part: string; runner_id: string }[]) =>
          [...new Set(matches.map(({ part, runner_id }) => `${part} ${runner_id}`))].sort();
        const heads = [...new Set(ids.map((id) => id.slice(0, 8)))];
        const tails = [...new Set(ids.map((id) => id.slice(-8)))];
        const beginning = await like([...heads, "no such", "%", "_"], "beginning", 100);
        const anywhere = await like([...tails, "no such", "%", "_"], "anywhere", 100);
        expect(shown(beginning)).toEqual(expected(heads, (id, part) => id.startsWith(part)));
        expect(shown(anywhere)).toEqual(expected(tails, (id, part) => id.includes(part)));
        const some = [contexts, heartbeats].filter((rows) => rows.length > 0);
        expect(await like(["-"], "anywhere", 1)).toHaveLength(some.length);
        expect(await like([], "anywhere", 1)).toEqual([]);
      });

      it("finds the invocations that were active in a window, latest first", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const history = byWriting(await read((reads) => reads.state_backend.historyOf(ids, 10_000)));
        const [first, last] = facts.window;
        const third = (last - first) / 3;
        for (const [from, to] of [
          [first + third, first + 2 * third],
          [undefined, first + third],
          [last - third, undefined],
          [last + 1_000, last + 2_000],
        ] as const) {
          const latest = new Map<string, number>();
          for (const entry of history) {
            if (entry.written_at >= (from ?? 0) && entry.written_at <= (to ?? Number.MAX_VALUE))
              latest.set(entry.invocation_id, entry.written_at);
          }
          const window = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
          const found = await activeIds(app, window, harness.stride);
          expect(new Set(found)).toEqual(new Set(latest.keys()));
          expect(found).toHaveLength(latest.size);
        }
      });

      it("reads the history of a window in order of time, from either end", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const history = byWriting(await read((reads) => reads.state_backend.historyOf(ids, 10_000)));
        const [first, last] = facts.window;
        const third = (last - first) / 3;
        for (const window of [
          {},
          { from: first + third, to: first + 2 * third },
          { to: first + third },
          { from: last - third },
          { from: last + 1_000, to: last + 2_000 },
        ]) {
          const { from = 0, to = Number.MAX_VALUE } = window as { from?: number; to?: number };
          const expected = history.filter(({ written_at }) => written_at >= from && written_at <= to);
          const between = (limit: number, end: "earliest" | "latest") =>
            read((reads) => reads.state_backend.historyBetween(window, limit, end));
          const key = (entry: { invocation_id: string; written_at: number; status: string }) =>
            `${entry.written_at} ${entry.invocation_id} ${entry.status}`;
          expect((await between(10_000, "earliest")).map(key).sort()).toEqual(expected.map(key).sort());
          for (const [end, times] of [
            ["earliest", expected.slice(0, 7)],
            ["latest", expected.slice(-7)],
          ] as const) {
            const cut = await between(7, end);
            expect(cut.map((entry) => entry.written_at)).toEqual([...cut.map((entry) => entry.written_at)].sort());
            expect(cut).toHaveLength(times.length);
            // Neighbours may be stored a little out of order (storage-format.md 0.2), so the cut is right to within moments.
            cut.forEach((entry, i) => {
              expect(entry.written_at).toBeCloseTo(times[i]?.written_at ?? 0, 0);
            });
          }
          const [own, all, none] = await read((reads) =>
            reads.state_backend.historyWithin([window, {}, { from: last + 1_000 }], 7),
          );
          expect(own).toEqual(await between(7, "earliest"));
          expect(all?.map(key)).toEqual(
            (await read((reads) => reads.state_backend.historyBetween({}, 7, "earliest"))).map(key),
          );
          expect(none).toEqual([]);
          const counted = await read((reads) => reads.state_backend.countHistory(window));
          expect(counted).toEqual({ entries: expected.length, exact: true });
        }
      });

      it("walks the history back from its end, and meets each entry once", async () => {
        const key = (entry: { invocation_id: string; written_at: number; status: string }) =>
          `${entry.written_at} ${entry.invocation_id} ${entry.status}`;
        const expected = (await read((reads) => reads.state_backend.historyBetween({}, 10_000, "latest"))).map(key);
        const end = await read((reads) => reads.state_backend.historyEnd());
        for (const limit of [7 * harness.stride, 10_000]) {
          const walked: string[] = [];
          let cursor = end;
          for (let exhausted = false; !exhausted; ) {
            const from = cursor;
            const stretch = await read((reads) => reads.state_backend.historyFrom(from, "older", limit));
            expect(stretch.entries.length).toBeLessThanOrEqual(limit);
            walked.unshift(...stretch.entries.map(key));
            ({ cursor, exhausted } = stretch);
            const { prints, ...reached } = await read((reads) => reads.state_backend.printsBefore(from, limit));
            expect(prints).toEqual(stretch.prints);
            expect(reached).toEqual({ cursor, exhausted });
            expect(prints.map(({ written_at }) => written_at)).toEqual(
              stretch.entries.map((entry) => entry.written_at),
            );
          }
          expect(walked.toSorted()).toEqual(expected.toSorted());
        }
        const printed = await read((reads) => reads.state_backend.printedBetween({}, 10_000));
        expect(printed.entries.map(key)).toEqual(expected);
        // Each row has a print of its own, whichever way it is read.
        const { prints } = await read((reads) => reads.state_backend.printsBefore(end, 10_000));
        expect(printed.prints.map(({ print }) => print).sort()).toEqual(prints.map(({ print }) => print).sort());
        const between = await read((reads) => reads.state_backend.printsBetween({}, 10_000));
        expect(between).toEqual(printed.prints);
        expect(new Set(prints.map(({ print }) => print)).size).toBe(expected.length);
        const newer = await read((reads) => reads.state_backend.historyFrom(end, "newer", 10));
        expect(newer).toMatchObject({ entries: [], exhausted: true, lost: false, late: 0 });
      });

      it("finds the last entry of an invocation before an instant", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const history = byWriting(await read((reads) => reads.state_backend.historyOf(ids, 10_000)));
        const before = (facts.window[0] + facts.window[1]) / 2;
        const expected = new Map<string, number>();
        for (const { invocation_id, written_at } of history)
          if (written_at < before) expected.set(invocation_id, written_at);
        const found = await read((reads) => reads.state_backend.lastEntriesBefore([...ids, ...NOBODY], before));
        expect(new Map(found.map((entry) => [entry.invocation_id, entry.written_at]))).toEqual(expected);
        expect(found).toHaveLength(expected.size);
        expect(await read((reads) => reads.state_backend.lastEntriesBefore(ids, facts.window[0]))).toEqual([]);
      });

      it("finds the invocations that a runner worked on, and those that it registered", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const history = byWriting(await read((reads) => reads.state_backend.historyOf(ids, 10_000)));
        const all = [...new Set(history.flatMap((entry) => entry.runner_context_id ?? []))];
        const runners = all.filter((_, n) => n % Math.ceil(all.length / 12) === 0);
        const owned = entriesByOwner(history);
        const [first, last] = facts.window;
        let [worked, registered] = [0, 0];
        for (const runner_id of runners) {
          for (const window of [{}, { from: first + (last - first) / 3, to: last - (last - first) / 3 }]) {
            const within = owned.filter(
              ({ entry }) => entry.written_at >= (window.from ?? 0) && entry.written_at <= (window.to ?? last + 1),
            );
            const own = within.filter(
              ({ entry, before }) =>
                entry.status !== "registered" &&
                (entry.status_runner_id === runner_id ||
                  (before === runner_id && entry.runner_context_id === runner_id)),
            );
            const begun = within.filter(
              ({ entry }) => entry.status === "registered" && entry.runner_context_id === runner_id,
            );
            const expected = [own, begun].map((some) => new Set(some.map(({ entry }) => entry.invocation_id)));
            const found = [
              await activeIds(app, { ...window, by: { runner_id, role: "worker" } }, harness.stride),
              await activeIds(app, { ...window, by: { runner_id, role: "registrar" } }, harness.stride),
            ];
            expect(found.map((some) => new Set(some))).toEqual(expected);
            expect(found.map((some) => some.length)).toEqual(expected.map((some) => some.size));
            worked += own.length;
            registered += begun.length;
          }
        }
        expect([worked > 0, registered > 0]).toEqual([true, true]);
        for (const role of ["worker", "registrar"] as const)
          expect(await activeIds(app, { by: { runner_id: 'no"such\\runner%', role } }, harness.stride)).toEqual([]);
      });

      it("peeks at the queue without taking anything", async () => {
        const peek = () => read((reads) => reads.broker.peekMessages(ALL));
        const messages = await peek();
        expect(messages).toHaveLength(facts.queue);
        expect(await peek()).toEqual(messages);
        const places = messages.map((m) => [m.queue_name ?? "", -(m.priority ?? 0), m.queued_at ?? 0]);
        expect(places).toEqual([...places].sort(byEach));
        const { named } = await read((reads) => reads.broker.layout());
        expect(messages.every((m) => (m.queue_name !== null) === named && (m.priority !== null) === named)).toBe(true);
        for (const { queued_at } of messages) {
          if (harness.keeps.queue_times) expect(queued_at).toBeGreaterThan(facts.window[0] - 60);
          else expect(queued_at).toBeNull();
        }
        const ids = messages.map((m) => m.invocation_id);
        const byId = (a: { invocation_id: string }, b: { invocation_id: string }) =>
          a.invocation_id < b.invocation_id ? -1 : 1;
        const some = ids.slice(0, 3);
        expect((await read((reads) => reads.broker.messagesOf([...some, ...NOBODY]))).sort(byId)).toEqual(
          messages.filter((message) => some.includes(message.invocation_id)).sort(byId),
        );
        expect(await read((reads) => reads.broker.messagesOf([]))).toEqual([]);
      });

      it("counts and lists queue by queue", async () => {
        const messages = await read((reads) => reads.broker.peekMessages(ALL));
        const names = [...new Set(messages.map((m) => m.queue_name))];
        const queues = await read((reads) => reads.broker.queues());
        expect(queues).toEqual(
          names.map((queue_name) => {
            const ofQueue = messages.filter((m) => m.queue_name === queue_name);
            const times = ofQueue.flatMap((m) => m.queued_at ?? []);
            return { queue_name, messages: ofQueue.length, oldest: times.length === 0 ? null : Math.min(...times) };
          }),
        );
        expect(sum(Object.fromEntries(queues.map((one) => [one.queue_name, one.messages])))).toBe(facts.queue);
        for (const name of ["nobody's", ...names.filter((one) => one !== null)]) {
          const ofQueue = messages.filter((m) => m.queue_name === name);
          expect(await read((reads) => reads.broker.countMessages(name))).toBe(ofQueue.length);
          expect(await read((reads) => reads.broker.peekMessages(ALL, name))).toEqual(ofQueue);
          expect(await read((reads) => reads.broker.peekMessages({ limit: 2, offset: 1 }, name))).toEqual(
            ofQueue.slice(1, 3),
          );
        }
      });

      it("groups runners by the queues that they take from", async () => {
        const beats = await read((reads) => reads.orchestrator.heartbeats(ALL));
        const instants = [0, ...beats.map((beat) => beat.last_heartbeat), Number.MAX_SAFE_INTEGER];
        expect(beats.length).toBe(facts.heartbeats);
        for (const since of instants) {
          const active = beats.filter((beat) => beat.last_heartbeat >= since);
          const told = await read((reads) => reads.orchestrator.consumers(since));
          const lists = (rows: { queues: readonly string[] | null; runners: number }[]) =>
            Object.fromEntries(rows.map((row) => [JSON.stringify(row.queues), row.runners]));
          const expected: Record<string, number> = {};
          for (const { consumed_queues } of active) {
            const list = JSON.stringify(consumed_queues);
            expected[list] = (expected[list] ?? 0) + 1;
          }
          expect(lists(told ?? [])).toEqual(expected);
          expect(told).toHaveLength(Object.keys(expected).length);
        }
      });

      it("has the recorded waits, families and workflows", async () => {
        const edges = await read((reads) => reads.orchestrator.blockingEdges(ALL));
        expect(edges.map((e) => [e.waiter_id, e.waited_id])).toEqual(facts.blocking);
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const children = await read((reads) => reads.state_backend.childrenOf(ids, 10_000));
        expect(new Set(children.map((c) => c.parent_id)).size).toBe(facts.with_children);
        const runs = await read((reads) => reads.state_backend.workflowRuns(ALL));
        expect(
          totals(
            runs.map((run) => ({ ...run, count: 1 })),
            "workflow_type_key",
          ),
        ).toEqual(facts.workflow_types);
      });

      it("has for each workflow run the members of its definitions, and the roots of its sub-workflows", async () => {
        const { runs, definitions, counted } = await read(async ({ state_backend }) => {
          const found = await state_backend.workflowRuns(ALL);
          const ids = (await state_backend.listDefined({}, ALL)).map((row) => row.invocation_id);
          return {
            runs: found,
            definitions: await state_backend.invocationsByIds(ids),
            counted: await state_backend.countWorkflowMembers([...found.map((run) => run.workflow_id), ...NOBODY]),
          };
        });
        const runOf = new Map(definitions.map((row) => [row.invocation_id, row.workflow_id]));
        for (const { workflow_id } of runs) {
          const members = await read((reads) => reads.state_backend.workflowMembers(workflow_id, ALL));
          expect(new Set(members).size).toBe(members.length);
          const own = definitions.filter((row) => row.workflow_id === workflow_id && row.invocation_id !== workflow_id);
          expect(members.filter((id) => runOf.get(id) === workflow_id).sort()).toEqual(
            own.map((row) => row.invocation_id).sort(),
          );
          const others = definitions.filter(
            (row) => members.includes(row.invocation_id) && runOf.get(row.invocation_id) !== workflow_id,
          );
          expect(others.every((row) => row.workflow_id === row.invocation_id)).toBe(true);
          expect(others.every((row) => runOf.get(row.parent_invocation_id ?? "") === workflow_id)).toBe(true);
          expect(members).toHaveLength(own.length + others.length);
          expect(counted[workflow_id]).toEqual(
            members.length === 0 ? undefined : { members: members.length, exact: true },
          );
          const paged: string[] = [];
          for (let offset = 0; offset <= members.length; offset += 2)
            paged.push(
              ...(await read((reads) => reads.state_backend.workflowMembers(workflow_id, { limit: 2, offset }))),
            );
          expect(paged).toEqual(members);
        }
        expect(NOBODY.filter((id) => id in counted)).toEqual([]);
        expect(await read((reads) => reads.state_backend.workflowMembers(NOBODY[0] as string, ALL))).toEqual([]);
      });

      it("reads externalised values by reference, cut if asked", async () => {
        const values = await read((reads) => reads.client_data_store.listValues(ALL));
        expect(values).toHaveLength(facts.client_data);
        const keys = values.map((value) => value.data_key);
        const whole = await read((reads) => reads.client_data_store.valuesByKeys([...keys, ...NOBODY], 1_000_000));
        expect(whole.map((value) => value.data_key).sort()).toEqual([...keys].sort());
        for (const value of whole) {
          expect(Buffer.byteLength(value.text)).toBe(value.size);
          if (harness.keeps.value_times) expect(value.created_at).toBeGreaterThan(facts.window[0] - 60);
          else expect(value.created_at).toBeNull();
        }
        const cut = await read((reads) => reads.client_data_store.valuesByKeys(keys.slice(0, 1), 10));
        expect(cut.map((value) => value.text.length)).toEqual([10]);
      });

      it("lists events newest first by every filter, in pages, by cursor and forwards", async () => {
        const whole = await read((reads) => reads.trigger.listEvents({}, ALL));
        expect(whole).toHaveLength(facts.events ?? 0);
        expect(whole.every((event, i) => i === 0 || event.timestamp <= (whole[i - 1]?.timestamp ?? 0))).toBe(true);
        expect(whole.filter((event) => event.matched_conditions > 0)).toHaveLength(facts.events_matched ?? 0);
        expect(whole.filter((event) => event.triggered)).toHaveLength(facts.events_triggered ?? 0);
        expect(await read((reads) => reads.trigger.eventCodes(1_000))).toEqual(
          Object.keys(facts.event_codes ?? {}).sort(),
        );
        const middle = whole[Math.floor(whole.length / 2)]?.timestamp ?? 0;
        const filters: [EventFilter, (event: EventSummary) => boolean][] = [
          ...Object.keys(facts.event_codes ?? {}).map((code): [EventFilter, (event: EventSummary) => boolean] => [
            { event_code: code },
            (event) => event.event_code === code,
          ]),
          [{ event_code: "no such code" }, () => false],
          [{ matched: true }, (event) => event.matched_conditions > 0],
          [{ matched: false }, (event) => event.matched_conditions === 0],
          [{ triggered: true }, (event) => event.triggered],
          [{ triggered: false, matched: true }, (event) => !event.triggered && event.matched_conditions > 0],
          [{ from: middle }, (event) => event.timestamp >= middle],
          [{ to: middle }, (event) => event.timestamp <= middle],
        ];
        for (const [filter, meets] of filters) {
          const expected = whole.filter(meets).map((event) => event.event_id);
          const listed = await read((reads) => reads.trigger.listEvents(filter, ALL));
          expect(listed.map((event) => event.event_id)).toEqual(expected);
          const times = whole.map((event) => event.timestamp).sort((a, b) => a - b);
          const instants = [(times[0] ?? 0) - 1, ...times.filter((_, i) => i % 3 === 1), (times.at(-1) ?? 0) + 1];
          const spans = instants.slice(1).map((to, i) => ({ from: instants[i] ?? 0, to }));
          const counts = await read((reads) =>
            reads.trigger.countEvents([filter, ...spans.map((span) => ({ ...filter, ...span }))], 10_000),
          );
          expect(counts[0]).toBe(expected.length);
          if (filter.from === undefined && filter.to === undefined) {
            expect(counts.slice(1)).toEqual(
              spans.map(
                ({ from, to }) =>
                  whole.filter((one) => meets(one) && one.timestamp >= from && one.timestamp <= to).length,
              ),
            );
          }
          const forward = await read((reads) => reads.trigger.listEvents(filter, ALL, "oldest"));
          expect(forward.map((event) => event.event_id)).toEqual([...expected].reverse());
          expect(await eventsByCursor(app, filter, 2)).toEqual(expected);
        }
      });

      it("reads events with their payload and what they started", async () => {
        const ids = (await read((reads) => reads.trigger.listEvents({}, ALL))).map((event) => event.event_id);
        const records = await read((reads) => reads.trigger.eventsByIds([...ids, ...NOBODY]));
        expect(records.map((record) => record.event_id).sort()).toEqual([...ids].sort());
        expect(records.filter((record) => record.matched_condition_ids.length > 0)).toHaveLength(
          facts.events_matched ?? 0,
        );
        const started = await read((reads) => reads.trigger.triggeredBy(ids, 10_000));
        expect(new Set(started.map((link) => link.event_id)).size).toBe(facts.events_triggered ?? 0);
        for (const { linked_at } of started) {
          if (harness.keeps.link_times) expect(linked_at).toBeGreaterThan(facts.window[0]);
          else expect(linked_at).toBeNull();
        }
        const emitters = records.flatMap((record) => record.emitted_by_invocation_id ?? []);
        const emitted = await read((reads) => reads.trigger.eventsEmittedBy([...new Set(emitters)], 10_000));
        expect(emitted).toHaveLength(emitters.length);
      });

      it("lists trigger runs, and finds them by all that took part", async () => {
        const runs = await read((reads) => reads.trigger.listTriggerRuns({}, ALL));
        expect(runs).toHaveLength(facts.trigger_runs ?? 0);
        const kinds = totals(
          runs.flatMap((run) => run.participants.map((p) => ({ kind: p.context_type ?? "none", count: 1 }))),
          "kind",
        );
        expect(kinds).toEqual(facts.participants ?? {});
        for (const kind of Object.keys(kinds)) {
          const expected = runs
            .filter((run) => run.participants.some((p) => p.context_type === kind))
            .map((run) => run.trigger_run_id);
          const listed = await read((reads) => reads.trigger.listTriggerRuns({ context_type: kind }, ALL));
          expect(listed.map((run) => run.trigger_run_id)).toEqual(expected);
          expect(await read((reads) => reads.trigger.countTriggerRuns({ context_type: kind }, 10_000))).toBe(
            expected.length,
          );
        }
        for (const run of runs) {
          const [byId] = await read((reads) => reads.trigger.triggerRunsByIds([run.trigger_run_id]));
          expect(byId).toEqual(run);
          const ways = [
            ["event", run.event_ids],
            ["source_invocation", run.source_invocation_ids],
            ["valid_condition", run.valid_condition_ids],
            ["triggered_invocation", run.triggered_invocation_id === null ? [] : [run.triggered_invocation_id]],
          ] as const;
          for (const [way, ids] of ways) {
            const links = await read((reads) => reads.trigger.triggerRunsOf(way, ids, 1_000));
            const led = new Set(
              links.filter((link) => link.trigger_run_id === run.trigger_run_id).map((link) => link.of),
            );
            expect(led).toEqual(new Set(ids));
          }
        }
        const one = runs[0];
        if (one === undefined) return;
        const service = { atomic_service_run_id: one.atomic_service_run_id ?? "" };
        const ofService = await read((reads) => reads.trigger.listTriggerRuns(service, ALL));
        expect(ofService).toEqual(runs.filter((run) => run.atomic_service_run_id === one.atomic_service_run_id));
        const ofTask = await read((reads) => reads.trigger.listTriggerRuns({ task_id_key: one.task_id_key }, ALL));
        expect(ofTask).toEqual(runs.filter((run) => run.task_id_key === one.task_id_key));
      });

      it("searches the newest trigger runs only, and reports how far it searched", async () => {
        const runs = await read((reads) => reads.trigger.listTriggerRuns({}, ALL));
        const kinds = new Set(runs.flatMap((run) => run.participants.flatMap((p) => p.context_type ?? [])));
        const filters: [TriggerRunFilter, (run: TriggerRunRecord) => boolean][] = [
          [{ trigger_id: "none" }, () => false],
          ...[...kinds].map((context_type): [TriggerRunFilter, (run: TriggerRunRecord) => boolean] => [
            { context_type },
            (run) => run.participants.some((p) => p.context_type === context_type),
          ]),
          ...[...new Set(runs.map((run) => run.trigger_id))].map(
            (trigger_id): [TriggerRunFilter, (run: TriggerRunRecord) => boolean] => [
              { trigger_id },
              (run) => run.trigger_id === trigger_id,
            ],
          ),
        ];
        for (const [filter, meets] of filters) {
          for (const look of [1, 3, runs.length - 1, runs.length, runs.length + 1].filter((n) => n > 0)) {
            const newest = runs.slice(0, look);
            const search = (slice: Slice) => read((reads) => reads.trigger.searchTriggerRuns(filter, slice, look));
            const answer = {
              matching: newest.filter(meets).length,
              scanned: newest.length,
              complete: runs.length <= look,
              last_scanned: newest.at(-1)?.trigger_run_id ?? null,
            };
            expect(await search(ALL)).toEqual({ runs: newest.filter(meets), ...answer });
            const second = newest.filter(meets).slice(1, 3);
            expect(await search({ limit: 2, offset: 1 })).toEqual({ runs: second, ...answer });
          }
        }
        const tasks = [...new Set(runs.map((run) => run.task_id_key))];
        for (const task_id_key of tasks) {
          const ofTask = runs.filter((run) => run.task_id_key === task_id_key);
          const found = await read((reads) => reads.trigger.searchTriggerRuns({ task_id_key }, ALL, runs.length + 1));
          expect(found).toMatchObject({ runs: ofTask, matching: ofTask.length, complete: true });
        }
      });

      it("continues after a trigger run, in the order of each list", async () => {
        const runs = await read((reads) => reads.trigger.listTriggerRuns({}, ALL));
        const [task_id_key = ""] = runs.map((run) => run.task_id_key);
        const [trigger_id = ""] = runs.map((run) => run.trigger_id);
        for (const filter of [{}, { task_id_key }, { trigger_id }, { from: 0 }] satisfies TriggerRunFilter[]) {
          const whole = await read((reads) => reads.trigger.listTriggerRuns(filter, ALL));
          for (const [at, { trigger_run_id: after }] of whole.entries()) {
            if (at % harness.stride > 0 && at < whole.length - 1) continue;
            const behind = { ...filter, after };
            const rest = whole.slice(at + 1);
            expect(await read((reads) => reads.trigger.listTriggerRuns(behind, { limit: 3, offset: 1 }))).toEqual(
              rest.slice(1, 4),
            );
            expect(await read((reads) => reads.trigger.countTriggerRuns(behind, 1_000))).toBe(rest.length);
            const found = await read((reads) => reads.trigger.searchTriggerRuns(behind, ALL, 1_000));
            expect(found).toMatchObject({ runs: rest, matching: rest.length, complete: true });
          }
        }
        const gone = await read((reads) => reads.trigger.searchTriggerRuns({ after: "no such run" }, ALL, 1_000));
        expect(gone).toMatchObject({ runs: [], matching: 0, complete: true });
      });

      it("finds triggers by the task that they start", async () => {
        const triggers = await read((reads) => reads.trigger.triggers({}, ALL));
        const tasks = [...new Set(triggers.map((trigger) => trigger.task_id_key))];
        expect(tasks.length).toBeGreaterThan(0);
        expect(
          await read((reads) =>
            reads.trigger.triggers({ by: "task_id_key", ids: [...NOBODY, ...tasks] }, { limit: 10_000, offset: 0 }),
          ),
        ).toEqual(triggers);
        expect(
          await read((reads) => reads.trigger.triggers({ by: "task_id_key", ids: tasks }, { limit: 1, offset: 0 })),
        ).toEqual(triggers.slice(0, 1));
        const [last] = tasks.slice(-1);
        expect(
          await read((reads) =>
            reads.trigger.triggers({ by: "task_id_key", ids: [last ?? ""] }, { limit: 10_000, offset: 0 }),
          ),
        ).toEqual(triggers.filter((trigger) => trigger.task_id_key === last));
        expect(
          await read((reads) => reads.trigger.triggers({ by: "task_id_key", ids: [] }, { limit: 10, offset: 0 })),
        ).toEqual([]);
      });

      it("lists, finds and counts valid conditions that are still waiting", async () => {
        const listed = (await read((reads) => reads.trigger.listValidConditions(ALL))) ?? [];
        expect(listed).toHaveLength(await read((reads) => reads.trigger.countValidConditions()));
        const paged: typeof listed = [];
        for (let offset = 0; offset <= listed.length; offset += 2) {
          paged.push(...((await read((reads) => reads.trigger.listValidConditions({ limit: 2, offset }))) ?? []));
        }
        expect(paged).toEqual(listed);
        const triggers = await read((reads) => reads.trigger.triggers({}, ALL));
        const conditions = [...new Set(triggers.flatMap((trigger) => trigger.condition_ids))];
        const of = (each: number) => read((reads) => reads.trigger.validConditionsOf([...conditions, ...NOBODY], each));
        const met = (await of(10_000)) ?? [];
        const byId = [...listed].sort((a, b) => (a.valid_condition_id < b.valid_condition_id ? -1 : 1));
        expect(met).toEqual(
          byId.map((row) => ({
            condition_id: conditions.find((id) => row.valid_condition_id.startsWith(`valid_condition_${id}_context_`)),
            ...row,
          })),
        );
        const first = new Map([...met].reverse().map((row) => [row.condition_id, row]));
        expect(await of(1)).toEqual(met.filter((row) => first.get(row.condition_id) === row));
        const counted = (cap: number) =>
          read((reads) => reads.trigger.countValidConditionsOf([...conditions, ...NOBODY], cap));
        const numbers = Object.fromEntries(
          [...first.keys()].map((id) => [id, met.filter((row) => row.condition_id === id).length]),
        );
        expect(await counted(10_000)).toEqual(numbers);
        expect(await counted(1)).toEqual(Object.fromEntries(Object.keys(numbers).map((id) => [id, 1])));
      });

      it("limits linked rows for each id, so that no id takes the rows of another", async () => {
        const ids = (await read((reads) => reads.orchestrator.listInvocations({}, ALL))).map(
          (row) => row.invocation_id,
        );
        const events = (await read((reads) => reads.trigger.listEvents({}, ALL))).map((event) => event.event_id);
        const runs = await read((reads) => reads.trigger.listTriggerRuns({}, ALL));
        const targets = runs.flatMap((run) => run.triggered_invocation_id ?? []);
        const conditions = [...new Set(runs.flatMap((run) => run.valid_condition_ids))];
        const links: ((reads: AppReads, limit: RowLimit) => Promise<[of: string, to: string][]>)[] = [
          async (reads, limit) =>
            (await reads.state_backend.childrenOf(ids, limit)).map((row) => [row.parent_id, row.invocation_id]),
          async (reads, limit) =>
            (await reads.state_backend.childrenOf(events, limit, "event")).map((row) => [
              row.parent_id,
              row.invocation_id,
            ]),
          async (reads, limit) =>
            (await reads.trigger.eventsEmittedBy(ids, limit)).map((event) => [
              event.emitted_by_invocation_id ?? "",
              event.event_id,
            ]),
          async (reads, limit) =>
            (await reads.trigger.triggeredBy(events, limit)).map((link) => [link.event_id, link.invocation_id]),
          ...(
            [
              ["event", events],
              ["source_invocation", ids],
              ["triggered_invocation", [...new Set(targets)]],
              ["valid_condition", conditions],
            ] as const
          ).map(
            ([kind, of]) =>
              async (reads: AppReads, limit: RowLimit): Promise<[string, string][]> =>
                (await reads.trigger.triggerRunsOf(kind, of, limit)).map((link) => [link.of, link.trigger_run_id]),
          ),
        ];
        for (const [index, ask] of links.entries()) {
          const whole = await read((reads) => ask(reads, 10_000));
          for (const each of [1, 2, 10_000]) {
            const some = await read((reads) => ask(reads, { each }));
            const counted = (rows: typeof whole, most: number) =>
              new Map(
                [...new Set(rows.map(([of]) => of))]
                  .sort()
                  .map((of) => [of, Math.min(most, rows.filter((row) => row[0] === of).length)]),
              );
            expect([index, each, counted(some, 10_000)]).toEqual([index, each, counted(whole, each)]);
            const known = new Set(whole.map((row) => row.join(" ")));
            expect(some.filter((row) => !known.has(row.join(" ")))).toEqual([]);
          }
        }
      });

      it("holds trigger definitions with their conditions", async () => {
        const triggers = await read((reads) => reads.trigger.triggers({}, ALL));
        if (facts.triggers !== undefined) expect(triggers).toHaveLength(facts.triggers);
        const conditionIds = [...new Set(triggers.flatMap((trigger) => trigger.condition_ids))];
        const conditions = await read((reads) => reads.trigger.conditionsByIds([...conditionIds, ...NOBODY]));
        expect(conditions.map((condition) => condition.condition_id).sort()).toEqual([...conditionIds].sort());
        for (const id of conditionIds) {
          const having = await read((reads) =>
            reads.trigger.triggers({ by: "condition_id", ids: [id] }, { limit: 100, offset: 0 }),
          );
          expect(having).toEqual(triggers.filter((trigger) => trigger.condition_ids.includes(id)));
        }
        const [first] = triggers;
        if (first !== undefined)
          expect(
            await read((reads) =>
              reads.trigger.triggers({ by: "trigger_id", ids: [first.trigger_id, ...NOBODY] }, ALL),
            ),
          ).toEqual([first]);
      });

      it("lists service executions by every filter", async () => {
        const whole = await read((reads) => reads.orchestrator.executions(ALL));
        expect(whole).toHaveLength(sum(facts.executions ?? {}));
        expect(whole.every((run, i) => i === 0 || run.start_time <= (whole[i - 1]?.start_time ?? 0))).toBe(true);
        const seconds = (run: ExecutionRecord) => (run.end_time === null ? -1 : run.end_time - run.start_time);
        const longest = Math.max(0, ...whole.map(seconds));
        const middle = ((whole.at(-1)?.start_time ?? 0) + (whole[0]?.start_time ?? 0)) / 2;
        const filters: [ExecutionFilter, (run: ExecutionRecord) => boolean][] = [
          [{ status: "blocked" }, (run) => run.status === "blocked"],
          [{ runner_id: whole[0]?.runner_id ?? "nobody" }, (run) => run.runner_id === whole[0]?.runner_id],
          [{ id_prefix: "a" }, (run) => run.atomic_service_run_id.startsWith("a")],
          // Away from the longest by more than a Julian day can tell apart.
          [{ min_seconds: longest - 0.001 }, (run) => seconds(run) >= longest - 0.001],
          [{ min_seconds: longest + 1 }, () => false],
          [
            { from: middle, to: middle + 5 },
            (run) => run.start_time <= middle + 5 && (run.end_time ?? middle) >= middle,
          ],
          [{ to: facts.window[0] - 3_600 }, () => false],
        ];
        for (const [filter, meets] of filters) {
          const expected = whole.filter(meets).map((run) => run.atomic_service_run_id);
          const listed = await read((reads) => reads.orchestrator.executions(ALL, filter));
          expect(listed.map((run) => run.atomic_service_run_id)).toEqual(expected);
          const counts = await read((reads) => reads.orchestrator.countExecutions(filter));
          for (const [status, n] of Object.entries(counts)) {
            expect(n).toBe(listed.filter((run) => run.status === status).length);
          }
          expect(totalOf(counts)).toBe(expected.length);
          const capped = await read((reads) => reads.orchestrator.countExecutions(filter, 2));
          expect(totalOf(capped)).toBe(Math.min(2, expected.length));
        }
        const ids = whole.slice(0, 5).map((run) => run.atomic_service_run_id);
        const byIds = await read((reads) => reads.orchestrator.executions(ALL, { ids: [...ids, ...NOBODY] }));
        expect(byIds.map((run) => run.atomic_service_run_id).sort()).toEqual([...ids].sort());
      });

      it("keeps its version token while nothing changes", async () => {
        const before = await app.version();
        await read((reads) => reads.orchestrator.countByStatus());
        expect(await app.version()).toBe(before);
      });
    });
  });
}

function totals<Key extends string>(
  rows: readonly ({ count: number } & Record<Key, string>)[],
  key: Key,
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const row of rows) found[row[key]] = (found[row[key]] ?? 0) + row.count;
  return found;
}

function filtersOf(facts: AppFacts): [string, StatusFilter][] {
  const [task] = Object.entries(facts.tasks).sort(([, a], [, b]) => b - a)[0] ?? ["none"];
  const statuses = Object.keys(facts.statuses);
  return [
    ["one status", { statuses: ["success"] }],
    ["a status named twice", { statuses: ["success", "success"] }],
    ["several statuses", { statuses }],
    ["several statuses but success", { statuses: statuses.filter((status) => status !== "success") }],
    ["an unknown status", { statuses: ["no_such_status"] }],
    ["a task", { task_id_key: task }],
    ["a task in two statuses", { task_id_key: task, statuses: ["success", "failed"] }],
    ["an unknown task", { task_id_key: "no.such" }],
    ["the beginning of an id", { id_prefix: "a" }],
    ["the beginning of an id and a status", { id_prefix: "3", statuses: ["success"] }],
    ["a percent sign, taken literally", { id_prefix: "%" }],
    ["underscores, taken literally", { id_prefix: "________" }],
  ];
}

function meets(row: { invocation_id: string; status: string; task_id_key: string }, filter: StatusFilter): boolean {
  return (
    (filter.statuses?.includes(row.status) ?? true) &&
    (filter.task_id_key === undefined || filter.task_id_key === row.task_id_key) &&
    row.invocation_id.startsWith(filter.id_prefix ?? "")
  );
}

async function byCursor(app: AppStore, filter: StatusFilter, step: number): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const rows = await app.read((reads) =>
      reads.orchestrator.listInvocations(filter, { limit: step, offset: 0 }, after),
    );
    ids.push(...rows.map((row) => row.invocation_id));
    if (rows.length < step) return ids;
    after = rows.at(-1)?.cursor;
  }
}

async function eventsByCursor(app: AppStore, filter: EventFilter, step: number): Promise<string[]> {
  const ids: string[] = [];
  let after: EventSummary | undefined;
  for (;;) {
    const rows = await app.read((reads) =>
      reads.trigger.listEvents(filter, { limit: step, offset: 0 }, "newest", after),
    );
    ids.push(...rows.map((row) => row.event_id));
    if (rows.length < step) return ids;
    after = rows.at(-1);
  }
}

/** Walks the definitions without a status to their end. */
export async function scanAll(
  app: AppStore,
  scanLimit: number,
): Promise<{ rows: ForgottenInvocation[]; scanned: number }> {
  const rows: ForgottenInvocation[] = [];
  let scanned = 0;
  for (let after: string | undefined; ; ) {
    const { step, order } = await app.read(async (reads) => {
      const step = await reads.forgotten.scan(scanLimit, after);
      return { step, order: step.last === null ? {} : await reads.forgotten.orderOf([step.last]) };
    });
    expect(Object.keys(order)).toEqual(step.scanned === 0 ? [] : [step.last]);
    for (const place of Object.values(order))
      expect(Number.isFinite(step.reached) ? place : null).toBe(Number.isFinite(step.reached) ? step.reached : null);
    rows.push(...step.rows);
    scanned += step.scanned;
    expect(step.scanned).toBeLessThanOrEqual(scanLimit);
    if (step.next === null) return { rows, scanned };
    after = step.next;
  }
}

/** What a call answered, or the name of its error. */
function outcomeOf(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === "fulfilled" ? settled.value : (settled.reason as Error).name;
}

/** Each entry with the owner that the invocation had before it. */
function entriesByOwner(history: readonly HistoryRecord[]): { entry: HistoryRecord; before: string | null }[] {
  const owners = new Map<string, string | null>();
  return history.map((entry) => {
    const before = owners.get(entry.invocation_id) ?? null;
    owners.set(entry.invocation_id, entry.status === "registered" ? null : entry.status_runner_id);
    return { entry, before };
  });
}

/** Walks `listActive` in small steps to its end. */
async function activeIds(app: AppStore, filter: HistoryFilter, stride: number): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const answer = await app.read((reads) => reads.state_backend.listActive(filter, 5 * stride, 50 * stride, after));
    ids.push(...answer.rows.map((row) => row.invocation_id));
    if (answer.exhausted) return ids;
    after = answer.last_cursor ?? undefined;
  }
}

/** Compares lists element by element. */
function byEach(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? "";
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Every id that the ports list. */
async function idsOf({
  orchestrator,
  state_backend,
  client_data_store,
  trigger,
}: AppReads): Promise<Record<IdKind, string[]>> {
  const statuses = await orchestrator.listInvocations({}, ALL);
  const triggers = await trigger.triggers({}, ALL);
  const conditions = await trigger.conditionsByIds(triggers.flatMap((one) => one.condition_ids));
  const contexts = await state_backend.listRunnerContexts(ALL);
  const runners = [...contexts, ...(await orchestrator.heartbeats(ALL))].map((row) => row.runner_id);
  return {
    invocation: statuses.map((row) => row.invocation_id),
    workflow: (await state_backend.workflowRuns(ALL)).map((row) => row.workflow_id),
    event: (await trigger.listEvents({}, ALL)).map((row) => row.event_id),
    trigger_run: (await trigger.listTriggerRuns({}, ALL)).map((row) => row.trigger_run_id),
    trigger: triggers.map((row) => row.trigger_id),
    condition: conditions.map((row) => row.condition_id),
    valid_condition: ((await trigger.listValidConditions(ALL)) ?? []).map((row) => row.valid_condition_id),
    runner: [...new Set(runners)],
    atomic_service_run: (await orchestrator.executions(ALL)).map((row) => row.atomic_service_run_id),
    call: [...new Set(statuses.map((row) => row.call_id_key))],
    client_data: (await client_data_store.listValues(ALL)).map((row) => row.data_key),
  };
}

/** Oldest first. */
function byWriting(entries: readonly HistoryRecord[]): HistoryRecord[] {
  return [...entries].sort((a, b) => a.written_at - b.written_at);
}
