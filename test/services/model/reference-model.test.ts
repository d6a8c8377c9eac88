/**
 * Random apps with purges and auto-purges: lists, counts and filters must agree with a naive look at all rows on every path. Steps are
 * so small that every path is taken.
 */
import { type Arbitrary, array, assert, asyncProperty, constantFrom, integer, oneof, record, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { countByStatus, countByTaskAndStatus, invocationTotals } from "../../../src/services/app/counts.ts";
import { InventoryScanner } from "../../../src/services/app/inventory.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { exportInvocations, listInvocations } from "../../../src/services/invocations/invocations.ts";
import type { InvocationFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { lifeOf } from "../../../src/services/model/invocation-life.ts";
import { statusFilterOf } from "../../../src/services/model/invocation-walk.ts";
import { sliceOfInvocations } from "../../../src/services/model/listed-invocations.ts";
import { taskKeys } from "../../../src/services/model/task-keys.ts";
import { cases } from "../../support/cases.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import type { MemoryRows } from "../../support/memory-app/rows.ts";

const TASKS = ["shop.pay", "shop.mail", "shop.pack"];
const LIVES = [
  ["registered"],
  ["registered", "pending", "running"],
  ["registered", "pending", "running", "success"],
  ["registered", "pending", "running", "failed"],
];
const RUNNERS = ["r1", "r2"];

type Deed =
  | { do: "register"; task: number; life: number; runner: number; parent: number }
  | { do: "torn"; task: number }
  | { do: "auto-purge"; of: number }
  | { do: "purge"; component: "orchestrator" | "state_backend" }
  | { do: "look" };

const register: Arbitrary<Deed> = record({
  do: constantFrom("register" as const),
  task: integer({ min: 0, max: 2 }),
  life: integer({ min: 0, max: 3 }),
  runner: integer({ min: 0, max: 1 }),
  parent: integer({ min: 0, max: 30 }),
});
const deed: Arbitrary<Deed> = oneof(
  { arbitrary: register, weight: 12 },
  { arbitrary: record({ do: constantFrom("torn" as const), task: integer({ min: 0, max: 2 }) }), weight: 1 },
  { arbitrary: record({ do: constantFrom("auto-purge" as const), of: integer({ min: 1, max: 4 }) }), weight: 2 },
  { arbitrary: record({ do: constantFrom("look" as const) }), weight: 2 },
  {
    arbitrary: record({
      do: constantFrom("purge" as const),
      component: constantFrom("orchestrator" as const, "state_backend" as const),
    }),
    weight: 1,
  },
);

const filter: Arbitrary<InvocationFilter> = oneof(
  record({
    statuses: oneof(constantFrom([] as string[]), array(constantFrom("success", "failed", "running", "unknown"))),
    task_id_key: constantFrom(null, null, ...TASKS),
    call_id_key: constantFrom(null, null, null, "call"),
    id_prefix: constantFrom(null, null, "a", "b1"),
  }),
  record({
    statuses: oneof(constantFrom([] as string[]), array(constantFrom("success", "failed", "registered"))),
    task_id_key: constantFrom(null, ...TASKS),
    parent_invocation_id: constantFrom(null, "a0", "b1"),
    runner_id: constantFrom(null, "r1"),
    from: constantFrom(null, at(10)),
    to: constantFrom(null, at(60)),
    invocation_ids: constantFrom([] as string[], ["a0", "b1", "gone", "a4"]),
  }),
).map((given) => ({ ...NO_FILTER, ...given }));

/** An app that was looked at while things were done to it, in steps of a few definitions. */
async function lived(deeds: readonly Deed[]): Promise<{ app: MemoryApp; opened: OpenedApp }> {
  const app = memoryApp();
  let now = 0;
  const taker = new InventoryScanner(
    app.store,
    { patience: 0, background: true, steps: { step: 3, young: 2, most_young: 4, wait_up_to: 5, trusted_above: 1_000 } },
    // Nothing takes long, so nothing is put off.
    () => 0,
  );
  const opened = {
    ...app.opened,
    inventory: () => taker.inventory(),
    completeInventory: () => taker.completeInventory(),
  };
  let n = 0;
  for (const one of deeds) {
    now += 1;
    if (one.do === "register") {
      const id = `${n % 2 === 0 ? "a" : "b"}${n++}`;
      const life = LIVES[one.life] ?? [];
      app.invocation(id, {
        task: TASKS[one.task] ?? "",
        arguments: { n: String(one.runner) },
        ...(one.parent < n - 1 ? { parent: `${one.parent % 2 === 0 ? "a" : "b"}${one.parent}` } : {}),
        history: life.map((word, i) => [at(now + i / 10), word, i === 0 ? "client" : (RUNNERS[one.runner] ?? "")]),
      });
    } else if (one.do === "torn") {
      app.invocation(`a${n++}`, { task: TASKS[one.task] ?? "", status: null, history: [] });
    } else if (one.do === "auto-purge") {
      app.change((rows) => {
        const finals = rows.statuses.filter((row) => row.auto_purge_timestamp !== null);
        const due = new Set(finals.slice(0, Math.ceil(finals.length / one.of)));
        rows.statuses.splice(0, rows.statuses.length, ...rows.statuses.filter((row) => !due.has(row)));
      });
    } else if (one.do === "purge") {
      await app.store.actions.purge([one.component]);
    } else await opened.inventory();
  }
  return { app, opened };
}

/** Everything that is known, newest registration first; what has no definition is older than what has one. */
function everyone({ statuses, definitions, history }: MemoryRows) {
  const kept = new Map(statuses.map((row) => [row.invocation_id, row]));
  const defined = new Map(definitions.map((row) => [row.invocation_id, row]));
  const ids = [...defined.keys()].reverse();
  const others = [...kept.keys()].reverse().filter((id) => !defined.has(id));
  return [...ids, ...others].map((id) => {
    const entries = history.filter((entry) => entry.invocation_id === id).sort((a, b) => a.timestamp - b.timestamp);
    const [first, last] = [entries[0], entries.at(-1)];
    const span = first && last && { invocation_id: id, first, last };
    const { status } = lifeOf(kept.get(id), span);
    const row = kept.get(id) ?? defined.get(id);
    return { id, status, task: row?.task_id_key, call: row?.call_id_key, definition: defined.get(id), entries };
  });
}

function naively(rows: MemoryRows, wanted: InvocationFilter): string[] {
  const { from, to, runner_id } = wanted;
  return everyone(rows).flatMap(({ id, status, task, call, definition, entries }) => {
    const inWindow = entries.filter(
      ({ timestamp, runner_context_id }) =>
        timestamp >= (from ?? 0) &&
        timestamp <= (to ?? Number.POSITIVE_INFINITY) &&
        (runner_id === null || runner_context_id === runner_id),
    );
    const windowed = from !== null || to !== null || runner_id !== null;
    const meets =
      (wanted.statuses.length === 0 || wanted.statuses.includes(status)) &&
      (wanted.task_id_key === null || wanted.task_id_key === task) &&
      (wanted.call_id_key === null || wanted.call_id_key === call) &&
      (wanted.parent_invocation_id === null || wanted.parent_invocation_id === definition?.parent_invocation_id) &&
      (wanted.invocation_ids.length === 0 || wanted.invocation_ids.includes(id)) &&
      id.startsWith(wanted.id_prefix ?? "") &&
      (!windowed || inWindow.length > 0);
    return meets ? [id] : [];
  });
}

const isOrdered = ({ from, to, runner_id, parent_invocation_id, invocation_ids }: InvocationFilter) =>
  from === null && to === null && runner_id === null && parent_invocation_id === null && invocation_ids.length === 0;

describe("lists, counts and filters agree with a look at every row", () => {
  const world = array(deed, { minLength: 5, maxLength: 40 });

  test("for counts by status, totals and task names", async () => {
    await assert(
      asyncProperty(world, async (deeds) => {
        const { app, opened } = await lived(deeds);
        await opened.completeInventory();
        const all = app.rows(everyone);
        const tally: Record<string, number> = {};
        for (const { task, status } of all) tally[`${task} ${status}`] = (tally[`${task} ${status}`] ?? 0) + 1;
        const shares = (await countByTaskAndStatus(opened)) ?? [];
        expect(Object.fromEntries(shares.map((s) => [`${s.task_id_key} ${s.status}`, s.count]))).toEqual(tally);
        const byStatus = await countByStatus(opened);
        expect(Object.values(byStatus).reduce((sum, n) => sum + n, 0)).toBe(all.length);
        expect((await invocationTotals(opened)).invocations).toBe(all.length);
        expect(await taskKeys(opened)).toEqual([...new Set(all.map(({ task }) => task))].sort());
      }),
      { numRuns: cases(50) },
    );
  });

  test("for pages, exports and totals of every filter", async () => {
    await assert(
      asyncProperty(world, filter, integer({ min: 1, max: 7 }), async (deeds, given, size) => {
        const { app, opened } = await lived(deeds);
        await opened.completeInventory();
        const call_id_key =
          given.call_id_key === null ? null : app.rows((rows) => rows.definitions[0]?.call_id_key ?? "none:0");
        const wanted = { ...given, call_id_key };
        const expected = app.rows((rows) => naively(rows, wanted));
        const order = (ids: string[]) => (isOrdered(wanted) ? ids : [...ids].sort());
        const listed: string[] = [];
        for (let number = 1; ; number++) {
          const { invocations, page, notes } = await listInvocations(opened, {
            filter: wanted,
            page: { number, size },
          });
          listed.push(...invocations.map((row) => row.invocation_id));
          expect(notes.join()).not.toContain("looked for");
          if (page.total !== null) expect([page.total, page.total_capped]).toEqual([expected.length, false]);
          if (!page.has_next) break;
        }
        expect(order(listed)).toEqual(order(expected));
        const exported: string[] = [];
        for await (const rows of exportInvocations(opened, wanted)) exported.push(...rows.map((r) => r.invocation_id));
        expect(order(exported)).toEqual(order(expected));
      }),
      { numRuns: cases(50) },
    );
  });

  test("for a slice that is searched for instead of read from the start", async () => {
    await assert(
      asyncProperty(
        world,
        filter,
        tuple(integer({ min: 0, max: 40 }), integer({ min: 1, max: 9 })),
        async (deeds, given, [offset, limit]) => {
          const { app, opened } = await lived(deeds);
          await opened.completeInventory();
          const inventory = await opened.inventory();
          const conditions = statusFilterOf({ ...given, call_id_key: null });
          const expected = app.rows((rows) =>
            naively(rows, {
              ...NO_FILTER,
              ...given,
              call_id_key: null,
              parent_invocation_id: null,
              runner_id: null,
              from: null,
              to: null,
              invocation_ids: [],
            }),
          );
          const found = await app.store.read((reads) =>
            sliceOfInvocations(reads, inventory, conditions, { limit, offset }, 0),
          );
          expect(found.invocation_ids).toEqual(expected.slice(offset, offset + limit));
        },
      ),
      { numRuns: cases(50) },
    );
  });
});
