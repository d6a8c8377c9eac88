/**
 * What every store must do when it is changed, whatever it is made of. Expected answers are worked out from the reads by the rules of
 * storage-format.md 5.7, 6.4, 7.1, 7.3 and 7.4, in this file, and a preview has to give them too.
 */
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefusedError } from "../../src/errors.ts";
import { externalCaller, type KnownControl } from "../../src/pynenc/rerun.ts";
import { statusInfo } from "../../src/pynenc/statuses.ts";
import { rollupAnswers } from "../../src/rollups/reads.ts";
import { Follower, type SavedFold } from "../../src/services/rollups/follower.ts";
import type {
  EventPurge,
  EventRetention,
  OrchestratorPurge,
  OrchestratorRetention,
  Requeue,
  RequeueRequest,
  Rerun,
  Routing,
  RowCount,
} from "../../src/stores/ports/actions.ts";
import { COMPONENTS, type ComponentName } from "../../src/stores/ports/common.ts";
import type { AppStore } from "../../src/stores/ports/store.ts";
import { FACTS, FIXTURE_NAMES, type FixtureName, factsOf, sum } from "../support/fixtures.ts";
import { ALL, type Everything, everythingOf, expectEqual, placeOf } from "./everything.ts";
import type { Harness } from "./store-contract.ts";
import { scanAll } from "./store-contract.ts";

const NOBODY = ["no-such-id", "", "'; --", "%", "日本"];
/** Statuses of invocations that wait for a runner to take their message (storage-format.md 2.1). */
const WAITING = ["registered", "rerouted", "retry"];
const CALLER = externalCaller("host of the β test", 4711);

