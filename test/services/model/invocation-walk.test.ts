/** Lists and exports of invocations whatever the filter: nothing twice, nothing lost, and the whole filter is met. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATUS_MODES } from "../../../src/api/words.ts";
import type { InvocationFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { InvocationWalk, noInventory } from "../../../src/services/model/invocation-walk.ts";
import { cases } from "../../support/cases.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const ANY_NUMBER = 1_000_000;

/** All ids of a walk, so many at a time, each piece in a snapshot of its own. */
async function walked(app: MemoryApp, filter: Partial<InvocationFilter>, count = 50): Promise<string[]> {
  const inventory = await app.opened.completeInventory();
  const walk = new InvocationWalk({ ...NO_FILTER, ...filter }, () => inventory);
  const ids: string[] = [];
  while (!walk.done) {
    const piece = await app.store.read((reads) => walk.next(reads, count, ANY_NUMBER));
    expect(piece.length).toBeLessThanOrEqual(count);
    ids.push(...piece);
  }
  return ids;
}

describe("a walk in pieces", () => {
  it("keeps what a batch found beyond the wanted count for the next piece", async () => {
    const app = memoryApp().invocations(120);
    const newestFirst = Array.from({ length: 120 }, (_, n) => `i${119 - n}`);
    for (const count of [1, 7, 49, 50, 51, 119, 120, 121])
      expect([count, await walked(app, {}, count)]).toEqual([count, newestFirst]);
  });

  it("is not done while matches that it has already found are left", async () => {
    const app = memoryApp().invocations(3);
    const inventory = await app.opened.completeInventory();
    const walk = new InvocationWalk(NO_FILTER, () => inventory);
    const next = (count: number) => app.store.read((reads) => walk.next(reads, count, ANY_NUMBER));
    expect([await next(2), walk.done]).toEqual([["i2", "i1"], false]);
    expect([await next(2), walk.done]).toEqual([["i0"], true]);
  });

  it("stops after looking at the allowed number of candidates, and continues from there", async () => {
    const app = memoryApp().invocations(200, (n) => ({
      history: [[at(n), "registered"]],
      workflow: { id: n === 10 ? "wanted" : "other" },
    }));
    const walk = new InvocationWalk({ ...NO_FILTER, workflow_id: "wanted", statuses: ["failed"] }, noInventory);
    const other = new InvocationWalk({ ...NO_FILTER, workflow_id: "other", statuses: ["failed"] }, noInventory);
    await app.store.read((reads) => other.next(reads, 10, 60));
    expect([other.scanned, other.done]).toEqual([100, false]);
    await app.store.read((reads) => walk.next(reads, 10, 60));
    expect([walk.scanned, walk.done]).toEqual([200, true]);
  });
});

describe("a filter by former status", () => {
  const app = memoryApp()
    .invocation("rescued", {
      history: [
        [at(0), "registered"],
        [at(5), "failed"],
        [at(9), "success"],
      ],
    })
    .invocation("failed", {
      history: [
        [at(1), "registered"],
        [at(7), "failed"],
      ],
    })
    .invocation("fine", {
      history: [
        [at(2), "registered"],
        [at(5), "success"],
      ],
    })
    .inOrder();
  const had = (filter: Partial<InvocationFilter>) =>
    walked(app, { statuses: ["failed"], status_mode: "history", ...filter });

  it("finds invocations that ever had the status, the one with the latest such change first", async () => {
    expect(await walked(app, { statuses: ["failed"] })).toEqual(["failed"]);
    expect(await had({})).toEqual(["rescued", "failed"]);
    expect(await had({ task_id_key: "another.task" })).toEqual([]);
  });

  it("within a workflow lists the latest registration first", async () => {
    const retried = (second: number) => [[at(0), "registered"] as const, [at(second), "retry"] as const];
    const of = (id: string) => ({ workflow: { id, type: "shop.checkout" } });
    const members = memoryApp()
      .invocation("first", { history: retried(9), ...of("w1") })
      .invocation("second", { history: retried(5), ...of("w2") })
      .inOrder();
    const filter: Partial<InvocationFilter> = { statuses: ["retry"], status_mode: "history" };
    expect(await walked(members, { ...filter, workflow_type_key: "shop.checkout" })).toEqual(["second", "first"]);
    expect(await walked(members, filter)).toEqual(["first", "second"]);
  });

  it("with a time range matches only history entries in it", async () => {
    expect(await had({ from: at(6) })).toEqual(["failed"]);
    expect(await had({ to: at(6) })).toEqual(["rescued"]);
    expect(await had({ to: at(4) })).toEqual([]);
  });

  it("does not restrict the list if no status is named", async () => {
    expect(await walked(app, { status_mode: "history" })).toEqual(["fine", "failed", "rescued"]);
  });
});

