/**
 * What a family tree says of gaps. All families of real data are in test/http/families.test.ts, generated graphs in
 * family-tree-properties.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyTree } from "../../../src/api/causes.ts";
import { createPaint } from "../../../src/cli/print/colour.ts";
import { familyLines } from "../../../src/cli/print/families.ts";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { familyTree, invocationFamily, parseFamilyInput } from "../../../src/services/causes/family-tree.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import type { StateBackendReads } from "../../../src/stores/ports/state-backend.ts";
import type { AppStore } from "../../../src/stores/ports/store.ts";
import { APP, write } from "../../browser/store.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { familiesOf } from "../../support/families.ts";
import { factsOf } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

const USUAL = parseFamilyInput({});

describe("the families of the kitchen sink", () => {
  let monitor: Monitor;
  let all: FamilyTree[];
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    all = [...(await familiesOf(monitor)).values()];
  });
  afterAll(() => monitor.close());

  it("have the sizes of the data: 13 members in three generations, and at most five generations", () => {
    const sizes = all.map((tree) => tree.nodes.length).sort((a, b) => b - a);
    expect(sizes.slice(0, 2)).toEqual([13, 13]);
    expect(all.filter((tree) => tree.nodes.length === 13).map((tree) => tree.levels)).toEqual([3, 3]);
    expect(Math.max(...all.map((tree) => tree.levels))).toBe(5);
  });

  it("have one edge for each participant with an invocation", () => {
    const kinds: Record<string, number> = {};
    for (const tree of all) {
      for (const { edge_kind } of tree.nodes) if (edge_kind !== null) kinds[edge_kind] = (kinds[edge_kind] ?? 0) + 1;
    }
    const { participants = {} } = factsOf("kitchen_sink.db", APP);
    expect([kinds.status, kinds.result, kinds.exception]).toEqual([
      participants.StatusContext,
      participants.ResultContext,
      participants.ExceptionContext,
    ]);
  });

  it("name the event that started their first member", async () => {
    const app = await monitor.workspace.open();
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?task_id=tasks.on_go_workflow",
    );
    const tree = await familyTree(app, invocations[0]?.invocation_id ?? "", USUAL);
    expect(tree.root_event?.event_code).toBe("go.workflow");
    expect(tree.nodes).toHaveLength(7);
  });

  it("cost the same reads for one level, however many members it has", async () => {
    const { store, settings, now } = await monitor.workspace.open();
    const counted = counting(store);
    const app = openedApp(counted.store, settings, now);
    const [wide, chain] = ["tasks.root", "tasks.chain"];
    const cost = async (id: string) => {
      const before = counted.calls();
      const tree = await familyTree(app, id, USUAL);
      return { reads: counted.calls() - before, tree };
    };
    for (const task of [wide, chain]) {
      const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
        `/invocations/?task_id=${task}`,
      );
      for (const { invocation_id } of invocations) {
        const { reads, tree } = await cost(invocation_id);
        const up = (tree.nodes.find((node) => node.focus)?.depth ?? 0) + 1;
        // Rows before and after, four for each step up, six for each level: twice where one level is read from the focus and from above.
        expect(reads).toBeLessThanOrEqual(3 + 4 * up + 2 * 6 * tree.levels + 3);
      }
    }
  });
});

describe("a family with missing rows", () => {
  let monitor: Monitor;
  let trees: FamilyTree[];
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    trees = [...(await familiesOf(monitor)).values()].sort((a, b) => b.nodes.length - a.nodes.length);
  });
  afterAll(() => monitor.close());

  const again = async (id: string, input = USUAL) => familyTree(await monitor.workspace.open(), id, input);

  it("fails with not found for an unknown id", async () => {
    await expect(again("no-such-id")).rejects.toBeInstanceOf(NotFoundError);
    await expect(again("")).rejects.toBeInstanceOf(NotFoundError);
  });

  it("has a missing parent as a node, with all its children", async () => {
    const [tree] = trees;
    const root = tree?.root_id ?? "";
    for (const table of ["state_backend_invocations", "state_backend_history", "orchestrator_invocations"]) {
      write(monitor.path, `DELETE FROM $${table} WHERE invocation_id = ?`, root);
    }
    const leaf = tree?.nodes.at(-1)?.invocation_id ?? "";
    const after = await again(leaf);
    expect(after.nodes.map((node) => node.invocation_id)).toEqual(tree?.nodes.map((node) => node.invocation_id));
    expect(after.nodes[0]).toMatchObject({ invocation_id: root, status_source: "none", task_id_key: null });
    expect(after.notes.join()).toContain("not stored");
    await expect(again(root)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("with invocations that name each other as parents shows each once, with a note", async () => {
    const tree = trees[1];
    const ids = tree?.nodes.map((node) => node.invocation_id) ?? [];
    const below = tree?.nodes.find((node) => node.depth === 2)?.invocation_id ?? "";
    write(
      monitor.path,
      "UPDATE $state_backend_invocations SET parent_invocation_id = ? WHERE invocation_id = ?",
      below,
      tree?.root_id ?? "",
    );
    for (const id of ids) {
      const circle = await again(id);
      expect(circle.nodes.map((node) => node.invocation_id).sort()).toEqual([...ids].sort());
      expect(circle.notes.join()).toContain("name each other");
    }
    const itself = trees.find((one) => one.nodes.length === 1)?.root_id ?? "";
    write(
      monitor.path,
      "UPDATE $state_backend_invocations SET parent_invocation_id = invocation_id WHERE invocation_id = ?",
      itself,
    );
    expect((await again(itself)).nodes).toHaveLength(1);
  });

  it("with a missing event begins below it, with a note", async () => {
    const tree = trees.find((one) => one.root_event !== null);
    write(monitor.path, "DELETE FROM $trg_events WHERE event_id = ?", tree?.root_event?.event_id ?? "");
    const after = await again(tree?.root_id ?? "");
    expect(after.root_event).toEqual({ event_id: tree?.root_event?.event_id, event_code: null });
    expect(after.notes.join()).toContain("event that started");
  });

  it("with an endless chain of parents begins a limited way above the focus and can be expanded", async () => {
    const { store, settings, now } = await monitor.workspace.open();
    const far = openedApp(endless(store), settings, now);
    const tree = await familyTree(far, "i1000", USUAL);
    expect([tree.above_id, tree.root_id, tree.truncated]).toEqual(["i975", "i976", true]);
    expect(tree.nodes.map((node) => node.invocation_id)).toEqual(
      Array.from({ length: tree.nodes.length }, (_, n) => `i${976 + n}`),
    );
    expect(tree.nodes.at(-1)).toMatchObject({ invocation_id: "i1007", children_left_out: 1 });
    const expanded = await familyTree(far, "i1000", { ...USUAL, expand: ["i1007"] });
    expect(expanded.nodes.at(-1)?.invocation_id).toBe("i1011");
    const small = await familyTree(far, "i1000", { ...USUAL, limit: 1 });
    expect([small.nodes.length, small.above_id, small.nodes[0]?.children_left_out]).toEqual([1, "i999", 1]);
  });
});

/** A store in which each invocation called the next, for ever. */
function endless(store: AppStore): AppStore {
  const number = (id: string) => Number(id.slice(1));
  const read: AppStore["read"] = (fn) =>
    store.read((reads) =>
      fn({
        ...reads,
        state_backend: portWith(reads.state_backend, {
          invocationsByIds: async (ids: readonly string[]) =>
            ids.map((id) => ({
              invocation_id: id,
              task_id_key: "t.f",
              call_id_key: "t.f:no_args",
              parent_invocation_id: `i${number(id) - 1}`,
              parent_event_id: null,
              serialized_arguments: "{}",
            })),
          childrenOf: async (ids: readonly string[], _limit: number, kind = "invocation") =>
            kind === "event" ? [] : ids.map((id) => ({ invocation_id: `i${number(id) + 1}`, parent_id: id })),
          historySpanOf: async () => [],
        } as unknown as Partial<StateBackendReads>),
        orchestrator: portWith(reads.orchestrator, { statusesByIds: async () => [] }),
      }),
    );
  return storeWith(store, read);
}