/** @param apps on which it is tried, by fixture: the largest app of each, with the others beside it. */
export function actionsContract(
  kind: string,
  open: (fixture: FixtureName) => Promise<Harness>,
  apps: (fixture: FixtureName) => readonly string[] = (fixture) => Object.keys(FACTS[fixture]).slice(-1),
): void {
  describe.each(FIXTURE_NAMES.filter((fixture) => apps(fixture).length > 0))(`actions (${kind}) on %s`, (fixture) => {
    describe.each(apps(fixture).map((appId) => [appId, factsOf(fixture, appId)] as const))("%s", (appId, facts) => {
      let harness: Harness;
      let app: AppStore;
      /** What the app holds when a test begins. Each has a copy of the same fixture, so it is read once. */
      let before: Everything;
      /** Other apps of the fixture, and what they hold: no test changes it. */
      const others = new Map<string, Everything>();
      beforeAll(async () => {
        const fresh = await open(fixture);
        before = await everythingOf(fresh.store.app(appId));
        for (const id of Object.keys(FACTS[fixture]).filter((one) => one !== appId))
          others.set(id, await everythingOf(fresh.store.app(id)));
        await fresh.close();
      });
      beforeEach(async () => {
        harness = await open(fixture);
        app = harness.store.app(appId);
      });
      afterEach(async () => {
        try {
          for (const [id, held] of others) expectEqual(await everythingOf(harness.store.app(id)), held);
          const ids = (await harness.store.apps()).map((found) => found.app_id);
          expect(ids.sort()).toEqual(Object.keys(FACTS[fixture]).sort());
        } finally {
          await harness.close();
        }
      });

      const told = (rows: readonly RowCount[]) =>
        rows
          .filter((row) => harness.keeps.empty_families || row.rows > 0)
          .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
      const rowsOf = ({ rows }: Everything, name: string) => rows[name] ?? (harness.keeps.empty_families ? null : 0);

      /** Apart from figures, which each test has a word of its own about. */
      const expectAfter = (after: Everything, expected: Everything) => {
        const { layout } = harness.keeps.layout ? expected : after;
        expectEqual(after, { ...expected, layout, rows: after.rows });
      };

      const purges: ComponentName[][] = [...COMPONENTS.map((component) => [component]), [...COMPONENTS], []];
      it.each(purges.map((components) => [components.join(", ") || "nothing", components] as const))(
        "a purge of %s deletes what its preview shows, nothing else, and keeps the registration",
        async (_, components) => {
          const preview = await app.read((reads) => reads.preview.purge(components));
          expectEqual(await everythingOf(app), before);
          const version = await app.version();
          const purged = await app.actions.purge(components);
          if (purged.some((row) => row.rows > 0)) expect(await app.version()).not.toBe(version);
          expect(told(purged)).toEqual(told(preview));
          const after = await everythingOf(app);
          expect(purged.every((row) => row.exact && components.includes(row.component))).toBe(true);
          const counted = Object.fromEntries(purged.map((row) => [placeOf(row), row.rows]));
          for (const [name, rows] of Object.entries(before.rows))
            expect([name, rowsOf(after, name)]).toEqual([name, name in counted ? 0 : rows]);
          for (const [name, rows] of Object.entries(counted))
            expect([name, rows]).toEqual([name, rowsOf(before, name)]);
          expectAfter(after, emptied(before, components));
          // Once more: there is nothing left to go.
          const again = await app.actions.purge(components);
          expect(told(again)).toEqual(told(purged.map((row) => ({ ...row, rows: 0 }))));
        },
      );

      it("an auto-purge of the orchestrator follows the rules, and deletes what its preview shows", async () => {
        for (const [name, retention] of orchestratorPolicies(before)) {
          const expected = orchestratorModel(await everythingOf(app), retention);
          const preview = await app.read((reads) => reads.preview.autoPurgeOrchestrator(retention));
          expect([name, await app.actions.autoPurgeOrchestrator(retention)]).toEqual([name, preview]);
          expect([name, preview]).toEqual([name, { ...expected.counts, invocation_args: preview.invocation_args }]);
          const after = await everythingOf(app);
          expectAfter(after, expected.after);
          const again = await app.actions.autoPurgeOrchestrator(retention);
          expect([again.invocations, again.executions_by_age, again.executions_by_capacity]).toEqual([0, 0, 0]);
        }
      });

      it("an auto-purge never removes invocations that are not final or have a message, nor running service executions", async () => {
        const all = {
          final_until: Number.MAX_VALUE,
          executions_before: Number.MAX_VALUE,
          max_executions: 1,
          with_open_parents: true,
        };
        await app.actions.autoPurgeOrchestrator(all);
        const after = await everythingOf(app);
        const open = before.statuses.filter((row) => !statusInfo(row.status).final);
        const queued = before.messages.map((message) => message.invocation_id);
        expect(after.statuses).toEqual(
          before.statuses.filter((row) => open.includes(row) || queued.includes(row.invocation_id)),
        );
        expect(open).toHaveLength(
          sum(Object.fromEntries(Object.entries(facts.statuses).filter(([status]) => !statusInfo(status).final))),
        );
        expect(after.executions).toEqual(
          before.executions.filter(
            (run) => run.status === "running" || referenced(before).has(run.atomic_service_run_id),
          ),
        );
        expect([after.definitions, after.history, after.results]).toEqual([
          before.definitions,
          before.history,
          before.results,
        ]);
      });

      if (fixture !== "pending_triggers.db" && appId === "kitchen_sink") {
        const all = { final_until: Number.MAX_VALUE, executions_before: null, max_executions: 0 };
        const running = { word: "running", final_since: null };
        const done = { word: "success", final_since: 1 };
        /** A parent whose own history ends with one of these words, and a child of it. */
        const family = (...words: string[]) => {
          const child = before.definitions.find(
            (row) =>
              row.parent_invocation_id !== null && words.includes(historyEnd(before, row.parent_invocation_id) ?? ""),
          );
          return { child: child?.invocation_id ?? "", parent: child?.parent_invocation_id ?? "" };
        };
        type Status = Parameters<Harness["setStatus"]>[2];
        const PARENTS: [string, string[], Status, boolean][] = [
          ["is running", ["success"], running, true],
          ["has an unknown status", ["success"], { word: "a newer word", final_since: null }, true],
          ["is final", ["running", "paused"], { word: "failed", final_since: null }, false],
          ["is forgotten, and was final at last", ["success"], null, false],
          ["is forgotten, and was running at last", ["running", "paused"], null, true],
        ];
        it.each(PARENTS)("an auto-purge follows the rules when a parent %s", async (_, words, status, stays) => {
          const { child, parent } = family(...words);
          // On Redis what is in the queue stays for that.
          await app.actions.purge(["broker"]);
          await harness.setStatus(appId, child, done);
          await harness.setStatus(appId, parent, status);
          const world = await everythingOf(app);
          const retention = { ...all, with_open_parents: false };
          const { counts } = orchestratorModel(world, retention);
          const preview = await app.read((reads) => reads.preview.autoPurgeOrchestrator(retention));
          expect(preview).toMatchObject({
            invocations: counts.invocations,
            invocations_of_open_parents: counts.invocations_of_open_parents,
          });
          expect(counts.invocations_of_open_parents > 0).toBe(stays);
          expect(await app.actions.autoPurgeOrchestrator(retention)).toEqual(preview);
          const left = await everythingOf(app);
          expect(left.statuses.some((row) => row.invocation_id === child)).toBe(stays);
          const purged = new Set(world.statuses.map((row) => row.invocation_id));
          for (const row of left.statuses) purged.delete(row.invocation_id);
          expect(left.edges).toEqual(world.edges.filter((edge) => !purged.has(edge.waited_id)));
          // Asked for, they go too, and are counted as before.
          const taken = await app.actions.autoPurgeOrchestrator({ ...all, with_open_parents: true });
          expect(taken).toMatchObject({
            invocations: counts.invocations_of_open_parents,
            invocations_of_open_parents: counts.invocations_of_open_parents,
          });
          expect(
            (await everythingOf(app)).statuses.filter(
              (row) => statusInfo(row.status).final && row.auto_purge_timestamp !== null,
            ),
          ).toEqual([]);
        });
      }

      it("an auto-purge leaves forgotten invocations, each listed with its last status", async () => {
        const gone = {
          final_until: Number.MAX_VALUE,
          executions_before: null,
          max_executions: 0,
          with_open_parents: true,
        };
        await app.actions.autoPurgeOrchestrator(gone);
        const queued = before.messages.map((message) => message.invocation_id);
        const finals = before.statuses.filter(
          (row) => statusInfo(row.status).final && !queued.includes(row.invocation_id),
        );
        const { rows } = await scanAll(app, 10);
        const facts = rows.map(({ order: _, ...row }) => row);
        const expected = finals.map(({ invocation_id, task_id_key, call_id_key, status }) => ({
          invocation_id,
          task_id_key,
          call_id_key,
          last_status: status,
        }));
        const byId = (a: { invocation_id: string }, b: { invocation_id: string }) =>
          a.invocation_id < b.invocation_id ? -1 : 1;
        expect(facts.sort(byId)).toEqual(expected.sort(byId));
        expect(expected.length).toBeGreaterThan(0);
      });

      it("the preview of an auto-purge of the orchestrator follows the rules for any limits", async () => {
        const [from, to] = [facts.window[0] - 10, facts.window[1] + 10];
        const instant = fc.double({ min: from, max: to, noNaN: true });
        const retentions = fc.record({
          final_until: instant,
          executions_before: fc.option(instant),
          max_executions: fc.integer({ min: 0, max: before.executions.length + 2 }),
          with_open_parents: fc.boolean(),
        });
        await app.read((reads) =>
          fc.assert(
            fc.asyncProperty(retentions, async (retention) => {
              const { invocation_args: _, ...preview } = await reads.preview.autoPurgeOrchestrator(retention);
              expect(preview).toEqual(orchestratorModel(before, retention).counts);
            }),
            { numRuns: 40 },
          ),
        );
      });

      if (facts.events === undefined) {
        it("an auto-purge of events that are not recorded is refused with the reason", async () => {
          const retention = { before: Number.MAX_VALUE, max_events: 0, max_trigger_runs: 0 };
          for (const attempt of [
            () => app.actions.autoPurgeEvents(retention),
            () => app.read((reads) => reads.preview.autoPurgeEvents(retention)),
          ]) {
            const error = await attempt().catch((thrown: unknown) => thrown);
            expect(error).toBeInstanceOf(RefusedError);
            expect(error).toMatchObject({ status: 409, message: expect.stringContaining("records no events") });
          }
          expectEqual(await everythingOf(app), before);
        });
      } else {
        it("an auto-purge of events and trigger runs follows the rules, and deletes what its preview shows", async () => {
          for (const [name, retention] of eventPolicies(before)) {
            const expected = eventModel(await everythingOf(app), retention);
            const preview = await app.read((reads) => reads.preview.autoPurgeEvents(retention));
            expect([name, await app.actions.autoPurgeEvents(retention)]).toEqual([name, preview]);
            expect([name, preview]).toEqual([name, expected.counts]);
            const after = await everythingOf(app);
            const known = new Set(after.trigger_runs.map((run) => run.trigger_run_id));
            const triggered = expected.after.triggered.map((link) =>
              harness.keeps.link_runs || known.has(link.trigger_run_id ?? "")
                ? link
                : { ...link, trigger_run_id: null },
            );
            expectAfter(after, { ...expected.after, triggered });
            const again = await app.actions.autoPurgeEvents(retention);
            expect(sum({ ...again })).toBe(0);
          }
        });

        it("the preview of an auto-purge of events follows the rules for any limits", async () => {
          const retentions = fc.record({
            before: fc.double({ min: facts.window[0] - 10, max: facts.window[1] + 10, noNaN: true }),
            max_events: fc.integer({ min: 0, max: before.events.length + 2 }),
            max_trigger_runs: fc.integer({ min: 0, max: before.trigger_runs.length + 2 }),
          });
          await app.read((reads) =>
            fc.assert(
              fc.asyncProperty(retentions, async (retention) => {
                expect(await reads.preview.autoPurgeEvents(retention)).toEqual(eventModel(before, retention).counts);
              }),
              { numRuns: 40 },
            ),
          );
        });
      }

      it("a rerun of every call registers it or refuses it with a reason, as its preview shows", async () => {
        const ids = before.definitions.map((record) => record.invocation_id).reverse();
        const request = { caller: CALLER, force: false };
        const preview = await app.read((reads) => reads.preview.rerun(ids, request));
        expectEqual(await everythingOf(app), before);
        const from = Date.now() / 1000 - 0.001;
        const done = await app.actions.rerun(ids, request);
        const until = Date.now() / 1000 + 0.001;
        expect(asInPreview(done)).toEqual(preview);
        expect(done.map((one) => one.invocation_id)).toEqual(ids);
        const made = done.flatMap((one) => one.new_invocation_id ?? []);
        expect(new Set([...made, ...ids]).size).toBe(made.length + ids.length);

        const after = await everythingOf(app);
        expect(after.statuses.slice(made.length)).toEqual(before.statuses);
        expect(after.statuses.slice(0, made.length).map((row) => row.invocation_id)).toEqual([...made].reverse());
        const isNew = ({ invocation_id }: { invocation_id: string }) => made.includes(invocation_id);
        expect(after.messages.filter((message) => !isNew(message))).toEqual(before.messages);
        const added = after.messages.filter(isNew);
        const routes = new Map(done.map((one) => [one.new_invocation_id, one.route]));
        expect(added.map(({ invocation_id: id }) => id)).toEqual(
          inTakeOrder(made, (id) => [routes.get(id)?.queue_name ?? "", routes.get(id)?.priority ?? 0]),
        );
        const where = ({ queue_name, priority }: { queue_name: string | null; priority: number | null }) => [
          queue_name,
          priority,
        ];
        expect(added.map(where)).toEqual(
          added.map(({ invocation_id: id }) => where(routes.get(id) ?? { queue_name: null, priority: null })),
        );
        const { named } = await app.read((reads) => reads.broker.layout());
        expect(done.every(({ route, refusal }) => (route !== null) === (named && refusal === null))).toBe(true);
        const definitions = new Map(after.definitions.map((record) => [record.invocation_id, record]));
        const statuses = new Map(after.statuses.map((row) => [row.invocation_id, row]));
        for (const { invocation_id, new_invocation_id, own_workflow, task_id_key } of done) {
          if (new_invocation_id === null) continue;
          expect(new_invocation_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
          const original = definitions.get(invocation_id);
          expect(definitions.get(new_invocation_id)).toEqual({
            ...original,
            invocation_id: new_invocation_id,
            parent_invocation_id: null,
            parent_event_id: null,
            workflow_id: own_workflow ? new_invocation_id : null,
            workflow_type_key: own_workflow ? task_id_key : null,
            parent_workflow_id: null,
          });
          const status = statuses.get(new_invocation_id);
          expect(status).toEqual({
            invocation_id: new_invocation_id,
            task_id_key,
            call_id_key: original?.call_id_key,
            status: "registered",
            status_runner_id: CALLER.runner_id,
            status_timestamp: expect.any(Number),
            retry_count: 0,
            auto_purge_timestamp: null,
          });
          const history = after.history.filter((entry) => entry.invocation_id === new_invocation_id);
          expect(history).toEqual([
            {
              invocation_id: new_invocation_id,
              timestamp: status?.status_timestamp,
              written_at: status?.status_timestamp,
              status: "registered",
              status_runner_id: CALLER.runner_id,
              runner_context_id: CALLER.runner_id,
              registered_by_inv_id: null,
            },
          ]);
          expect(status?.status_timestamp).toBeGreaterThanOrEqual(from);
          expect(status?.status_timestamp).toBeLessThanOrEqual(until);
        }
        const registered = done.filter((one) => one.new_invocation_id !== null);
        const by = { runner_id: CALLER.runner_id, role: "registrar" as const };
        const active = await app.read((reads) => reads.state_backend.listActive({ by }, 1_000, 10_000));
        expect(active.rows.map((row) => row.invocation_id).sort()).toEqual(
          registered.map((one) => one.new_invocation_id).sort(),
        );
        expect(grown(before.rows, after.rows)).toEqual(nonZero(harness.grownBy(registered, before)));
        expect(after.contexts.filter((context) => context.runner_id === CALLER.runner_id)).toEqual([CALLER]);
        expect(after.contexts).toHaveLength(before.contexts.length + 1);
        const untouched = [
          "heartbeats",
          "edges",
          "executions",
          "results",
          "exceptions",
          "workflows",
          "values",
        ] as const;
        for (const part of [
          ...untouched,
          "events",
          "trigger_runs",
          "triggers",
          "valid_conditions",
          "app_info",
        ] as const)
          expect(after[part]).toEqual(before[part]);
      });

      it("a rerun refuses unknown ids in their place, and registers the others", async () => {
        const request = { caller: CALLER, force: false };
        const unknown = (invocation_id: string) => ({
          invocation_id,
          task_id_key: null,
          new_invocation_id: null,
          refusal: { kind: "unknown" },
          own_workflow: false,
          indexed_arguments: 0,
          control: "unknown",
          waiting_of_task: null,
          route: null,
        });
        expect(await app.actions.rerun(NOBODY, request)).toEqual(NOBODY.map(unknown));
        expect(await app.actions.rerun([], request)).toEqual([]);
        expectEqual(await everythingOf(app), before);
        const known = await possible(app);
        const [first, second, third] = await app.actions.rerun(["x", known, "y"], request);
        expect([first, third]).toEqual([unknown("x"), unknown("y")]);
        expect(second?.refusal).toBeNull();
      });

      it("a rerun of calls whose externalised arguments are gone is refused, and names the arguments", async () => {
        const referring = before.definitions.filter((record) => record.serialized_arguments.includes("client_data__:"));
        const ids = referring.map((record) => record.invocation_id);
        await app.actions.purge(["client_data_store"]);
        const purged = await everythingOf(app);
        const done = await app.actions.rerun(ids, { caller: CALLER, force: true });
        expect(done).toEqual(
          referring.map(({ invocation_id, task_id_key, serialized_arguments }) => ({
            invocation_id,
            task_id_key,
            new_invocation_id: null,
            refusal: {
              kind: "dangling",
              references: [...new Set(serialized_arguments.match(/__pynenc__client_data__:[0-9a-f]{64}(?=")/g))],
            },
            own_workflow: false,
            indexed_arguments: 0,
            control: "none_at_registration",
            waiting_of_task: null,
            route: null,
          })),
        );
        expectEqual(await everythingOf(app), purged);
      });

      it("the history after a cursor has the entries written since, and is reported lost after a purge", async () => {
        const newer = (cursor: string) => app.read((reads) => reads.state_backend.historyFrom(cursor, "newer", 10));
        const end = await app.read((reads) => reads.state_backend.historyEnd());
        const id = await possible(app);
        const [one] = await app.actions.rerun([id], { caller: CALLER, force: true });
        const found = await newer(end);
        expect(found.entries.map((entry) => [entry.invocation_id, entry.status])).toEqual([
          [one?.new_invocation_id, "registered"],
        ]);
        expect(found).toMatchObject({ exhausted: true, lost: false, late: 0 });
        expect(await newer(found.cursor)).toMatchObject({ entries: [], lost: false });
        await app.actions.purge(["state_backend"]);
        expect(await newer(found.cursor)).toMatchObject({ entries: [], lost: true });
        const empty = await app.read((reads) => reads.state_backend.historyEnd());
        expect(await newer(empty)).toMatchObject({ entries: [], lost: false, exhausted: true });
      });

      it("saved statistics are continued with new history entries, and counted again after a purge of the history", async () => {
        const now = () => Date.now() / 1000;
        const folded = async (saved: SavedFold | null) => {
          const follower = new Follower(app, now, 50);
          const resumed = saved !== null && (await follower.resume(saved));
          while (await follower.step()) {}
          const all = { from: 0, to: now() + 1e9 };
          const { rows } = rollupAnswers(follower).rows(all, "task");
          const entered = Object.fromEntries(rows.map((row) => [row.name, row.entered]));
          return { resumed, entered, saved: follower.saved() };
        };
        const first = await folded(null);
        const [one] = await app.actions.rerun([await possible(app)], { caller: CALLER, force: true });
        expect(one?.new_invocation_id).toBeTypeOf("string");
        const second = await folded(deserialize(serialize(first.saved)) as SavedFold);
        expect(second.resumed).toBe(true);
        expect(second.entered).not.toEqual(first.entered);
        expect(second.entered).toEqual((await folded(null)).entered);
        await app.actions.purge(["state_backend"]);
        expect(await folded(second.saved)).toMatchObject({ resumed: false, entered: {} });
      });

      it("a rerun records the given instant in the history, and in the queue if that records any", async () => {
        const end = await app.read((reads) => reads.state_backend.historyEnd());
        const at = 2_000_000_000;
        const [one] = await app.actions.rerun([await possible(app)], { caller: CALLER, force: true, at });
        const { entries } = await app.read((reads) => reads.state_backend.historyFrom(end, "newer", 10));
        expect(entries.map(({ timestamp }) => timestamp)).toEqual([at]);
        const messages = await app.read((reads) => reads.broker.peekMessages(ALL));
        const added = messages.find(({ invocation_id }) => invocation_id === one?.new_invocation_id);
        expect(added).toBeDefined();
        expect(added?.queued_at ?? at).toBeCloseTo(at, 2);
      });

      it("a rerun needs a definition, but no status", async () => {
        const id = await possible(app);
        await app.actions.purge(["orchestrator"]);
        const [one] = await app.actions.rerun([id], { caller: CALLER, force: false });
        expect(one?.refusal).toBeNull();
        expect((await everythingOf(app)).statuses.map((row) => row.invocation_id)).toEqual([one?.new_invocation_id]);
        await app.actions.purge(["state_backend"]);
        const [none] = await app.actions.rerun([id], { caller: CALLER, force: true });
        expect(none?.refusal).toEqual({ kind: "unknown" });
      });

      it("a rerun registers a call without concurrency control at registration as often as asked", async () => {
        const id = await possible(app, (one) => one.control === "none_at_registration");
        const done = await app.actions.rerun([id, id, id], { caller: CALLER, force: false });
        expect(new Set(done.map((one) => one.new_invocation_id)).size).toBe(3);
        expect(done.map((one) => one.refusal)).toEqual([null, null, null]);
      });

      it.each([["orchestrator"], ["state_backend"]] as const)(
        "a sweep of the queue removes exactly the messages that lost their records with the %s",
        async (component) => {
          const orphans = () => app.read((reads) => reads.preview.sweepQueue());
          expect([await orphans(), await app.actions.sweepQueue()]).toEqual([0, 0]);
          expectEqual(await everythingOf(app), before);
          await app.actions.purge([component]);
          const purged = await everythingOf(app);
          expect(purged.messages).toEqual(before.messages);
          expect(await orphans()).toBe(before.messages.length);
          expectEqual(await everythingOf(app), purged);
          expect(await app.actions.sweepQueue()).toBe(before.messages.length);
          const swept = await everythingOf(app);
          expect(swept).toEqual({ ...purged, messages: [], rows: swept.rows });
          expect([await orphans(), await app.actions.sweepQueue()]).toEqual([0, 0]);
        },
      );

      const requeueAll = (more: Partial<RequeueRequest> = {}): RequeueRequest => ({
        settled_until: Number.MAX_VALUE,
        active_since: 0,
        force: false,
        ...more,
      });

      it("a purge of a named queue empties it and touches nothing else", async () => {
        const stored = await harness.stored();
        const queues = [...new Set(before.messages.map((message) => message.queue_name))];
        for (const name of [...queues.filter((one) => one !== null), "nobody's"]) {
          const held = await app.read((reads) => reads.broker.peekMessages(ALL));
          const ofQueue = held.filter((message) => message.queue_name === name);
          const preview = await app.read((reads) => reads.preview.purgeQueue(name));
          expect(preview).toMatchObject({ component: "broker", rows: ofQueue.length, exact: true });
          expect(await app.read((reads) => reads.broker.peekMessages(ALL))).toEqual(held);
          expect(await app.actions.purgeQueue(name)).toEqual(preview);
          const after = await everythingOf(app);
          const messages = held.filter((message) => message.queue_name !== name);
          expectAfter(after, { ...before, messages });
        }
        const now = await harness.stored();
        const changed = [...stored.keys()].filter(
          (place) => JSON.stringify(stored.get(place)) !== JSON.stringify(now.get(place)),
        );
        const named = queues.filter((one) => one !== null);
        expect(changed.sort()).toEqual(named.length === 0 ? [] : harness.queuePlaces(appId, named).messages.sort());
      });

      it("a rerun puts messages into the queue named for the task, or into the fallback queue", async () => {
        const { named } = await app.read((reads) => reads.broker.layout());
        const originals = await onePerTask(app);
        const rush = { queue_name: "rush", priority: -99.5 };
        const fallback = { queue_name: "rest", priority: 1.5 };
        const routing: Routing = { tasks: { [originals[0]?.task_id_key ?? ""]: rush }, fallback };
        const ids = originals.map((one) => one.invocation_id);
        const request = { caller: CALLER, force: true, routing };
        const preview = await app.read((reads) => reads.preview.rerun(ids, request));
        const done = await app.actions.rerun(ids, request);
        expect(preview.map((one) => one.route)).toEqual(done.map((one) => one.route));
        expect(done.length).toBeGreaterThan(0);
        expect(done.map((one) => one.route)).toEqual(
          ids.map((_, index) => (named ? (index === 0 ? rush : fallback) : null)),
        );
        const made = done.map((one) => one.new_invocation_id ?? "");
        const added = await app.read((reads) => reads.broker.messagesOf(made));
        const where = new Map(
          added.map(({ invocation_id, queue_name, priority }) => [invocation_id, [queue_name, priority]]),
        );
        expect(made.map((id) => where.get(id))).toEqual(
          done.map(({ route }) => [route?.queue_name ?? null, route?.priority ?? null]),
        );
      });

      /** Which are put back, and why not. */
      const requeued = async (ids: readonly string[], request: RequeueRequest) =>
        verdicts(await app.actions.requeue(ids, request));
      const requeuePreview = async (ids: readonly string[], request: RequeueRequest) =>
        verdicts(await app.read((reads) => reads.preview.requeue(ids, request)));

      it("a requeue puts back the messages of waiting invocations without one, as previewed, and changes nothing else", async () => {
        await app.actions.purge(["broker"]);
        const [lost, stored] = [await everythingOf(app), await harness.stored()];
        const ids = lost.statuses.map((row) => row.invocation_id);
        const expected = lost.statuses.map(({ invocation_id, status }) => ({
          invocation_id,
          refusal: WAITING.includes(status) ? null : { kind: "not_waiting", status },
        }));
        const waiting = expected.flatMap(({ invocation_id, refusal }) => (refusal === null ? [invocation_id] : []));
        expect(waiting).toHaveLength(sum(Object.fromEntries(WAITING.map((word) => [word, facts.statuses[word] ?? 0]))));

        const preview = await requeuePreview(ids, requeueAll());
        expect(preview).toEqual(expected);
        expect(await harness.stored()).toEqual(stored);
        const from = Date.now() / 1000 - 0.001;
        expect(await requeued(ids, requeueAll())).toEqual(expected);

        const after = await everythingOf(app);
        expect(after).toEqual({ ...lost, messages: after.messages, rows: after.rows });
        expect(after.messages.map((message) => message.invocation_id)).toEqual(waiting);
        if (harness.keeps.queue_times) {
          const before = after.messages.filter(({ queued_at }) => (queued_at ?? 0) < from);
          expect(before).toEqual([]);
        }
        const now = await harness.stored();
        const places = [...new Set([...stored.keys(), ...now.keys()])];
        const changed = places.filter((place) => JSON.stringify(stored.get(place)) !== JSON.stringify(now.get(place)));
        const { messages, besides } = harness.queuePlaces(appId, [...new Set(after.messages.map((m) => m.queue_name))]);
        expect(changed.sort()).toEqual(waiting.length === 0 ? [] : [...messages, ...besides].sort());

        // Once more: each has its message.
        const again = expected.map((one) => ({ ...one, refusal: one.refusal ?? { kind: "queued" } }));
        expect(await requeued(ids, requeueAll())).toEqual(again);
        expect(await harness.stored()).toEqual(now);
      });

      if (WAITING.some((word) => (facts.statuses[word] ?? 0) > 0)) {
        it("a requeue refuses invocations that are in the queue, have just changed or are unknown", async () => {
          const stored = await harness.stored();
          const queued = before.messages.map((message) => message.invocation_id);
          const inQueue = before.statuses.filter(
            (row) => WAITING.includes(row.status) && queued.includes(row.invocation_id),
          );
          const ids = inQueue.map((row) => row.invocation_id);
          expect(ids.length).toBeGreaterThan(0);
          expect(await requeued(ids, requeueAll())).toEqual(
            ids.map((invocation_id) => ({ invocation_id, refusal: { kind: "queued" } })),
          );
          expect(await requeued(NOBODY, requeueAll())).toEqual(
            NOBODY.map((invocation_id) => ({ invocation_id, refusal: { kind: "unknown" } })),
          );
          expect(await requeued([], requeueAll())).toEqual([]);
          expect(await harness.stored()).toEqual(stored);

          await app.actions.purge(["broker"]);
          const emptied = await harness.stored();
          const latest = Math.max(...inQueue.map((row) => row.status_timestamp));
          const settled = (row: { status_timestamp: number }) => row.status_timestamp < latest;
          const refusals = inQueue.map((row) => ({
            invocation_id: row.invocation_id,
            refusal: settled(row) ? null : { kind: "unsettled", since: row.status_timestamp },
          }));
          const request = requeueAll({ settled_until: latest - 1e-6 });
          expect(await requeuePreview(ids, request)).toEqual(refusals);
          expect(await harness.stored()).toEqual(emptied);
          expect(await requeued(ids, request)).toEqual(refusals);
          const messages = (await everythingOf(app)).messages.map((message) => message.invocation_id);
          expect(messages).toEqual(inQueue.filter(settled).map((row) => row.invocation_id));
          // The instant itself counts as settled.
          const rest = await requeued(ids, requeueAll({ settled_until: latest }));
          expect(rest.filter((one) => one.refusal === null)).toHaveLength(ids.length - messages.length);
        });

        it("a requeue puts back one message for an id that is named twice", async () => {
          await app.actions.purge(["broker"]);
          const id = before.statuses.find((row) => WAITING.includes(row.status))?.invocation_id ?? "";
          const twice = [null, { kind: "queued" }].map((refusal) => ({ invocation_id: id, refusal }));
          expect(await requeuePreview([id, id], requeueAll())).toEqual(twice);
          expect(await requeued([id, id], requeueAll())).toEqual(twice);
          expect((await everythingOf(app)).messages.map((message) => message.invocation_id)).toEqual([id]);
        });

        it("a requeue refuses invocations whose records are incomplete", async () => {
          const id = before.statuses.find((row) => WAITING.includes(row.status))?.invocation_id ?? "";
          await app.actions.purge(["broker", "orchestrator"]);
          const missing = (one: string) => [{ invocation_id: id, refusal: { kind: "without_records", missing: one } }];
          expect(await requeued([id], requeueAll())).toEqual(missing("status"));
          await app.actions.purge(["state_backend"]);
          expect(await requeued([id], requeueAll())).toEqual([{ invocation_id: id, refusal: { kind: "unknown" } }]);
          expect((await everythingOf(app)).messages).toEqual([]);
        });

        it("a requeue refuses an invocation without a definition", async () => {
          const id = before.statuses.find((row) => WAITING.includes(row.status))?.invocation_id ?? "";
          await app.actions.purge(["broker", "state_backend"]);
          const refused = [{ invocation_id: id, refusal: { kind: "without_records", missing: "definition" } }];
          expect(await requeuePreview([id], requeueAll())).toEqual(refused);
          expect(await requeued([id], requeueAll())).toEqual(refused);
          expect((await everythingOf(app)).messages).toEqual([]);
        });
      }

      if (fixture !== "pending_triggers.db" && appId === "kitchen_sink") {
        const everything = {
          final_until: Number.MAX_VALUE,
          executions_before: null,
          max_executions: 0,
          with_open_parents: true,
        };
        const allFinal = ({ task_id_key }: Rerun) =>
          before.statuses.every((row) => row.task_id_key !== task_id_key || statusInfo(row.status).final);
        const SITUATIONS: [string, KnownControl, (one: Rerun) => boolean, boolean][] = [
          ["of a task with concurrency control", "some", (one) => one.control === "some", false],
          ["without arguments", "unknown", (one) => one.indexed_arguments === 0, false],
          ["whose task had some before an auto-purge", "unknown", (one) => one.control === "some", true],
          [
            "whose task had none before an auto-purge",
            "unknown",
            (one) => one.control === "none_at_registration" && allFinal(one),
            true,
          ],
        ];
        it.each(SITUATIONS)("a rerun of a call %s is refused while it waits, unless forced", async (...situation) => {
          const [_, control, wanted, purged] = situation;
          const id = await possible(app, wanted);
          if (purged) await app.actions.autoPurgeOrchestrator(everything);
          const { statuses } = await everythingOf(app);
          const request = { caller: CALLER, force: false };
          const preview = await app.read((reads) => reads.preview.rerun([id, id], request));
          expect(preview[1]?.refusal).toEqual({ kind: "duplicate", invocation_id: id });
          const [first, second] = await app.actions.rerun([id, id], request);
          const waiting = { kind: "duplicate", invocation_id: first?.new_invocation_id };
          expect([first?.refusal, second?.refusal]).toEqual([null, waiting]);
          expect([first?.control, second?.control]).toEqual([control, control]);
          expect(second?.new_invocation_id).toBeNull();
          // What a monitor registered tells nothing of the task.
          const [third] = await app.actions.rerun([id], request);
          expect(third).toMatchObject({ refusal: waiting, control, waiting_of_task: first?.new_invocation_id });
          const again = await app.read((reads) => reads.preview.rerun([id], request));
          expect(again[0]).toEqual(third);
          const forced = await app.actions.rerun([id, id], { ...request, force: true });
          expect(forced.map((one) => one.refusal)).toEqual([null, null]);
          expect((await everythingOf(app)).statuses).toHaveLength(statuses.length + 3);
        });

        it("a rerun indexes the arguments of a task whose calls were auto-purged, like those of other tasks", async () => {
          const reruns = await previewed(app);
          const argumentsOf = (id: string) =>
            Object.keys(
              JSON.parse(before.definitions.find((record) => record.invocation_id === id)?.serialized_arguments ?? ""),
            ).length;
          await app.actions.autoPurgeOrchestrator(everything);
          for (const control of ["some", "none_at_registration"] as const) {
            const id = reruns.find((one) => one.refusal === null && one.control === control)?.invocation_id ?? "";
            const { rows } = await everythingOf(app);
            const [done] = await app.actions.rerun([id], { caller: CALLER, force: true });
            expect(done?.indexed_arguments).toBe(argumentsOf(id));
            expect(done?.indexed_arguments).toBeGreaterThan(0);
            expect(grown(rows, (await everythingOf(app)).rows)[harness.argument_index]).toBe(argumentsOf(id));
          }
        });

        it("a rerun names a waiting call of the same task, unless the task has no control at registration", async () => {
          const waiting = before.statuses.filter((row) => row.status === "registered");
          const reruns = await previewed(app);
          const newest = (task: string | null) =>
            waiting.find((row) => row.task_id_key === task)?.invocation_id ?? null;
          const told = reruns.map((one) => one.waiting_of_task);
          expect(told).toEqual(
            reruns.map((one) => (one.control === "none_at_registration" ? null : newest(one.task_id_key))),
          );
          const other = reruns.find((one) => one.control === "some" && one.refusal === null);
          const [first] = await app.actions.rerun([other?.invocation_id ?? ""], { caller: CALLER, force: false });
          const after = await previewed(app);
          const ofTask = after.filter((one) => one.task_id_key === other?.task_id_key);
          expect(new Set(ofTask.map((one) => one.waiting_of_task))).toEqual(new Set([first?.new_invocation_id]));
        });
      }
    });
  });
}

/** What would come of registering everything again. */
function previewed(app: AppStore): Promise<Rerun[]> {
  return app.read(async (reads) => {
    const ids = (await reads.state_backend.listDefined({}, ALL)).map((row) => row.invocation_id);
    return reads.preview.rerun(ids, { caller: CALLER, force: false });
  });
}

/** An invocation whose call can be registered again. */
async function possible(app: AppStore, wanted: (one: Rerun) => boolean = () => true): Promise<string> {
  const found = (await previewed(app)).find((one) => one.refusal === null && wanted(one));
  if (found === undefined) throw new Error("the data has no such call");
  return found.invocation_id;
}

function grown(before: Everything["rows"], after: Everything["rows"]): Record<string, number> {
  const names = Object.keys({ ...before, ...after });
  return nonZero(Object.fromEntries(names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)])));
}

function nonZero(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0));
}

