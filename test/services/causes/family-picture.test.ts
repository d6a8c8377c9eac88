/** The family timeline: its members, the marks of events and trigger runs, and that each member's time is complete. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { familyPicture, familyPictureOrNull, parseFamilyInput } from "../../../src/services/causes/family-picture.ts";
import { familyGeometry } from "../../../src/timeline/family.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const iso = (seconds: number) => isoFromEpoch(at(seconds));
const USUAL = parseFamilyInput({});
const ran = (from: number, to: number, end = "success") =>
  [
    [at(from), "registered"],
    [at(from + 1), "running"],
    [at(to), end],
  ] as const;

/** An order that reserves and pays; the payment emits an event, whose trigger ships; a sibling of the order's has nothing to do with it. */
function shop(): MemoryApp {
  return memoryApp({ now: at(100) })
    .invocation("order", { task: "shop.order", history: ran(0, 30) })
    .invocation("reserve", { task: "shop.reserve", parent: "order", history: ran(1, 5) })
    .invocation("pay", { task: "shop.pay", parent: "order", history: ran(6, 20, "failed") })
    .event("paid", { event_code: "order.paid", timestamp: at(10), emitted_by_invocation_id: "pay" })
    .invocation("ship", { task: "shop.ship", event: "paid", history: ran(12, 40) })
    .triggerRun("run", {
      task_id_key: "shop.ship",
      claimed_at: at(11),
      triggered_invocation_id: "ship",
      participants: [{ event_id: "paid" }],
    })
    .invocation("other", { task: "shop.order", history: ran(0, 30) });
}

