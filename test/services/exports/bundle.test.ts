/** What goes into a bundle, and what is said to be left out. */
import { describe, expect, it } from "vitest";
import { bundledInvocation, objectContent, searchContent } from "../../../src/services/exports/bundle.ts";
import { logsAbout } from "../../../src/services/exports/bundle-logs.ts";
import { withoutValues } from "../../../src/services/exports/without-values.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const many = (count: number) =>
  memoryApp().invocations(count, (n) => ({ arguments: { order: `"O-${n}"` }, history: [[at(n), "registered"]] }));

describe("a bundle of a search", () => {
  it.each([
    [3, 3, 3, []],
    [20, 20, 20, []],
    [25, 25, 20, ["5 invocations of 25 are listed without their details."]],
    [200, 200, 20, ["180 invocations of 200 are listed without their details."]],
    [
      201,
      200,
      20,
      [
        "More than 200 invocations match: these are the newest.",
        "180 invocations of 200 are listed without their details.",
      ],
    ],
  ])("that finds %i lists %i and has details of %i", async (found, listed, told, left_out) => {
    const app = many(found);
    const content = await searchContent(app.opened, app.opened, NO_FILTER);
    expect([content.rows.length, content.ids.length, content.left_out]).toEqual([listed, told, left_out]);
    expect(content.ids[0]).toBe(`i${found - 1}`);
  });

  it("searches in values, and shows none if values are left out", async () => {
    const app = many(2);
    const { rows } = await searchContent(app.opened, withoutValues(app.opened), NO_FILTER);
    expect(rows.map((row) => row.arguments)).toEqual(["order=(left out)", "order=(left out)"]);
  });
});

describe("a bundle of one invocation or event", () => {
  it("has the verdict, details and family of an invocation", async () => {
    const app = memoryApp()
      .invocation("top", { history: [[at(0), "registered"]] })
      .invocation("below", { parent: "top", history: [[at(1), "failed"]] });
    expect(await objectContent(app.opened, "invocation", "top")).toEqual({
      why: null,
      rows: [],
      ids: ["top"],
      left_out: [],
    });
    const { why, detail, picture } = await bundledInvocation(app.opened, "below");
    expect([why.subject.id, detail.invocation_id, picture?.rows.map((row) => row.id)]).toEqual([
      "below",
      "below",
      ["top", "below"],
    ]);
  });

  it("has the verdict, causes and effects of an event", async () => {
    const app = memoryApp()
      .invocation("emitter")
      .event("e1", { emitted_by_invocation_id: "emitter" })
      .invocation("started", { event: "e1" });
    const content = await objectContent(app.opened, "event", "e1");
    expect(content.why?.subject).toMatchObject({ kind: "event", id: "e1" });
    expect([...content.ids].sort()).toEqual(["emitter", "started"]);
    expect(content.left_out).toEqual([]);
    for (let n = 0; n < 250; n++) app.invocation(`s${n}`, { event: "e1" });
    expect((await objectContent(app.opened, "event", "e1")).left_out[0]).toContain(
      "the nearest 200 causes and effects",
    );
  });
});

describe("log lines in a bundle", () => {
  const ID = "c991e525-0000-4000-8000-00000000cf9b";
  const OTHER = "c991e525-0000-4000-8000-00000000aaaa";
  const line = (text: string) => `2026-11-21 00:35:12.000+00:00 INFO pynenc ${text}\n`;
  async function* pieces(...texts: string[]) {
    yield* texts;
  }

  it("are those that name one of the invocations, wherever the log is split into pieces", async () => {
    const text = line(`invocation:${ID} one`) + line(`invocation:${OTHER} two`) + line(`got ${ID}\n  more`);
    const log = await logsAbout(new Set([ID]), "a.log", pieces(text.slice(0, 70), text.slice(70)));
    expect(log.found).toBe(2);
    expect(log.entries.map((entry) => [entry.line, entry.text.split("\n").length])).toEqual([
      [1, 1],
      [3, 2],
    ]);
  });

  it("are cut if they are too many or too long", async () => {
    const text = line(`invocation:${ID} ${"x".repeat(5_000)}`) + line(`invocation:${ID} more`).repeat(2_100);
    const log = await logsAbout(new Set([ID]), "a.log", pieces(text));
    expect([log.found, log.entries.length, log.entries[0]?.text.length]).toEqual([2_101, 2_000, 4_001]);
    expect(log.entries[0]?.text.endsWith("x…")).toBe(true);
  });
});