/** New ids left out, and new invocations that stand in the way named as the preview names them: by what they repeat. */
function asInPreview(done: readonly Rerun[]): Rerun[] {
  const originals = new Map(done.map((one) => [one.new_invocation_id, one.invocation_id]));
  return done.map((one) => ({
    ...one,
    new_invocation_id: null,
    refusal:
      one.refusal?.kind === "duplicate"
        ? {
            kind: "duplicate",
            invocation_id: originals.get(one.refusal.invocation_id) ?? one.refusal.invocation_id,
          }
        : one.refusal,
  }));
}

const EMPTIED: Record<ComponentName, Partial<Everything>> = {
  broker: { messages: [] },
  orchestrator: { statuses: [], heartbeats: [], edges: [], executions: [] },
  state_backend: {
    definitions: [],
    history: [],
    results: [],
    exceptions: [],
    contexts: [],
    workflows: [],
    workflow_data: [],
  },
  client_data_store: { values: [] },
  trigger: {
    events: [],
    event_records: [],
    triggered: [],
    trigger_runs: [],
    triggers: [],
    definition_counts: { triggers: 0, conditions: 0 },
    valid_conditions: 0,
  },
};

function emptied(before: Everything, components: readonly ComponentName[]): Everything {
  return Object.assign({ ...before }, ...components.map((component) => EMPTIED[component])) as Everything;
}

