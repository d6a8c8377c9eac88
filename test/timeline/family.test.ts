/** The geometry of a family timeline. */
import { describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import { familyPicture } from "../../src/services/causes/family-picture.ts";
import { familyGeometry } from "../../src/timeline/family.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

/** A parent of 100 seconds that calls one of 50 seconds and one of 2. */
function pictured(): Promise<FamilyPicture> {
  const app = memoryApp({ now: at(200) })
    .invocation("top", {
      history: [
        [at(0), "registered"],
        [at(5), "pending"],
        [at(10), "running"],
        [at(20), "paused"],
        [at(80), "resumed"],
        [at(100), "failed"],
      ],
    })
    .invocation("long", {
      parent: "top",
      history: [
        [at(20), "registered"],
        [at(25), "pending"],
        [at(25), "running"],
        [at(75), "success"],
      ],
    })
    .invocation("short", {
      parent: "top",
      history: [
        [at(90), "registered"],
        [at(91), "running"],
        [at(92), "success"],
      ],
    })
    .event("e", { timestamp: at(15), emitted_by_invocation_id: "top" });
  return familyPicture(app.opened, "invocation", "top", { limit: 10, expand: [] });
}

describe("a family picture", () => {
  it("has a row for each of up to ten children of one task, and one row for all others", async () => {
    const app = memoryApp({ now: at(200) }).invocation("top", { history: [[at(0), "registered"]] });
    const child = (id: string, task: string, start: number, status = "success") =>
      app.invocation(id, {
        task,
        parent: id === "below" ? "a20" : "top",
        history: [
          [at(start), "registered"],
          [at(start + 1), "running"],
          [at(start + 2), status],
        ],
      });
    for (let n = 0; n < 25; n++) child(`a${n}`, "shop.a", 10 + n, n === 24 ? "failed" : "success");
    for (let n = 0; n < 10; n++) child(`b${n}`, "shop.b", 50 + n);
    child("below", "shop.a", 70);
    const picture = await familyPicture(app.opened, "invocation", "a15", { limit: 100, expand: [] });
    const drawn = familyGeometry(picture);
    const folded = drawn.rows.flatMap((row) => (row.folded === null ? [] : [row])) ?? [];
    // Neither the one in focus nor one with children of its own is among them.
    expect(folded.map((row) => row.folded?.map(({ id }) => id))).toEqual([
      [...Array.from({ length: 15 }, (_, n) => `a${n + 10}`)].filter((id) => id !== "a15" && id !== "a20"),
    ]);
    expect(folded[0]?.bars.map((bar) => bar.status)).toContain("failed");
    expect(drawn.rows).toHaveLength(picture.rows.length - 12);
    // A line leads to each of them.
    expect(drawn.links.filter(({ y2 }) => y2 === folded[0]?.y)).toHaveLength(13);
  });

  it("has bars for the phases, in the colour of the outcome of a run", async () => {
    const drawn = familyGeometry(await pictured());
    const [top, long] = drawn.rows;
    expect(top?.bars.map((bar) => [bar.x, bar.width, bar.phase, bar.status])).toEqual([
      [0, 50, "queued", "registered"],
      [50, 50, "pending", "pending"],
      [100, 100, "running", "running"],
      [200, 600, "paused", "paused"],
      [800, 200, "running", "failed"],
    ]);
    expect(long?.bars.map((bar) => [bar.x, bar.width, bar.status])).toEqual([
      [200, 50, "registered"],
      [250, 500, "success"],
    ]);
    expect(top?.marks.map((mark) => [mark.id, mark.x])).toEqual([["e", 150]]);
    expect([drawn.now, drawn.breaks]).toEqual([null, []]);
  });

  it("has the text in a wide run, after a narrow one, or before one that ends too far right", async () => {
    const drawn = familyGeometry(await pictured());
    expect(drawn.rows.map((row) => row.words)).toEqual([
      // Neither of its runs is wide enough, and there is no room on either side: they go on the time that it was paused.
      { mode: "over", from: 200, to: 800 },
      { mode: "in", from: 250, to: 750 },
      { mode: "before", from: 0, to: 900 },
    ]);
  });

  it("has the critical path on the rows that it goes through, covering the whole time once", async () => {
    const drawn = familyGeometry(await pictured());
    expect(drawn.rows.map((row) => row.path.map(({ x, width }) => [x, x + width]))).toEqual([
      [
        [0, 200],
        [750, 1000],
      ],
      [[200, 750]],
      [],
    ]);
  });

  it("has links from the cause to the effect at the time of the effect", async () => {
    const drawn = familyGeometry(await pictured());
    const [top, long, short] = drawn.rows;
    expect(drawn.links).toEqual([
      { kind: "call", x1: 200, y1: top?.y, x2: 200, y2: long?.y },
      { kind: "call", x1: 900, y1: top?.y, x2: 900, y2: short?.y },
    ]);
  });

  it("marks members that are neither causes nor effects of the focus", async () => {
    const app = memoryApp()
      .invocation("top")
      .invocation("focus", { parent: "top" })
      .invocation("sibling", { parent: "top" })
      .invocation("nephew", { parent: "sibling" })
      .event("e", { timestamp: at(1), emitted_by_invocation_id: "focus" })
      .invocation("started", { event: "e" });
    const asides = async (kind: "invocation" | "event", id: string) =>
      familyGeometry(await familyPicture(app.opened, kind, id, { limit: 10, expand: [] }))?.rows.flatMap(
        ({ row, aside }) => (aside ? [row.id] : []),
      );
    expect(await asides("invocation", "focus")).toEqual(["sibling", "nephew"]);
    expect(await asides("event", "e")).toEqual(["sibling", "nephew"]);
    expect(await asides("invocation", "nephew")).toEqual(["focus", "started"]);
    expect(await asides("invocation", "top")).toEqual([]);
  });

  it("makes idle time narrow, but not waiting time", async () => {
    const lives = (from: number, to: number) =>
      [
        [at(from), "registered"],
        [at(from), "pending"],
        [at(from), "running"],
        [at(to), "success"],
      ] as const;
    const idle = memoryApp({ now: at(2_000) })
      .invocation("first", { history: lives(0, 10) })
      .invocation("second", { parent: "first", history: lives(1_000, 1_010) });
    const drawn = familyGeometry(await familyPicture(idle.opened, "invocation", "first", { limit: 10, expand: [] }));
    expect(drawn.breaks).toMatchObject([{ x: 480, width: 40, seconds: 990 }]);
    expect(drawn.rows.map((row) => row.bars.at(-1)?.width)).toEqual([480, 480]);
    idle.invocation("waits", {
      parent: "first",
      history: [
        [at(5), "registered"],
        [at(1_005), "concurrency_controlled"],
      ],
    });
    const waiting = familyGeometry(await familyPicture(idle.opened, "invocation", "first", { limit: 10, expand: [] }));
    expect(waiting?.breaks).toEqual([]);
    const bars = waiting?.rows.find(({ row }) => row.id === "waits")?.bars.map((bar) => [bar.phase, bar.status]);
    expect(bars).toEqual([
      ["queued", "registered"],
      ["waiting", "rerouted"],
    ]);
  });

  it("has names without bars or ticks if nothing has a time", async () => {
    const app = memoryApp().invocation("bare", { history: [], status: null });
    const { rows, ticks } = familyGeometry(
      await familyPicture(app.opened, "invocation", "bare", { limit: 5, expand: [] }),
    );
    expect([rows.map(({ row, bars, words }) => [row.id, bars, words]), ticks]).toEqual([[["bare", [], null]], []]);
  });
});