describe("a family timeline", () => {
  it.each(["order", "pay", "ship", "paid", "run"])("shows the same whole family around %s", async (id) => {
    const picture = await familyPicture(shop().opened, null, id, USUAL);
    expect(picture.rows.map((row) => [row.id, row.depth, row.above_id, row.by])).toEqual([
      ["order", 0, null, []],
      ["reserve", 1, "order", ["call"]],
      ["pay", 1, "order", ["call"]],
      ["ship", 2, "pay", ["emit", "event", "trigger"]],
    ]);
    // An event stands on the row of what emitted it, a run on the row of what it started.
    expect(picture.rows.map((row) => row.marks.map((mark) => [mark.kind, mark.id, mark.label]))).toEqual([
      [],
      [],
      [["event", "paid", "order.paid"]],
      [["trigger_run", "run", "shop.ship"]],
    ]);
    const focused = [...picture.rows, ...picture.rows.flatMap((row) => row.marks)].filter((one) => one.focus);
    expect(focused.map((one) => one.id)).toEqual([id]);
    expect([picture.from, picture.to, picture.ongoing, picture.truncated]).toEqual([
      "2026-01-05T12:00:00.000000+00:00",
      "2026-01-05T12:00:40.000000+00:00",
      false,
      false,
    ]);
  });

  it("says what else took part in the run that started a member, whether it is of the family or not", async () => {
    const both = { event_id: "reserved", context_type: "EventContext", context_summary: "code:stock.reserved" };
    const app = shop()
      .invocation("second", { task: "shop.order", history: ran(0, 30) })
      .event("reserved", { event_code: "stock.reserved", timestamp: at(10), emitted_by_invocation_id: "second" })
      .invocation("pack", { task: "shop.pack", event: "paid", history: ran(12, 40) })
      .triggerRun("both", {
        task_id_key: "shop.pack",
        claimed_at: at(11),
        triggered_invocation_id: "pack",
        participants: [{ event_id: "paid" }, both],
      });
    const alsoIn = async (id: string) =>
      (await familyPicture(app.opened, null, id, USUAL)).rows.map((row) => [
        row.id,
        row.also_from.map(
          (cause) => `${cause.event_code} of ${cause.emitted_by?.task_id_key} ${cause.emitted_by?.invocation_id}`,
        ),
      ]);
    // Around the first order, the second one is not of the family.
    expect(await alsoIn("order")).toEqual([
      ["order", []],
      ["reserve", []],
      ["pay", []],
      ["pack", ["stock.reserved of shop.order second"]],
      ["ship", []],
    ]);
    // Around what both led to, it is the family of one of them, and what the other one led to is counted.
    expect(await alsoIn("pack")).toEqual(await alsoIn("order"));
  });

  it("counts what another topmost cause led to, and says so where there is more than the limit", async () => {
    const app = shop()
      .invocation("second", { task: "shop.order", history: ran(-90, -60) })
      .event("reserved", { timestamp: at(10), emitted_by_invocation_id: "second" })
      .invocation("pack", { task: "shop.pack", history: ran(12, 40) })
      .triggerRun("both", {
        claimed_at: at(11),
        triggered_invocation_id: "pack",
        participants: [{ event_id: "paid" }, { event_id: "reserved" }],
      });
    for (let n = 1; n <= 5; n++)
      app.invocation(`${n}`, { parent: n === 1 ? "second" : `${n - 1}`, history: ran(-80, -70) });
    const around = async (limit: number) => {
      const { rows, others, truncated, from } = await familyPicture(app.opened, null, "pack", { limit, expand: [] });
      const ids = rows.map((row) => row.id);
      return { ids, others: others.map((one) => [one.id, one.invocations, one.complete]), truncated, from };
    };
    const own = { ids: ["order", "reserve", "pay", "pack", "ship"], truncated: false, from: iso(0) };
    expect(await around(200)).toEqual({ ...own, others: [["second", 6, true]] });
    expect(await around(14)).toEqual({ ...own, others: [["second", 5, false]] });
  });

  it("is the family of the invocation at the top where an event from outside took part too", async () => {
    const app = shop()
      .event("outside", { timestamp: at(10) })
      .invocation("pack", { task: "shop.pack", history: ran(12, 40) })
      .triggerRun("both", {
        claimed_at: at(11),
        triggered_invocation_id: "pack",
        participants: [{ event_id: "outside" }, { event_id: "paid" }],
      });
    const { rows, others } = await familyPicture(app.opened, null, "pack", USUAL);
    expect(rows.map((row) => row.id)).toEqual(["order", "reserve", "pay", "pack", "ship", "outside"]);
    expect(others).toEqual([]);
  });

  it.each([
    ["order", "order"],
    ["pay", "pay"],
    ["paid", "ship"],
    ["run", "ship"],
  ])("has the critical path of %s, or of what it started", async (id, owner) => {
    const { path_of, critical_path } = await familyPicture(shop().opened, null, id, USUAL);
    expect([path_of, critical_path?.segments.at(-1)?.invocation_id]).toEqual([owner, owner]);
  });

  it("of an event has the critical path of the invocation that it started and that ended last", async () => {
    const app = shop().invocation("mail", { task: "shop.mail", event: "paid", history: ran(11, 60) });
    expect((await familyPicture(app.opened, null, "paid", USUAL)).path_of).toBe("mail");
    const early = shop().invocation("mail", { task: "shop.mail", event: "paid", history: ran(11, 20) });
    expect((await familyPicture(early.opened, null, "paid", USUAL)).path_of).toBe("ship");
  });

  it("has a row for an awaited invocation outside the family, only for the time of the wait", async () => {
    // Paused since 5 because of a delivery that others had asked for before.
    const app = memoryApp({ now: at(30) })
      .runner("r1")
      .invocation("mail", { task: "shop.mail", history: ran(-50, -40).slice(0, 1) })
      .invocation("order", {
        task: "shop.order",
        history: [
          [at(0), "registered"],
          [at(1), "running"],
          [at(5), "paused"],
        ],
      })
      .invocation("child", { task: "shop.reserve", parent: "order", history: ran(1, 3) })
      .edge("order", "mail");
    const { rows, from, critical_path, ...picture } = await familyPicture(app.opened, null, "order", USUAL);
    expect(rows.map((row) => [row.id, row.depth, row.above_id, row.awaited])).toEqual([
      ["order", 0, null, false],
      ["mail", 1, "order", true],
      ["child", 1, "order", false],
    ]);
    expect(rows[1]?.invocation?.task_id_key).toBe("shop.mail");
    expect(rows[1]?.stretches).toMatchObject([{ from: iso(5), duration_seconds: 25, phase: "queued", ongoing: true }]);
    // It began earlier, and that is not drawn.
    expect([from, picture.edges.length]).toEqual([iso(0), 1]);
    // The drawn path has no gap.
    const geometry = familyGeometry({ ...picture, rows, from, critical_path });
    const pieces = geometry.rows.flatMap((row) => row.path).sort((a, b) => a.x - b.x);
    expect(pieces[0]?.x).toBeCloseTo(0, 6);
    expect(pieces.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(geometry.width, 6);
    expect(geometry.rows.some((row) => row.aside)).toBe(false);
  });

  it("has no critical path if an event started nothing", async () => {
    const app = memoryApp().event("alone");
    const picture = await familyPicture(app.opened, "event", "alone", USUAL);
    expect([picture.path_of, picture.critical_path]).toEqual([null, null]);
    expect(picture.rows).toMatchObject([{ kind: "event", id: "alone", invocation: null, stretches: [] }]);
    expect(picture.rows[0]?.marks).toMatchObject([{ id: "alone", label: "order.created", focus: true }]);
  });

  it("shows what each invocation did, attempt by attempt, and how it ended", async () => {
    const app = memoryApp({ now: at(50) })
      .runner("r2")
      .invocation("one", {
        history: [
          [at(0), "registered"],
          [at(2), "pending", "r1"],
          [at(3), "running", "r1"],
          [at(5), "retry", "r1"],
          [at(8), "pending", "r2"],
          [at(9), "running", "r2"],
        ],
      });
    const { rows, ongoing, to } = await familyPicture(app.opened, "invocation", "one", USUAL);
    expect(rows[0]?.stretches.map((one) => [one.phase, one.duration_seconds, one.attempt, one.next_status])).toEqual([
      ["queued", 2, 1, "pending"],
      ["pending", 1, 1, "running"],
      ["running", 2, 1, "retry"],
      ["queued", 3, 2, "pending"],
      ["pending", 1, 2, "running"],
      ["running", 41, 2, null],
    ]);
    expect(rows[0]?.stretches.map((one) => one.runner_id)).toEqual([null, "r1", "r1", null, "r2", "r2"]);
    expect([ongoing, to, rows[0]?.stretches.at(-1)?.ongoing]).toEqual([true, "2026-01-05T12:00:50.000000+00:00", true]);
  });

  it("keeps ancestors and descendants of the focus when it is cut, and is marked as truncated", async () => {
    const app = memoryApp().invocation("top").invocation("focus", { parent: "top" });
    app.invocation("below", { parent: "focus" });
    for (let n = 0; n < 20; n++) app.invocation(`sibling${n}`, { parent: "top" });
    const picture = await familyPicture(app.opened, "invocation", "focus", { limit: 5, expand: [] });
    const ids = picture.rows.map((row) => row.id);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual(expect.arrayContaining(["top", "focus", "below"]));
    expect([picture.truncated, picture.limit]).toEqual([true, 5]);
    expect((await familyPicture(app.opened, "invocation", "focus", { limit: 23, expand: [] })).truncated).toBe(false);
  });

  it("leaves room for descendants if there are many ancestors", async () => {
    const app = memoryApp().invocation("i0");
    for (let n = 1; n < 30; n++) app.invocation(`i${n}`, { parent: `i${n - 1}` });
    const picture = await familyPicture(app.opened, "invocation", "i15", { limit: 10, expand: [] });
    const numbers = picture.rows.map((row) => Number(row.id.slice(1)));
    expect(numbers).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(picture.truncated).toBe(true);
  });

  it("shows an invocation with two causes below one of them, and the other as another cause", async () => {
    const app = memoryApp()
      .invocation("a")
      .invocation("b")
      .invocation("both")
      .triggerRun("run", {
        triggered_invocation_id: "both",
        participants: [{ source_invocation_id: "a" }, { source_invocation_id: "b" }],
      });
    const { rows, others, edges } = await familyPicture(app.opened, "invocation", "both", USUAL);
    expect(rows.map((row) => row.id)).toEqual(["a", "both"]);
    expect(others).toMatchObject([{ kind: "invocation", id: "b", invocations: 1, complete: true }]);
    expect(edges.map(({ from, to }) => `${from}>${to}`).sort()).toEqual(["a>run", "run>both"]);
    expect(rows.flatMap((row) => row.marks.map((mark) => [row.id, mark.id]))).toEqual([["both", "run"]]);
  });

  it("marks events and trigger runs that started nothing where they came from, in the order of time", async () => {
    const app = memoryApp()
      .invocation("emitter")
      .event("late", { timestamp: at(9), emitted_by_invocation_id: "emitter" })
      .event("early", { timestamp: at(2), emitted_by_invocation_id: "emitter" })
      .triggerRun("run", {
        claimed_at: null,
        executed_at: at(5),
        triggered_invocation_id: null,
        participants: [{ event_id: "early" }],
      })
      .event("direct", { timestamp: at(3), emitted_by_invocation_id: "emitter" })
      .invocation("started", { event: "direct" });
    const { rows } = await familyPicture(app.opened, "invocation", "emitter", USUAL);
    expect(rows.map((row) => [row.id, row.by, row.marks.map((mark) => mark.id)])).toEqual([
      ["emitter", [], ["early", "direct", "run", "late"]],
      ["started", ["emit", "parent_event"], []],
    ]);
  });

  it("has a note with the number of invocations whose history was not read", async () => {
    const app = memoryApp({ now: at(9_999) }).invocation("top");
    for (let n = 0; n < 11; n++) {
      const history = Array.from({ length: 1_000 }, (_, i) => [at(i), i % 2 === 0 ? "registered" : "pending"] as const);
      app.invocation(`i${n}`, { parent: "top", history });
    }
    const { rows, notes } = await familyPicture(app.opened, "invocation", "top", USUAL);
    const unread = rows.filter((row) => row.stretches.length === 0);
    expect(rows).toHaveLength(12);
    expect(unread.length).toBeGreaterThan(0);
    expect(unread.length).toBeLessThan(12);
    expect(notes).toEqual([
      expect.stringMatching(`^The phases of ${unread.length} invocations? are not drawn: the histories are too long`),
    ]);
  });

  it("says where more ancestors are, and what is left out of what each led to", async () => {
    const app = memoryApp().invocation("i0");
    for (let n = 1; n < 30; n++) app.invocation(`i${n}`, { parent: `i${n - 1}` });
    const given = { limit: 10, expand: [] };
    const { above_id, rows } = await familyPicture(app.opened, "invocation", "i15", given);
    expect(above_id).toBe("i10");
    const lacking = rows.filter((row) => row.effects_left_out > 0);
    expect(lacking.map((row) => [row.id, row.effects_left_out, row.effects_counted])).toEqual([["i20", 1, true]]);
    const drawn = familyGeometry(await familyPicture(app.opened, "invocation", "i15", given)).rows;
    expect(drawn.filter(({ more }) => more).map(({ row }) => row.id)).toEqual(["i20"]);
    const more = await familyPicture(app.opened, "invocation", "i15", { limit: 10, expand: ["i20"] });
    expect([more.rows.at(-1)?.id, more.truncated, more.expand]).toEqual(["i29", true, ["i20"]]);
    const below = await familyPicture(app.opened, "invocation", "i0", { limit: 10, expand: ["i9"] });
    expect([below.rows.length, below.truncated]).toEqual([30, false]);
  });

  it("has room for what is left out below all that its row led to", async () => {
    const app = memoryApp().invocation("top");
    for (let n = 0; n < 3; n++) app.invocation(`child${n}`, { parent: "top", history: [[at(n), "registered"]] });
    app.invocation("last", { parent: "child1", history: [[at(9), "registered"]] });
    const picture = await familyPicture(app.opened, "invocation", "last", { limit: 6, expand: [] });
    const [top] = picture.rows;
    if (top !== undefined) top.effects_left_out = 4;
    const places = familyGeometry(picture).rows.map(({ row, more, y }) => [row.id, more, y]);
    expect(places.map(([id, more]) => [id, more])).toEqual([
      ...["top", "child0", "child1", "last", "child2"].map((id) => [id, false]),
      ["top", true],
    ]);
    expect(new Set(places.map(([, , y]) => y)).size).toBe(6);
  });

  it("has a note on unknown ids to expand, and joins an id that contains commas", async () => {
    const app = memoryApp().invocation("root").invocation("a,b", { parent: "root" });
    const shown = async (...expand: string[]) => {
      const { expand: expanded, notes } = await familyPicture(app.opened, "invocation", "root", { limit: 9, expand });
      return [expanded, notes];
    };
    expect(await shown("a", "b")).toEqual([["a,b"], []]);
    expect(await shown("x", "a", "b")).toEqual([["a,b"], [expect.stringMatching(/^One id to expand/)]]);
    expect(await shown("x", "y")).toEqual([[], [expect.stringMatching(/^2 ids to expand/)]]);
  });

  it("can be expanded forty times", async () => {
    const app = memoryApp().invocation("root");
    const can = async (times: number) => {
      const expand = Array.from({ length: times }, () => "root");
      return (await familyPicture(app.opened, "invocation", "root", { limit: 9, expand })).can_expand;
    };
    expect([await can(39), await can(40)]).toEqual([true, false]);
    expect(() => parseFamilyInput({ expand: [Array(41).fill("root").join(",")] })).toThrow("expand");
  });

  it("has a missing parent as a row without facts, and a note on how many are missing", async () => {
    const { rows, notes } = await familyPicture(
      memoryApp().invocation("orphan", { parent: "gone" }).opened,
      "invocation",
      "orphan",
      USUAL,
    );
    expect(rows.map((row) => [row.id, row.invocation === null])).toEqual([
      ["gone", true],
      ["orphan", false],
    ]);
    expect(notes).toEqual(["One invocation is referred to but not stored."]);
  });

  it("shows invocations that name each other as parents once each, with a note", async () => {
    const app = memoryApp().invocation("a", { parent: "b" }).invocation("b", { parent: "a" });
    const { rows, notes } = await familyPicture(app.opened, "invocation", "a", USUAL);
    expect(rows.map((row) => row.id)).toEqual(["a", "b"]);
    expect(notes).toEqual([expect.stringMatching(/name each other/)]);
  });

  it("fails with not found for an unknown id, and is null on the page of something else", async () => {
    const { opened } = memoryApp();
    await expect(familyPicture(opened, null, "nobody", USUAL)).rejects.toThrow(NotFoundError);
    expect(await familyPictureOrNull(opened, "invocation", "nobody")).toBeNull();
  });
});