function referenced(data: Everything): Set<string | null> {
  return new Set(data.trigger_runs.map((run) => run.atomic_service_run_id));
}

function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** One after the other on the same data, so that each finds some left of what it looks for. */
function orchestratorPolicies(data: Everything): [string, OrchestratorRetention][] {
  const finals = data.statuses.flatMap((row) => row.auto_purge_timestamp ?? []);
  const ends = data.executions.flatMap((run) => run.end_time ?? []);
  const nothing = { final_until: 0, executions_before: null, max_executions: 0, with_open_parents: false };
  return [
    ["nothing", nothing],
    ["nothing, by far", { ...nothing, executions_before: 0, max_executions: data.executions.length }],
    // The instant itself belongs to the invocations and not to the executions.
    ["half of the invocations", { ...nothing, final_until: middleOf(finals) }],
    ["half of the executions", { ...nothing, executions_before: middleOf(ends) }],
    ["capacity", { ...nothing, max_executions: Math.max(1, Math.floor(data.executions.length / 3)) }],
    [
      "age and capacity",
      {
        ...nothing,
        final_until: middleOf(finals) + 10,
        executions_before: middleOf(ends) + 5,
        max_executions: Math.max(1, Math.floor(data.executions.length / 5)),
      },
    ],
    [
      "everything",
      { ...nothing, final_until: Number.MAX_VALUE, executions_before: Number.MAX_VALUE, max_executions: 1 },
    ],
  ];
}