describe("the time of a family member", () => {
  it("is waiting before its first run, never_ran if it was dropped, and null if the orchestrator purged it", async () => {
    const app = memoryApp({ now: at(10) })
      .invocation("root", {
        history: [
          [at(0), "registered"],
          [at(1), "running", "r1"],
        ],
      })
      .invocation("waits", { history: [[at(2), "registered"]], parent: "root" })
      .invocation("dropped", {
        history: [
          [at(3), "registered"],
          [at(4), "concurrency_controlled_final"],
        ],
        parent: "root",
      })
      .invocation("forgotten", { history: [[at(5), "registered"]], parent: "root", status: null });
    const { nodes } = await familyTree(app.opened, "root", USUAL);
    expect(nodes.map((node) => [node.invocation_id, node.duration_meaning, node.duration_seconds])).toEqual([
      ["root", "so_far", 10],
      ["waits", "waiting", 8],
      ["dropped", "never_ran", 1],
      ["forgotten", "waiting", null],
    ]);
    const lines = familyLines(await familyTree(app.opened, "root", USUAL), createPaint(false)).join("\n");
    expect(lines).toMatch(/registered waiting for 8/);
    expect(lines).toMatch(/concurrency_controlled_final never ran/);
  });
});

describe("the start of a family", () => {
  const beginning = async (app: ReturnType<typeof memoryApp>, id = "i") => {
    const tree = await familyTree(app.opened, id, USUAL);
    return [tree.root_id, tree.root_event, tree.root_trigger_run_id, tree.above_id];
  };
  const run = (participants: Record<string, string>[]) =>
    memoryApp().invocation("i").triggerRun("run", { triggered_invocation_id: "i", participants });

  it("is empty, a trigger run for a schedule, or an event with its trigger run", async () => {
    expect(await beginning(memoryApp().invocation("i"))).toEqual(["i", null, null, null]);
    expect(await beginning(run([]))).toEqual(["i", null, "run", null]);
    const event = { event_id: "e", event_code: "paid" };
    expect(await beginning(run([{ event_id: "e" }]).event("e", { event_code: "paid" }))).toEqual([
      "i",
      event,
      "run",
      null,
    ]);
    expect(await beginning(memoryApp().invocation("i", { event: "e" }).event("e", { event_code: "paid" }))).toEqual([
      "i",
      event,
      null,
      null,
    ]);
  });

  it("is not looked for above an invocation that another one started", async () => {
    const emitted = run([{ event_id: "e" }])
      .event("e", { emitted_by_invocation_id: "m" })
      .invocation("m");
    expect(await beginning(emitted)).toEqual(["m", null, null, null]);
    const watched = run([{ source_invocation_id: "s" }]).invocation("s");
    expect(await beginning(watched)).toEqual(["s", null, null, null]);
    // The way up ends below: nobody asks what started the one above.
    const tree = await familyTree(emitted.opened, "i", { ...USUAL, limit: 1 });
    expect([tree.root_id, tree.root_event, tree.root_trigger_run_id, tree.above_id]).toEqual(["i", null, null, "m"]);
    expect(tree.truncated).toBe(true);
  });
});

