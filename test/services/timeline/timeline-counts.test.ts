/** The timeline as counts. */
import { describe, expect, it } from "vitest";
import { TimelineInCounts } from "../../../src/api/timeline.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { timelineCounts } from "../../../src/services/timeline/timeline-counts.ts";
import { differences } from "../../support/answers.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

/** Each runs for a second on its runner, and every third one fails. */
function shop(count: number): MemoryApp {
  const app = memoryApp({ now: at(2_400) })
    .runner("r1", { last: at(2_400) })
    .runner("r2", { last: at(2_400) });
  return app.invocations(count, (n) => {
    const [begin, runner] = [at((n * 2_400) / count), n % 2 === 0 ? "r1" : "r2"];
    const history: Step[] = [
      [begin, "registered"],
      [begin + 0.1, "pending", runner],
      [begin + 0.2, "running", runner],
      [begin + 1.2, n % 3 === 0 ? "failed" : "success", runner],
    ];
    return { task: n % 4 === 0 ? "shop.pay" : "shop.mail", history };
  });
}

async function counts(app: MemoryApp, raw: Record<string, string>) {
  const given = Object.entries(raw).map(([name, value]) => [name, [value]] as const);
  const found = await timelineCounts(app.opened, Object.fromEntries(given));
  expect(differences(TimelineInCounts, found)).toEqual([]);
  return found;
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const ALL = { from: isoFromEpoch(at(0)), to: isoFromEpoch(at(2_400)) };

describe("a timeline as counts", () => {
  it("counts every change of the window once, in slices, by status and by runner", async () => {
    const found = await counts(shop(60), ALL);
    expect(found.changes).toEqual({ registered: 60, pending: 60, running: 60, success: 40, failed: 20 });
    expect(found.totals.length).toBeLessThanOrEqual(25);
    expect([sum(found.totals), sum(found.failed)]).toEqual([240, 20]);
    expect(found.totals.length * found.slice_seconds).toBeGreaterThanOrEqual(2_400);
    const of = (id: string) => found.lanes.find(({ runner_id }) => runner_id === id);
    expect(of("r1")).toMatchObject({ task_id_key: null, changes: { pending: 30, running: 30 }, busy_seconds: 30 });
    expect(sum(of("r1")?.totals ?? [])).toBe(90);
    expect(sum(found.lanes.flatMap(({ totals }) => totals))).toBe(240);
    expect(found.invocations).toBe(60);
  });

  it("counts each of many runners apart, though a drawing has one lane for them, and by cause", async () => {
    const app = memoryApp({ now: at(2_400) });
    for (let n = 0; n < 45; n++) app.runner(`w${n}`);
    app.invocations(45, (n) => ({
      task: "shop.pay",
      history: [
        [at(n + 1), "running", `w${n}`],
        [at(n + 2), "success", `w${n}`],
      ],
    }));
    const { lanes } = await counts(app, ALL);
    expect(lanes.map(({ totals }) => sum(totals))).toEqual(Array.from({ length: 45 }, () => 2));
    const byCause = await counts(app, { ...ALL, group: "cause" });
    expect(byCause.lanes.map(({ task_id_key, totals }) => [task_id_key, sum(totals)])).toEqual([
      ["no cause stored", 90],
    ]);
  });

  it("counts by task, and only what a filter finds, however many these are", async () => {
    const byTask = await counts(shop(60), { ...ALL, group: "task" });
    expect(byTask.lanes.map(({ task_id_key, runner_id, totals }) => [task_id_key, runner_id, sum(totals)])).toEqual([
      ["shop.mail", null, 180],
      ["shop.pay", null, 60],
    ]);
    const filtered = await counts(shop(2_000), { ...ALL, task_id: "shop.pay" });
    expect(filtered.changes).toMatchObject({ registered: 500 });
    expect(filtered.notes.join()).not.toContain("Narrow the window");
  });

  it("counts nothing later than an instant of the past", async () => {
    const found = await counts(shop(60), { ...ALL, at: isoFromEpoch(at(1_199)) });
    expect([found.at, found.changes.registered]).toEqual([isoFromEpoch(at(1_199)), 30]);
    expect(sum(found.totals)).toBe(sum(Object.values(found.changes)));
  });

  it("is empty where nothing changed, and says where something did", async () => {
    const found = await counts(shop(60), { from: isoFromEpoch(at(-9_000)), to: isoFromEpoch(at(-8_000)) });
    expect([found.totals, found.lanes, found.changes]).toEqual([[], [], {}]);
    expect(found.data_span?.first).toBe(isoFromEpoch(at(0)));
  });
});
