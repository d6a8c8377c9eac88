/** The list of invocations: its totals, its notes, and exports of any length. */
import { describe, expect, it } from "vitest";
import {
  exportInvocations,
  filterChoices,
  listInvocations,
  readInvocationInput,
} from "../../../src/services/invocations/invocations.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const list = async (app: MemoryApp, raw: Record<string, string>) => {
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  return listInvocations(app.opened, await readInvocationInput(app.opened, given));
};

it("the second page of a list with an argument filter continues where the first ended", async () => {
  const app = memoryApp().invocations(9, (n) => ({ arguments: { order: n % 2 === 0 ? '"ORD-A"' : '"ORD-B"' } }));
  const page = async (number: string) => {
    const { invocations, page: place } = await list(app, { q: "arg:ORD-A", limit: "2", page: number });
    return [invocations.map((row) => row.invocation_id), place.has_next];
  };
  expect([await page("1"), await page("2"), await page("3")]).toEqual([
    [["i8", "i6"], true],
    [["i4", "i2"], true],
    [["i0"], false],
  ]);
});

it("the choices of the filter are all statuses, tasks and workflow types of the app", async () => {
  const app = memoryApp()
    .invocation("a", { task: "shop.ship" })
    .invocation("b", { status: { status: "failed" } })
    .workflow("a", { workflow_type_key: "shop.ship" });
  const { statuses, task_id_keys, workflow_type_keys } = await filterChoices(app.opened);
  const counted = statuses.flatMap(({ status, count }) => (count > 0 ? [`${count} ${status}`] : []));
  expect([counted, task_id_keys, workflow_type_keys]).toEqual([
    ["1 registered", "1 failed"],
    ["shop.pay", "shop.ship"],
    ["shop.ship"],
  ]);
});

describe("the total of an invocation list", () => {
  it("is exact if existing counts give it", async () => {
    const app = memoryApp().invocations(30, (n) => ({
      task: n < 10 ? "shop.pay" : "shop.ship",
      history: [[at(n), n % 3 === 0 ? "failed" : "registered"]],
    }));
    const totalOf = async (raw: Record<string, string>) => {
      const { page } = await list(app, { limit: "5", ...raw });
      return [page.total, page.total_capped];
    };
    expect(await totalOf({})).toEqual([30, false]);
    expect(await totalOf({ status: "failed" })).toEqual([10, false]);
    expect(await totalOf({ task_id: "shop.pay" })).toEqual([10, false]);
    expect(await totalOf({ task_id: "shop.pay", status: "failed" })).toEqual([4, false]);
    expect(await totalOf({ id_prefix: "i2" })).toEqual([11, false]);
  });

  it("is exact below 10,000, and a lower bound above", async () => {
    const app = memoryApp().invocations(10_000);
    app.invocation("i10000");
    const { page } = await list(app, { id_prefix: "i" });
    expect([page.total, page.total_capped]).toEqual([10_000, true]);
    expect((await list(app, {})).page).toMatchObject({ total: 10_001, total_capped: false });
    const some = await list(app, { id_prefix: "i99" });
    expect([some.page.total, some.page.total_capped]).toEqual([111, false]);
  });

  it("is null if a search has not come to its end", async () => {
    const app = memoryApp().invocations(200);
    const first = await list(app, { range: "1h", limit: "5" });
    expect([first.page.total, first.page.has_next]).toEqual([null, true]);
    const whole = await list(app, { range: "1h", limit: "300" });
    expect([whole.page.total, whole.page.has_next]).toEqual([200, false]);
  });

  it("includes invocations that the orchestrator has purged", async () => {
    const app = memoryApp()
      .invocation("forgotten", {
        status: null,
        history: [
          [at(0), "registered"],
          [at(5), "success"],
        ],
      })
      .invocation("kept");
    const { page, invocations } = await list(app, {});
    expect(page.total).toBe(2);
    expect(invocations.map((row) => [row.invocation_id, row.status_source])).toEqual([
      ["kept", "orchestrator"],
      ["forgotten", "history"],
    ]);
  });
});

describe("the children of one invocation", () => {
  const CHILDREN = 2_000;
  const family = () =>
    memoryApp()
      .invocation("parent")
      .invocations(CHILDREN, () => ({ parent: "parent" }));

  it("have an exact total, and are newest first on every page", async () => {
    const app = family();
    const page = async (number: number) => {
      const { invocations, page: place, notes } = await list(app, { parent: "parent", limit: "50", page: `${number}` });
      return { ids: invocations.map((row) => row.invocation_id), ...place, notes };
    };
    const newestFirst = Array.from({ length: CHILDREN }, (_, n) => `i${CHILDREN - 1 - n}`);
    for (const number of [1, 2, 37, 40]) {
      expect(await page(number)).toMatchObject({
        ids: newestFirst.slice((number - 1) * 50, number * 50),
        total: CHILDREN,
        total_capped: false,
        has_next: number < 40,
        notes: [],
      });
    }
    expect(await page(41)).toMatchObject({ ids: [], total: CHILDREN, has_next: false });
  });

  it("cost as many reads for a late page as for the first", async () => {
    const app = family();
    const { store, calls } = counting(app.opened.store);
    const counted = { ...app.opened, store };
    const callsFor = async (number: number) => {
      const before = calls();
      const filter = { ...NO_FILTER, parent_invocation_id: "parent" };
      await listInvocations(counted, { filter, page: { number, size: 50 } });
      return calls() - before;
    };
    expect(await callsFor(39)).toBe(await callsFor(1));
  });

  it("are searched one by one with a further filter", async () => {
    const app = family().invocation("failed", { parent: "parent", history: [[at(9), "failed"]] });
    const { invocations, page } = await list(app, { parent: "parent", status: "failed" });
    expect(invocations.map((row) => row.invocation_id)).toEqual(["failed"]);
    expect(page.total).toBe(1);
  });
});