describe("the shape of a family tree", () => {
  /** A chain of `levels` invocations, each with a second child. */
  const chain = (levels: number) => {
    const app = memoryApp({ now: at(100) }).invocation("n0");
    for (let n = 1; n < levels; n++) {
      app.invocation(`n${n}`, { parent: `n${n - 1}`, history: [[at(n), "registered"]] });
      app.invocation(`m${n}`, { parent: `n${n - 1}`, history: [[at(n + 0.5), "registered"]] });
    }
    return app.opened;
  };

  it("has a level for each row of calls, and is cut at the requested depth", async () => {
    const levels = async (most: number, depth: number) => {
      const tree = await familyTree(chain(most), "n0", { ...USUAL, depth });
      return [tree.levels, tree.depth, tree.nodes.length, tree.truncated];
    };
    expect(await levels(1, 8)).toEqual([1, 8, 1, false]);
    expect(await levels(4, 8)).toEqual([4, 8, 7, false]);
    expect(await levels(4, 3)).toEqual([3, 3, 5, true]);
    expect(await levels(4, 1)).toEqual([1, 1, 1, true]);
  });

  it("has four more levels below an expanded node, each time it is expanded", async () => {
    const shown = async (...expand: string[]) => {
      const { levels, ...tree } = await familyTree(chain(12), "n0", { ...USUAL, depth: 2, expand });
      return [levels, tree.expand, tree.notes.length];
    };
    expect(await shown()).toEqual([2, [], 0]);
    expect(await shown("n1")).toEqual([6, ["n1"], 0]);
    expect(await shown("n1", "n1")).toEqual([10, ["n1", "n1"], 0]);
    expect(await shown("n1", "n5")).toEqual([10, ["n1", "n5"], 0]);
  });

  it("has a note on unknown ids to expand, and joins an id that contains commas", async () => {
    const notes = async (...expand: string[]) => {
      const app = memoryApp().invocation("root").invocation("a,b", { parent: "root" });
      const { notes, expand: expanded } = await familyTree(app.opened, "root", { ...USUAL, expand });
      return [expanded, notes];
    };
    expect(await notes("a", "b")).toEqual([["a,b"], []]);
    expect(await notes("x", "a", "b")).toEqual([["a,b"], [expect.stringMatching(/^One id to expand/)]]);
    expect(await notes("x", "y")).toEqual([[], [expect.stringMatching(/^2 ids to expand/)]]);
  });

  it("has eight levels and sixty invocations by default, within bounds", () => {
    expect(USUAL).toEqual({ depth: 8, limit: 60, expand: [] });
    expect(parseFamilyInput({ depth: ["100"], limit: ["2000"] })).toMatchObject({ depth: 100, limit: 2_000 });
    for (const raw of [{ depth: ["101"] }, { depth: ["0"] }, { limit: ["2001"] }, { limit: ["0"] }])
      expect(() => parseFamilyInput(raw)).toThrow(InvalidInputError);
  });

  it("can be expanded forty times", async () => {
    const can = async (count: number) => {
      const expand = Array.from({ length: count }, () => "n0");
      return (await familyTree(chain(2), "n0", parseFamilyInput({ expand }))).can_expand;
    };
    expect([await can(39), await can(40)]).toEqual([true, false]);
    expect(() => parseFamilyInput({ expand: [Array(41).fill("n0").join(",")] })).toThrow("expand");
  });

  it("has a note with the number of missing members, in the singular or plural", async () => {
    const missing = async (...parents: string[]) => {
      const app = memoryApp().invocation("root");
      for (const [n, id] of parents.entries()) {
        app.triggerRun(`run ${n}`, { triggered_invocation_id: id, participants: [{ source_invocation_id: "root" }] });
      }
      return (await familyTree(app.opened, "root", USUAL)).notes;
    };
    expect(await missing()).toEqual([]);
    expect(await missing("gone")).toEqual([expect.stringMatching(/^One invocation is .* not stored/)]);
    expect(await missing("gone", "too")).toEqual([expect.stringMatching(/^2 invocations are .* not stored/)]);
  });

  it("is marked as truncated, with a note, if there are more events than are followed", async () => {
    const notes = async (events: number) => {
      const app = memoryApp().invocation("root");
      for (let n = 0; n < events; n++) app.event(`e${n}`, { emitted_by_invocation_id: "root" });
      const tree = await familyTree(app.opened, "root", USUAL);
      return [tree.nodes[0]?.children_counted, tree.truncated, tree.notes.length];
    };
    expect(await notes(200)).toEqual([true, false, 0]);
    expect(await notes(201)).toEqual([false, true, 1]);
  });

  it("is ordered by start, then by id, with members without a time last", async () => {
    const started = (seconds: number) => ({ parent: "root", history: [[at(seconds), "registered"]] as const });
    const app = memoryApp()
      .invocation("root")
      .invocation("timeless", { parent: "root", history: [], status: null })
      .invocation("late", started(9))
      .invocation("b", started(5))
      .invocation("a", started(5));
    const { nodes } = await familyTree(app.opened, "late", USUAL);
    expect(nodes.map((node) => [node.invocation_id, node.focus, node.depth, node.parent_id, node.edge_kind])).toEqual([
      ["root", false, 0, null, null],
      ["a", false, 1, "root", "call"],
      ["b", false, 1, "root", "call"],
      ["late", true, 1, "root", "call"],
      ["timeless", false, 1, "root", "call"],
    ]);
  });
});

