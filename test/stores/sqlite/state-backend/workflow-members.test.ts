/** Members of a run that only their definitions give to it, found from the root downwards: at most so many, whatever the family looks like. */
import { describe, expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import type { AppReads } from "../../../../src/stores/ports/store.ts";
import { change, copies, inspect, withStore } from "../rows.ts";

const APP = "kitchen_sink";
const copyOf = copies();
const table = (name: string) => `${tablePrefix(APP)}__state_backend_${name}`;

interface Defined {
  id: string;
  parent: string | null;
  run: string;
}

/** A store with these definitions only, in this order, and these rows of members. */
async function membersIn<T>(
  defined: readonly Defined[],
  started: readonly [run: string, id: string][],
  look: (reads: AppReads["state_backend"]) => Promise<T>,
): Promise<T> {
  const path = copyOf("kitchen_sink.db");
  change(
    path,
    `DELETE FROM ${table("invocations")}`,
    `DELETE FROM ${table("workflow_sub_invocations")}`,
    [
      `INSERT INTO ${table("invocations")} (invocation_id, call_id_key, task_id_key, arguments_id, serialized_arguments,
         parent_invocation_id, workflow_id, workflow_type_key)
       SELECT value ->> 'id', 't.f:no_args', 't.f', 'no_args', '{}', value ->> 'parent', value ->> 'run', 't.f' FROM json_each(?)`,
      JSON.stringify(defined),
    ],
    [
      `INSERT INTO ${table("workflow_sub_invocations")} SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
      JSON.stringify(started),
    ],
  );
  let found: T | undefined;
  await withStore(path, async (store) => {
    found = await store.app(APP).read((reads) => look(reads.state_backend));
  });
  return found as T;
}

const ALL = { limit: 10_000, offset: 0 };
const root: Defined = { id: "w", parent: null, run: "w" };
const child = (id: string, parent: string, run = "w"): Defined => ({ id, parent, run });

describe("members of a workflow run", () => {
  it("are those that started, in that order, then recursive calls and those that have not started", async () => {
    const defined = [
      root,
      child("a", "w"),
      child("recursive", "w"),
      child("b", "a"),
      child("waits", "b"),
      child("s", "w", "s"),
    ];
    const started: [string, string][] = [
      ["w", "s"],
      ["w", "b"],
      ["w", "a"],
    ];
    const found = await membersIn(defined, started, async (reads) => [
      await reads.workflowMembers("w", ALL),
      await reads.workflowMembers("w", { limit: 2, offset: 2 }),
      await reads.workflowMembers("w", { limit: 2, offset: 4 }),
      await reads.countWorkflowMembers(["w", "s"]),
    ]);
    expect(found).toEqual([
      ["s", "b", "a", "recursive", "waits"],
      ["a", "recursive"],
      ["waits"],
      { w: { members: 5, exact: true } },
    ]);
  });

  it("do not include members of sub-workflows, and are listed once even in a circle of callers", async () => {
    const defined = [
      root,
      child("a", "b"),
      child("b", "a"),
      child("c", "w"),
      child("s", "c", "s"),
      child("t", "s", "s"),
    ];
    const found = await membersIn(defined, [["w", "s"]], async (reads) => [
      await reads.workflowMembers("w", ALL),
      await reads.workflowMembers("s", ALL),
    ]);
    expect(found).toEqual([["s", "c"], ["t"]]);
    const circle = [child("w", "a"), child("a", "w")];
    expect(await membersIn(circle, [], (reads) => reads.workflowMembers("w", ALL))).toEqual(["a"]);
  });

  it.each([
    ["a wide family", 1_999, (n: number) => child(`i${n}`, "w"), 1_999, true],
    ["a wider family", 2_001, (n: number) => child(`i${n}`, "w"), 2_000, false],
    [
      "a family of many wide generations",
      9_000,
      (n: number) => child(`i${n}`, n < 90 ? "w" : `i${Math.floor(n / 100)}`),
      2_000,
      false,
    ],
    ["a deep family", 199, (n: number) => child(`i${n}`, n === 0 ? "w" : `i${n - 1}`), 199, true],
    ["a deeper family", 300, (n: number) => child(`i${n}`, n === 0 ? "w" : `i${n - 1}`), 200, false],
  ])("of %s are counted up to a limit", async (_, size, made, members, exact) => {
    const defined = [root, ...Array.from({ length: size }, (__, n) => made(n))];
    const [listed, counted] = await membersIn(defined, [], async (reads) => [
      await reads.workflowMembers("w", ALL),
      await reads.countWorkflowMembers(["w"]),
    ]);
    expect(counted).toEqual({ w: { members, exact } });
    expect(listed).toHaveLength(members);
  });

  it("are found by the index on the caller", () => {
    const plan = inspect(copyOf("kitchen_sink.db"), (db) =>
      db
        .prepare(
          `EXPLAIN QUERY PLAN SELECT i.rowid FROM json_each('["w"]') j CROSS JOIN ${table("invocations")} i
           ON i.parent_invocation_id = j.value WHERE i.workflow_id = 'w' LIMIT 9`,
        )
        .all<{ detail: string }>(),
    );
    expect(plan.map((row) => row.detail).join("\n")).toMatch(/SEARCH i USING INDEX \S+ \(parent_invocation_id=\?\)/);
  });

  it("are counted for many runs at once as for each alone, also if one of them has too many", async () => {
    const many = Array.from({ length: 2_001 }, (_, n) => child(`many-${n}`, "large", "large"));
    // The first caller of the third is a member of it: a circle.
    const runs = ["w", "large", "v", "empty"].map((id): Defined => ({ id, parent: id === "v" ? "c" : null, run: id }));
    const defined = [...runs, ...many, child("a", "w"), child("b", "a"), child("c", "v", "v")];
    const [together, alone] = await membersIn(defined, [["w", "a"]], async (reads) => [
      await reads.countWorkflowMembers(runs.map(({ id }) => id)),
      await Promise.all(runs.map(({ id }) => reads.countWorkflowMembers([id]))),
    ]);
    expect(together).toEqual({
      w: { members: 2, exact: true },
      large: { members: 2_000, exact: false },
      v: { members: 1, exact: true },
    });
    expect(Object.assign({}, ...(alone ?? []))).toEqual(together);
  });
});