function orchestratorModel(
  data: Everything,
  { final_until, executions_before, max_executions, with_open_parents }: OrchestratorRetention,
): { counts: Omit<OrchestratorPurge, "invocation_args">; after: Everything } {
  const final = data.statuses
    .filter((row) => statusInfo(row.status).final && row.auto_purge_timestamp !== null)
    .filter((row) => (row.auto_purge_timestamp ?? 0) <= final_until)
    .map((row) => row.invocation_id);
  const queued = new Set(data.messages.map((message) => message.invocation_id));
  const old = new Set(final.filter((id) => !queued.has(id)));
  const children = data.definitions.filter(
    (row) =>
      old.has(row.invocation_id) &&
      row.parent_invocation_id !== null &&
      !statusInfo(statusIn(data, row.parent_invocation_id)).final,
  );
  const due = new Set(old);
  if (!with_open_parents) for (const { invocation_id } of children) due.delete(invocation_id);
  const kept = referenced(data);
  const ended = data.executions.filter(
    (run) => run.status !== "running" && run.end_time !== null && run.end_time < (executions_before ?? 0),
  );
  const byAge = new Set(ended.filter((run) => !kept.has(run.atomic_service_run_id)));
  const left = data.executions.filter((run) => !byAge.has(run));
  const excess = max_executions === 0 ? 0 : Math.max(0, left.length - max_executions);
  const byCapacity = new Set(
    left
      .filter((run) => run.status !== "running" && !kept.has(run.atomic_service_run_id))
      .sort((a, b) => a.start_time - b.start_time)
      .slice(0, excess),
  );
  return {
    counts: {
      invocations: due.size,
      blocking_edges: data.edges.filter((edge) => due.has(edge.waited_id)).length,
      invocations_kept: final.length - old.size,
      invocations_of_open_parents: children.length,
      // In this data every index is whole.
      leaked_index_entries: 0,
      exact: true,
      executions_by_age: byAge.size,
      executions_by_capacity: byCapacity.size,
      executions_kept: ended.length - byAge.size,
    },
    after: {
      ...data,
      statuses: data.statuses.filter((row) => !due.has(row.invocation_id)),
      edges: data.edges.filter((edge) => !due.has(edge.waited_id)),
      executions: left.filter((run) => !byCapacity.has(run)),
    },
  };
}