const ORDER = "Sorted by the latest change this runner made, newest first.";

describe("a search among a limited number of candidates", () => {
  const NOBODY = 'No runner "nobody" is stored.';

  it("has a note that it stopped, with the number of candidates", async () => {
    const app = memoryApp().invocation("a");
    app.change(({ history }) => {
      const [entry] = history;
      if (entry !== undefined)
        for (let n = 1; n <= 100_000; n++) {
          const instant = at(n / 10_000);
          history.push({ ...entry, timestamp: instant, written_at: instant, status: "retry" });
        }
    });
    const { invocations, notes, page } = await list(app, { runner: "nobody" });
    expect(invocations).toEqual([]);
    expect(page.total).toBeNull();
    // Entries that were not searched may name the runner.
    expect(notes).toEqual([ORDER, expect.stringMatching(/^Searched 100,000 invocations so far/)]);
  });

  it("stops after a limited number of definitions for a workflow, with a note", async () => {
    const app = memoryApp().invocation("a");
    app.change(({ definitions }) => {
      const [definition] = definitions;
      if (definition !== undefined)
        for (let n = 1; n <= 100_000; n++) definitions.push({ ...definition, invocation_id: `i${n}` });
    });
    const asked: Record<string, string>[] = [{ workflow_type: "no.such" }, { workflow_id: "none" }];
    for (const filter of asked) {
      const { invocations, notes, page } = await list(app, filter);
      expect([invocations, page.total]).toEqual([[], null]);
      expect(notes[0]).toMatch(/^Searched 100,000 invocations so far/);
    }
  });

  it("has no note on an early stop if it came to its end, or to the end of the page", async () => {
    const app = memoryApp().context("client").invocations(60);
    expect((await list(app, { runner: "nobody" })).notes).toEqual([ORDER, NOBODY]);
    expect((await list(app, { runner: "client", limit: "5" })).notes).toEqual([ORDER]);
  });

  it("has a note on the order of a list by time", async () => {
    const app = memoryApp().invocations(3);
    expect((await list(app, { range: "1h" })).notes).toEqual([expect.stringMatching(/latest change first/)]);
    expect((await list(app, {})).notes).toEqual([]);
  });

  it("has a note on the order of a list by former statuses if that is not registration", async () => {
    const history = { status: "registered", status_mode: "history" };
    const app = memoryApp()
      .invocation("first", {
        workflow: { id: "w" },
        history: [
          [at(0), "registered"],
          [at(9), "success"],
        ],
      })
      .invocation("second", { workflow: { id: "w" }, history: [[at(1), "registered"]] })
      .inOrder();
    const ordered = async (more: Record<string, string>) => {
      const { invocations, notes } = await list(app, { ...history, ...more });
      return [invocations.map((row) => row.invocation_id), notes];
    };
    expect(await ordered({})).toEqual([["first", "second"], ["Sorted by the latest status change, newest first."]]);
    expect(await ordered({ workflow_id: "w" })).toEqual([["second", "first"], []]);
  });
});

describe("an export of invocations", () => {
  it("has every row once, newest first, across its batches", async () => {
    const app = memoryApp().invocations(1_203, (n) => ({
      history: [[at(n), n % 25 === 0 ? "failed" : "registered"]],
      workflow: { id: n % 3 === 0 ? "w" : "other" },
    }));
    const exported = async (filter: Partial<typeof NO_FILTER>) => {
      const ids: string[] = [];
      for await (const rows of exportInvocations(app.opened, { ...NO_FILTER, ...filter }))
        ids.push(...rows.map((row) => row.invocation_id));
      return ids;
    };
    const newestFirst = Array.from({ length: 1_203 }, (_, n) => `i${1_202 - n}`);
    expect(await exported({})).toEqual(newestFirst);
    expect(await exported({ from: at(0) })).toEqual(newestFirst);
    // Nearly all candidates meet it, so that the last look of a batch finds more than the batch takes.
    const registered = newestFirst.filter((id) => Number(id.slice(1)) % 25 !== 0);
    expect(await exported({ from: at(0), statuses: ["registered"] })).toEqual(registered);
    expect(await exported({ workflow_id: "w", statuses: ["registered"] })).toEqual(
      registered.filter((id) => Number(id.slice(1)) % 3 === 0),
    );
    expect(await exported({ workflow_id: "none" })).toEqual([]);
  });
});
