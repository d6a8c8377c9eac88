/**
 * What a family tree says of gaps. All families of real data are in test/http/families.test.ts, generated graphs in
 * family-tree-properties.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPaint } from "../../../src/cli/print/colour.ts";
import { familyLines } from "../../../src/cli/print/family-tree.ts";
import { NotFoundError } from "../../../src/errors.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { type FamilyTree, familyTree, parseFamilyInput } from "../../../src/services/causes/family-tree.ts";
import type { AppReads, AppStore } from "../../../src/stores/ports.ts";
import { APP, write } from "../../browser/store.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { familiesOf } from "../../support/families.ts";
import { factsOf } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
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

  it("have the sizes of the data: thirteen in three generations, and five generations", () => {
    const sizes = all.map((tree) => tree.nodes.length).sort((a, b) => b - a);
    expect(sizes.slice(0, 2)).toEqual([13, 13]);
    expect(all.filter((tree) => tree.nodes.length === 13).map((tree) => tree.levels)).toEqual([3, 3]);
    expect(Math.max(...all.map((tree) => tree.levels))).toBe(5);
  });

  it("have an edge for each participant that watched an invocation", () => {
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

  it("name the event that started the first of them", async () => {
    const app = await monitor.workspace.open();
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?task_id=tasks.on_go_workflow",
    );
    const tree = await familyTree(app, invocations[0]?.invocation_id ?? "", USUAL);
    expect(tree.root_event?.event_code).toBe("go.workflow");
    expect(tree.nodes).toHaveLength(7);
  });

  it("cost the same reads for one level however many stand in it", async () => {
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

describe("gaps in a family", () => {
  let monitor: Monitor;
  let trees: FamilyTree[];
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    trees = [...(await familiesOf(monitor)).values()].sort((a, b) => b.nodes.length - a.nodes.length);
  });
  afterAll(() => monitor.close());

  const again = async (id: string, input = USUAL) => familyTree(await monitor.workspace.open(), id, input);

  it("nobody knows the id: not found", async () => {
    await expect(again("no-such-id")).rejects.toBeInstanceOf(NotFoundError);
    await expect(again("")).rejects.toBeInstanceOf(NotFoundError);
  });

  it("a parent that is gone stands as a box of its own, with all its children", async () => {
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

  it("invocations that name each other as parents end the way up, and each stands once", async () => {
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

  it("an event that is gone takes the way to its emitter with it, which is said", async () => {
    const tree = trees.find((one) => one.root_event !== null);
    write(monitor.path, "DELETE FROM $trg_events WHERE event_id = ?", tree?.root_event?.event_id ?? "");
    const after = await again(tree?.root_id ?? "");
    expect(after.root_event).toEqual({ event_id: tree?.root_event?.event_id, event_code: null });
    expect(after.notes.join()).toContain("event that started");
  });

  it("a chain without end begins a bounded way above the focus and goes on from there", async () => {
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
        state_backend: {
          ...reads.state_backend,
          invocationsByIds: async (ids: string[]) =>
            ids.map((id) => ({
              invocation_id: id,
              task_id_key: "t.f",
              call_id_key: "t.f:no_args",
              parent_invocation_id: `i${number(id) - 1}`,
              parent_event_id: null,
            })),
          childrenOf: async (ids: string[]) =>
            ids.map((id) => ({ invocation_id: `i${number(id) + 1}`, parent_invocation_id: id })),
          historySpanOf: async () => [],
          invocationsOfEvents: async () => [],
        },
        orchestrator: { ...reads.orchestrator, statusesByIds: async () => [] },
      } as unknown as AppReads),
    );
  return storeWith(store, read);
}

describe("the time of a member", () => {
  it("is no run where it waits for its first one, and ends with the orchestrator's memory of it", async () => {
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
    expect(nodes.map((node) => [node.invocation_id, node.elapsed_meaning, node.elapsed_seconds])).toEqual([
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