describe("the family on the page of an invocation", () => {
  const shown = async (app: ReturnType<typeof memoryApp>, id: string) => {
    const tree = await invocationFamily(app.opened, await invocationDetail(app.opened, id), USUAL);
    return tree?.nodes.map((node) => node.invocation_id) ?? null;
  };

  it("is null if no other invocation belongs to it, whatever it emitted and watched", async () => {
    expect(await shown(memoryApp().invocation("i"), "i")).toBeNull();
    const alone = memoryApp()
      .invocation("i", { event: "e" })
      .event("e")
      .event("emitted", { emitted_by_invocation_id: "i" })
      .triggerRun("starter", { triggered_invocation_id: "i", participants: [{ event_id: "e" }] })
      .triggerRun("caused", { participants: [{ source_invocation_id: "i" }] });
    expect(await shown(alone, "i")).toBeNull();
  });

  it("costs no reads if the detail already shows that it does not exist", async () => {
    const app = memoryApp()
      .invocation("i")
      .event("e", { emitted_by_invocation_id: "i" })
      .triggerRun("caused", {
        participants: [{ source_invocation_id: "i" }],
      });
    const detail = await invocationDetail(app.opened, "i");
    const { store, calls } = counting(app.opened.store);
    expect(await invocationFamily({ ...app.opened, store }, detail, USUAL)).toBeNull();
    expect(calls()).toBe(0);
  });

  it("is shown for a parent, a child, and invocations linked by events and triggers", async () => {
    const called = memoryApp().invocation("p").invocation("c", { parent: "p" });
    expect([await shown(called, "p"), await shown(called, "c")]).toEqual([
      ["p", "c"],
      ["p", "c"],
    ]);
    const byEvent = memoryApp().invocation("m").event("e", { emitted_by_invocation_id: "m" }).invocation("i");
    byEvent.triggerRun("run", { triggered_invocation_id: "i", participants: [{ event_id: "e" }] });
    expect([await shown(byEvent, "m"), await shown(byEvent, "i")]).toEqual([
      ["m", "i"],
      ["m", "i"],
    ]);
    const named = memoryApp().invocation("m").event("e", { emitted_by_invocation_id: "m" });
    expect(await shown(named.invocation("i", { event: "e" }), "i")).toEqual(["m", "i"]);
    const watched = memoryApp().invocation("s").invocation("i");
    watched.triggerRun("run", { triggered_invocation_id: "i", participants: [{ source_invocation_id: "s" }] });
    expect([await shown(watched, "s"), await shown(watched, "i")]).toEqual([
      ["s", "i"],
      ["s", "i"],
    ]);
  });
});