describe("a filter by time", () => {
  const app = memoryApp()
    .invocation("early", { history: [[at(0), "registered"]] })
    .invocation("at the start", { history: [[at(10), "registered"]] })
    .invocation("at the end", { history: [[at(20), "registered"]] })
    .invocation("late", { history: [[at(21), "registered"]] });
  const all = ["early", "at the start", "at the end", "late"];
  const window = { from: at(10), to: at(20) };

  it("includes both of its ends", async () => {
    expect((await walked(app, window)).sort()).toEqual(["at the end", "at the start"]);
  });

  it("restricts invocations that were requested by id, both ends included", async () => {
    expect(await walked(app, { ...window, invocation_ids: all })).toEqual(["at the start", "at the end"]);
    expect(await walked(app, { to: at(20), invocation_ids: all })).toEqual(["early", "at the start", "at the end"]);
    expect(await walked(app, { from: at(20), invocation_ids: all })).toEqual(["at the end", "late"]);
  });

  it("restricts the children of an invocation, both ends included", async () => {
    const family = memoryApp();
    for (const [n, seconds] of [0, 10, 20, 21].entries())
      family.invocation(`child ${n}`, { parent: "parent", history: [[at(seconds), "registered"]] });
    const children = (given: Partial<InvocationFilter>) => walked(family, { parent_invocation_id: "parent", ...given });
    expect(await children({})).toEqual(["child 3", "child 2", "child 1", "child 0"]);
    expect(await children(window)).toEqual(["child 2", "child 1"]);
    expect(await children({ to: at(20) })).toEqual(["child 2", "child 1", "child 0"]);
    expect(await children({ from: at(20) })).toEqual(["child 3", "child 2"]);
  });
});

describe("a filter by runner", () => {
  const app = memoryApp()
    .invocation("ran on a", {
      history: [
        [at(0), "registered"],
        [at(1), "pending", "a"],
      ],
    })
    .invocation("ran on b", {
      parent: "p",
      history: [
        [at(0), "registered"],
        [at(1), "pending", "b"],
      ],
    })
    .invocation("both", {
      parent: "p",
      history: [
        [at(0), "registered"],
        [at(2), "pending", "a"],
        [at(3), "killed", "b"],
      ],
    });

  it("keeps invocations that the runner worked on, in combination with any other filter", async () => {
    expect(await walked(app, { runner_id: "a" })).toEqual(["both", "ran on a"]);
    expect(await walked(app, { runner_id: "b", parent_invocation_id: "p" })).toEqual(["both", "ran on b"]);
    expect(await walked(app, { runner_id: "a", invocation_ids: ["ran on b", "ran on a"] })).toEqual(["ran on a"]);
  });

  it("does not keep what the runner only registered, recovered or rerouted", async () => {
    const given = memoryApp().invocation("i", {
      history: [
        [at(0), "registered", "registrar"],
        [at(1), "pending", "a"],
        [at(2), "running", "a"],
        [at(3), "running_recovery", "rescuer"],
        [at(4), "rerouted", "rescuer"],
        [at(5), "pending", "b"],
        [at(6), "running", "b"],
        [at(7), "success", "b"],
      ],
    });
    for (const lead of [{}, { invocation_ids: ["i"] }]) {
      for (const [runner_id, found] of Object.entries({ a: ["i"], b: ["i"], registrar: [], rescuer: [] }))
        expect([runner_id, await walked(given, { runner_id, ...lead })]).toEqual([runner_id, found]);
      expect(await walked(given, { registered_by: "registrar", ...lead })).toEqual(["i"]);
      expect(await walked(given, { registered_by: "a", ...lead })).toEqual([]);
      expect(await walked(given, { registered_by: "registrar", runner_id: "b", ...lead })).toEqual(["i"]);
      expect(await walked(given, { registered_by: "registrar", runner_id: "rescuer", ...lead })).toEqual([]);
      // What it does when it ends its work is its work.
      expect(await walked(given, { runner_id: "b", from: at(7), ...lead })).toEqual(["i"]);
      expect(await walked(given, { runner_id: "a", from: at(3), ...lead })).toEqual([]);
    }
  });

  it("matches only by history entries inside the time window", async () => {
    expect(await walked(app, { runner_id: "a", from: at(2) })).toEqual(["both"]);
    expect(await walked(app, { runner_id: "a", from: at(3), parent_invocation_id: "p" })).toEqual([]);
  });
});