function statusIn(data: Everything, id: string): string {
  return data.statuses.find((row) => row.invocation_id === id)?.status ?? historyEnd(data, id) ?? "unknown";
}

/** The status of the last entry. */
function historyEnd(data: Everything, id: string): string | undefined {
  return data.history
    .filter((entry) => entry.invocation_id === id)
    .sort((a, b) => a.written_at - b.written_at || a.timestamp - b.timestamp)
    .at(-1)?.status;
}

function eventPolicies(data: Everything): [string, EventRetention][] {
  const events = data.events.map((event) => event.timestamp);
  const runs = data.trigger_runs.flatMap((run) => run.executed_at ?? []);
  const nothing = { before: 0, max_events: 0, max_trigger_runs: 0 };
  return [
    ["nothing", nothing],
    ["nothing, by far", { before: 0, max_events: events.length, max_trigger_runs: runs.length }],
    ["the oldest events", { ...nothing, before: events.at(-2) ?? 0 }],
    ["capacity of events", { ...nothing, max_events: Math.max(1, Math.floor(events.length / 2)) }],
    ["capacity of runs", { ...nothing, max_trigger_runs: Math.max(1, Math.floor(runs.length / 2)) }],
    ["half of the runs", { ...nothing, before: middleOf(runs) }],
    ["age and capacity", { before: middleOf(events) - 1, max_events: 2, max_trigger_runs: 3 }],
    ["everything", { before: Number.MAX_VALUE, max_events: 1, max_trigger_runs: 1 }],
  ];
}

