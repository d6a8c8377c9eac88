/** The invocations that may have held the concurrency slot of a stopped one. */
import { describe, expect, it } from "vitest";
import type { SlotHold } from "../../../src/api/model/slot-holds.ts";
import { epochFromIso } from "../../../src/pynenc/time.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const slotOf = async (app: MemoryApp, id: string): Promise<SlotHold | null> => {
  return (await invocationDetail(app.opened, id)).slot;
};
const idsOf = (slot: SlotHold | null) => slot?.holders.map(({ invocation_id }) => invocation_id);

/** Registered at `from`, taken and running a second later each, until `to`. */
const ran = (from: number, to: number | null = null): readonly Step[] => [
  [at(from), "registered"],
  [at(from + 1), "pending"],
  [at(from + 2), "running"],
  ...(to === null ? [] : [[at(to), "success"] as const]),
];
const dropped = (when: number): readonly Step[] => [
  [at(when - 1), "registered"],
  [at(when), "concurrency_controlled_final"],
];
const A = { name: "a", size: "1" };

describe("the slot of an invocation that was dropped", () => {
  it("was held by the invocation of its task that ran at that moment, not by earlier or later ones", async () => {
    const app = memoryApp()
      .invocation("before", { history: ran(0, 9) })
      .invocation("holder", { history: ran(10, 30) })
      .invocation("other task", { task: "shop.ship", history: ran(11) })
      .invocation("dropped", { history: dropped(20) })
      .invocation("after", { history: ran(31) });
    const slot = await slotOf(app, "dropped");
    expect(idsOf(slot)).toEqual(["holder"]);
    expect(slot?.holders[0]).toMatchObject({ ran_then: true, runs_now: false });
    expect(epochFromIso(slot?.since ?? "")).toBe(at(20));
  });

  it("was held by the invocation that ran at that moment, even if the drop was written after its end", async () => {
    const app = memoryApp()
      .invocation("holder", { history: ran(10, 21) })
      .invocation("dropped", {
        history: [
          [at(19), "registered"],
          [at(20), "concurrency_controlled_final", "r1", at(22)],
        ],
      });
    expect(idsOf(await slotOf(app, "dropped"))).toEqual(["holder"]);
  });

  it("may have been held by an invocation that was pending and not yet running", async () => {
    const app = memoryApp()
      .invocation("taken", { history: [...ran(10).slice(0, 2), [at(30), "running"]] })
      .invocation("paused", { history: [...ran(10), [at(13), "paused"]] })
      .invocation("dropped", { history: dropped(20) });
    expect(idsOf(await slotOf(app, "dropped"))).toEqual(["taken"]);
  });

  it("was held by the invocation with equal arguments, if there is one", async () => {
    const app = memoryApp()
      .invocation("equal", { arguments: A, history: ran(10) })
      .invocation("another", { arguments: { ...A, size: "2" }, history: ran(11) })
      .invocation("dropped", { arguments: A, history: dropped(20) });
    const slot = await slotOf(app, "dropped");
    expect(idsOf(slot)).toEqual(["equal"]);
    expect(slot?.sentences[0]).toBe(
      "equal of the same task, with equal arguments, was pending or running at that moment: it probably held its slot.",
    );
  });

  it("was held by one that shares an argument, if none has equal arguments, because that may be the key", async () => {
    const app = memoryApp()
      .invocation("same name", { arguments: { ...A, size: "2" }, history: ran(10) })
      .invocation("nothing alike", { arguments: { name: "b", size: "3" }, history: ran(11) })
      .invocation("dropped", { arguments: A, history: dropped(20) });
    const slot = await slotOf(app, "dropped");
    expect(idsOf(slot)).toEqual(["same name"]);
    expect(slot?.holders[0]).toMatchObject({ shares: "some_arguments", shared_arguments: ["name"] });
    expect(slot?.sentences[0]).toContain("same nam of the same task, with equal name, was pending");
  });

  it("names three of the arguments that another invocation shares", async () => {
    const same = { a: "1", b: "2", c: "3", d: "4" };
    const app = memoryApp()
      .invocation("holder", { arguments: { ...same, e: "5" }, history: ran(10) })
      .invocation("dropped", { arguments: { ...same, e: "6" }, history: dropped(20) });
    const slot = await slotOf(app, "dropped");
    expect(slot?.holders[0]?.shared_arguments).toEqual(["a", "b", "c", "d"]);
    expect(slot?.sentences[0]).toContain("of the same task, with equal a, b, c, was pending");
  });

  it("is attributed to all candidates alike if there are several", async () => {
    const app = memoryApp();
    for (const id of ["one", "two", "three", "four"]) app.invocation(id, { history: ran(10), arguments: { id } });
    const slot = await slotOf(app.invocation("dropped", { history: dropped(20), arguments: A }), "dropped");
    expect(idsOf(slot)).toHaveLength(4);
    expect(slot?.sentences[0]).toMatch(/^4 invocations of the same task were pending .* and 1 more\. One of them /);
  });

  it("has no known holder if no invocation of its task is known to have run then", async () => {
    const slot = await slotOf(memoryApp().invocation("dropped", { history: dropped(20) }), "dropped");
    expect(slot?.holders).toEqual([]);
    expect(slot?.sentences[0]).toBe(
      "No other invocation of its task is known to have been pending or running at that moment.",
    );
    expect(slot?.sentences[1]).toContain("or one per arguments or keys");
  });

  it("is attributed to the right holder among many calls that were dropped before", async () => {
    const app = memoryApp().invocation("holder", { history: ran(0) });
    app.invocations(300, (n) => ({ history: dropped(10 + n) }));
    expect(idsOf(await slotOf(app.invocation("dropped", { history: dropped(400) }), "dropped"))).toEqual(["holder"]);
  });
});

describe("the slot of an invocation that is held back", () => {
  const held: readonly Step[] = [
    [at(20), "registered"],
    [at(21), "concurrency_controlled"],
    [at(22), "rerouted"],
    [at(40), "concurrency_controlled"],
    [at(41), "rerouted"],
  ];

  it("lists who held it at first and who holds it now, and counts the holds since the invocation was last taken", async () => {
    const app = memoryApp()
      .invocation("first", { history: ran(10, 30) })
      .invocation("second", { history: ran(11) })
      .invocation("held", { history: held });
    const slot = await slotOf(app, "held");
    expect(slot).toMatchObject({ times: 2, times_exact: true });
    expect(epochFromIso(slot?.since ?? "")).toBe(at(21));
    expect(slot?.holders.map((one) => [one.invocation_id, one.ran_then, one.runs_now]).sort()).toEqual([
      ["first", true, false],
      ["second", true, true],
    ]);
    const again = memoryApp().invocation("again", { history: [...ran(0), [at(15), "retry"], ...held.slice(1)] });
    expect((await slotOf(again, "again"))?.times).toBe(2);
    expect(epochFromIso((await slotOf(again, "again"))?.since ?? "")).toBe(at(21));
  });

  it("does not exist for an invocation that was rerouted for another reason, or taken since", async () => {
    const recovered: Step[] = [...ran(0), [at(5), "running_recovery"], [at(6), "rerouted"]];
    expect(await slotOf(memoryApp().invocation("a", { history: recovered }), "a")).toBeNull();
    expect(await slotOf(memoryApp().invocation("a", { history: [...held, [at(50), "pending"]] }), "a")).toBeNull();
  });
});