describe("invocations that are missing in one component", () => {
  const app = memoryApp()
    .invocation("forgotten", { status: null })
    .invocation("without a definition", { definition: null })
    .invocation("whole");

  it("are listed all the same, those without a definition last", async () => {
    for (const count of [1, 2, 50])
      expect([count, await walked(app, {}, count)]).toEqual([count, ["whole", "forgotten", "without a definition"]]);
    expect(await walked(app, { id_prefix: "f" })).toEqual(["forgotten"]);
    expect(await walked(app, { statuses: ["registered"], workflow_id: "w" })).toEqual([]);
  });

  it("have the status of their last history entry if the orchestrator has no status", async () => {
    const family = memoryApp()
      .invocation("ended", {
        parent: "p",
        status: null,
        history: [
          [at(0), "registered"],
          [at(1), "failed"],
        ],
      })
      .invocation("torn", { parent: "p", status: null, history: [] })
      .invocation("kept", {
        parent: "p",
        history: [
          [at(0), "registered"],
          [at(1), "failed"],
        ],
        status: { status: "retry" },
      });
    const withStatus = (status: string, given: Partial<InvocationFilter>) =>
      walked(family, { statuses: [status], ...given });
    for (const given of [{}, { parent_invocation_id: "p" }, { invocation_ids: ["kept", "torn", "ended"] }]) {
      expect([given, await withStatus("failed", given)]).toEqual([given, ["ended"]]);
      expect([given, await withStatus("retry", given)]).toEqual([given, ["kept"]]);
      expect([given, await withStatus("unknown", given)]).toEqual([given, ["torn"]]);
    }
  });

  it("are found by id, and unknown ids are left out", async () => {
    expect(await walked(app, { invocation_ids: ["without a definition", "nobody", "forgotten"] })).toEqual([
      "without a definition",
      "forgotten",
    ]);
  });
});

it("any combination of filters finds every invocation that meets all of them, each once", async () => {
  const statuses = ["registered", "pending", "running", "success"];
  const app = memoryApp().invocations(80, (n) => ({
    task: n % 3 === 0 ? "shop.pay" : "shop.ship",
    arguments: { n: String(n % 2) },
    history: [
      [at(n), "registered"],
      [at(n + 1), statuses[n % 4] ?? "", `r${n % 5}`],
    ],
    ...(n % 4 === 1 && { parent: `i${n - 1}` }),
    ...(n % 7 < 3 && { workflow: { id: `w${n % 3}`, type: `t${n % 2}` } }),
  }));
  const everything = await app.store.read(async (reads) => {
    const ids = (await reads.state_backend.listDefined({}, { limit: 1_000, offset: 0 })).map(
      (row) => row.invocation_id,
    );
    return {
      ids,
      definitions: await reads.state_backend.invocationsByIds(ids),
      statuses: await reads.orchestrator.statusesByIds(ids),
      history: await reads.state_backend.historyOf(ids, 1_000),
    };
  });
  const meets = (id: string, filter: InvocationFilter): boolean => {
    const definition = everything.definitions.find((row) => row.invocation_id === id);
    const status = everything.statuses.find((row) => row.invocation_id === id);
    const entries = everything.history.filter(
      (entry) =>
        entry.invocation_id === id &&
        (filter.from === null || entry.written_at >= filter.from) &&
        (filter.to === null || entry.written_at <= filter.to),
    );
    const registered = entries.filter((entry) => entry.status === "registered");
    const worked = entries.filter((entry) => entry.status !== "registered");
    const equal = (wanted: string | null, found: string | null | undefined) => wanted === null || wanted === found;
    return (
      (filter.statuses.length === 0 ||
        (filter.status_mode === "history"
          ? entries.some((entry) => filter.statuses.includes(entry.status))
          : filter.statuses.includes(status?.status ?? ""))) &&
      equal(filter.task_id_key, definition?.task_id_key) &&
      equal(filter.call_id_key, definition?.call_id_key) &&
      equal(filter.workflow_id, definition?.workflow_id) &&
      equal(filter.workflow_type_key, definition?.workflow_type_key) &&
      equal(filter.parent_invocation_id, definition?.parent_invocation_id) &&
      id.startsWith(filter.id_prefix ?? "") &&
      (filter.invocation_ids.length === 0 || filter.invocation_ids.includes(id)) &&
      entries.length > 0 &&
      (filter.runner_id === null || worked.some((entry) => entry.runner_context_id === filter.runner_id)) &&
      (filter.registered_by === null || registered.some((entry) => entry.runner_context_id === filter.registered_by))
    );
  };
  const nullOr = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });
  const oneOf = (values: readonly string[]) => nullOr(fc.constantFrom(...values));
  const filters: fc.Arbitrary<InvocationFilter> = fc.record({
    statuses: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray([...statuses, "registered"])),
    status_mode: fc.constantFrom(...STATUS_MODES),
    task_id_key: oneOf(["shop.pay", "shop.ship"]),
    call_id_key: oneOf([...new Set(everything.definitions.map((row) => row.call_id_key))]),
    workflow_id: oneOf(["w0", "w1"]),
    workflow_type_key: oneOf(["t0", "t1"]),
    runner_id: oneOf(["r0", "r1"]),
    registered_by: oneOf(["client", "r1"]),
    parent_invocation_id: oneOf(["i0", "i4"]),
    id_prefix: oneOf(["i", "i1", "x"]),
    from: nullOr(fc.integer({ min: 0, max: 80 }).map(at)),
    to: nullOr(fc.integer({ min: 0, max: 80 }).map(at)),
    invocation_ids: fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, fc.subarray(everything.ids)),
    conditions: fc.constant([]),
    query: fc.constant([]),
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, count) => {
      const found = await walked(app, filter, count);
      expect([...found].sort()).toEqual(everything.ids.filter((id) => meets(id, filter)).sort());
    }),
    { numRuns: cases(80) },
  );
});