function eventModel(
  data: Everything,
  { before, max_events, max_trigger_runs }: EventRetention,
): { counts: EventPurge; after: Everything } {
  const eventsByAge = data.events.filter((event) => event.timestamp < before);
  const eventsLeft = data.events.filter((event) => event.timestamp >= before);
  const eventsByCapacity = max_events === 0 ? [] : eventsLeft.slice(max_events);
  const gone = new Set([...eventsByAge, ...eventsByCapacity].map((event) => event.event_id));
  const isOld = (run: Everything["trigger_runs"][number]) => run.executed_at !== null && run.executed_at < before;
  const usesGone = (run: Everything["trigger_runs"][number]) =>
    run.participants.some((participant) => participant.event_id !== null && gone.has(participant.event_id));
  const runsByAge = data.trigger_runs.filter(isOld);
  const runsOfEvents = data.trigger_runs.filter((run) => !isOld(run) && usesGone(run));
  const runsLeft = data.trigger_runs.filter((run) => !isOld(run) && !usesGone(run));
  const newestFirst = [...runsLeft].sort(
    (a, b) => (b.executed_at ?? b.claimed_at ?? 0) - (a.executed_at ?? a.claimed_at ?? 0),
  );
  const runsByCapacity = max_trigger_runs === 0 ? [] : newestFirst.slice(max_trigger_runs);
  const goneRuns = new Set([...runsByAge, ...runsOfEvents, ...runsByCapacity]);
  const matches = data.event_records.filter((event) => gone.has(event.event_id));
  return {
    counts: {
      events_by_age: eventsByAge.length,
      events_by_capacity: eventsByCapacity.length,
      trigger_runs_by_age: runsByAge.length,
      trigger_runs_of_events: runsOfEvents.length,
      trigger_runs_by_capacity: runsByCapacity.length,
      event_conditions: matches.reduce((n, event) => n + event.matched_condition_ids.length, 0),
      event_triggered_invocations: data.triggered.filter((row) => gone.has(row.event_id)).length,
      trigger_run_conditions: [...goneRuns].reduce((n, run) => n + run.participants.length, 0),
    },
    after: {
      ...data,
      events: data.events.filter((event) => !gone.has(event.event_id)),
      event_records: data.event_records.filter((event) => !gone.has(event.event_id)),
      triggered: data.triggered.filter((row) => !gone.has(row.event_id)),
      trigger_runs: data.trigger_runs.filter((run) => !goneRuns.has(run)),
    },
  };
}

function verdicts(requeues: readonly Requeue[]): Omit<Requeue, "route">[] {
  return requeues.map(({ invocation_id, refusal }) => ({ invocation_id, refusal }));
}

/** A call that can be registered again, of each task that has one. */
async function onePerTask(app: AppStore): Promise<Rerun[]> {
  const seen = new Set<string | null>();
  return (await previewed(app)).filter(({ task_id_key, refusal }) => {
    if (refusal !== null || seen.has(task_id_key)) return false;
    seen.add(task_id_key);
    return true;
  });
}

/** Sorted by queue, then the greatest priority; otherwise as they are. */
function inTakeOrder(ids: readonly string[], route: (id: string) => [queue: string, priority: number]): string[] {
  return [...ids].sort((a, b) => {
    const [x, y] = [route(a), route(b)];
    return x[0] === y[0] ? y[1] - x[1] : x[0] < y[0] ? -1 : 1;
  });
}
