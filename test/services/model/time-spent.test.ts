/** What is read for a critical path, and within which bounds. The path itself is in critical-path.test.ts. */
import { describe, expect, it } from "vitest";
import type { CriticalPath } from "../../../src/api/model/critical-path.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { timeSpent } from "../../../src/services/model/time-spent.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const steps = (...all: [status: string, duration_seconds: number, runner?: string][]): Step[] =>
  all.map(([status, seconds, runner]) =>
    runner === undefined ? [at(seconds), status] : [at(seconds), status, runner],
  );

const PARENT = steps(
  ["registered", 0],
  ["pending", 1],
  ["running", 2],
  ["paused", 10],
  ["running", 30],
  ["success", 33],
);
const CHILD = steps(["registered", 5], ["pending", 12, "r2"], ["running", 14, "r2"], ["failed", 29, "r2"]);

const spent = (app: MemoryApp, id = "a") =>
  app.store.read((reads) => timeSpent(reads, id, { now: app.now, deadBefore: null }));

async function pathOf(app: MemoryApp, id = "a"): Promise<CriticalPath> {
  const found = await spent(app, id);
  if (found === null) throw new Error("no path");
  return found.critical_path;
}

const told = ({ segments }: CriticalPath) =>
  segments.map(({ invocation_id, phase, duration_seconds: seconds }) => `${invocation_id} ${phase} ${seconds}`);

describe("the critical path of an invocation", () => {
  const app = () =>
    memoryApp()
      .invocation("a", { history: PARENT })
      .invocation("b", { history: CHILD, parent: "a", task: "shop.pack" });

  it("goes through the child that it was paused for", async () => {
    const path = await pathOf(app());
    expect(told(path)).toEqual([
      "a queued 1",
      "a pending 1",
      "a running 8",
      "b queued 2",
      "b pending 2",
      "b running 15",
      "a paused 1",
      "a running 3",
    ]);
    expect(path.segments[5]).toMatchObject({
      from: "2026-01-05T12:00:14.000000+00:00",
      to: "2026-01-05T12:00:29.000000+00:00",
      microseconds: 15_000_000,
      task_id_key: "shop.pack",
      attempt: 1,
      runner_id: "r2",
      waits_for: null,
      waited_by: "a",
      link: "pause",
    });
    expect(path.segments[6]).toMatchObject({ waits_for: "b", waited_by: null, link: null, runner_id: "r1" });
    expect(path).toMatchObject({
      duration_seconds: 33,
      microseconds: 33_000_000,
      ongoing: false,
      complete: true,
      notes: [],
    });
    expect(path.shares.slice(0, 2)).toEqual([
      expect.objectContaining({ invocation_id: "b", phase: "running", duration_seconds: 15, segments: 1 }),
      expect.objectContaining({ invocation_id: "a", phase: "running", duration_seconds: 11, segments: 2 }),
    ]);
    expect((await spent(app()))?.phases.map(({ phase, duration_seconds: seconds }) => [phase, seconds])).toEqual([
      ["queued", 1],
      ["pending", 1],
      ["running", 11],
      ["paused", 20],
    ]);
  });

  it("is part of the invocation's detail, and as long as its elapsed time", async () => {
    const { critical_path, duration_seconds } = await invocationDetail(app().opened, "a");
    expect(critical_path?.microseconds).toBe((duration_seconds ?? 0) * 1e6);
  });

  it("continues until now through a recorded wait, even for an invocation that it did not call", async () => {
    const waiting = memoryApp({ now: at(60) })
      .invocation("a", { history: PARENT.slice(0, 4) })
      .invocation("b", { history: steps(["registered", 1], ["pending", 3], ["running", 20]) })
      .edge("a", "b");
    const path = await pathOf(waiting);
    expect(told(path)).toEqual(["a queued 1", "a pending 1", "a running 8", "b pending 10", "b running 40"]);
    expect([path.ongoing, path.segments.at(-1)?.link]).toEqual([true, "edge"]);
  });

  it("ends with the last history entry if the orchestrator has purged the invocation", async () => {
    const forgotten = memoryApp().invocation("a", { history: PARENT.slice(0, 4), status: null });
    expect(told(await pathOf(forgotten))).toEqual(["a queued 1", "a pending 1", "a running 8"]);
  });

  it("is unknown without a history, and in part if a history is too long", async () => {
    expect(await spent(memoryApp())).toBeNull();
    const long = steps(
      ["registered", 0],
      ...Array.from({ length: 2_100 }, (_, n): [string, number] => ["running", n + 1]),
    );
    expect(await spent(memoryApp().invocation("a", { history: long }))).toBeNull();
    const below = app().change((rows) => {
      const entry = rows.history.find((one) => one.invocation_id === "b");
      if (entry !== undefined)
        for (let n = 1; n <= 2_100; n++) rows.history.push({ ...entry, written_at: entry.written_at + n / 1e5 });
      rows.history.sort((a, b) => a.written_at - b.written_at);
    });
    const path = await pathOf(below);
    expect(told(path)[3]).toBe("b not_known 19");
    expect(path.segments[3]?.task_id_key).toBe("shop.pack");
    expect([path.complete, path.notes.length]).toEqual([false, 1]);
  });

  it("is read level by level, with the same number of reads for any number of members, up to a limit", async () => {
    const cost = async (levels: number, wide: number) => {
      const family = memoryApp({ now: at(9_999) });
      for (let level = 0; level <= levels; level++) {
        const [from, to] = [level, 1_000 - level];
        const life = steps(["registered", from], ["pending", from + 0.1], ["running", from + 0.2], ["success", to]);
        family.invocation(`i${level}`, level === 0 ? { history: life } : { history: life, parent: `i${level - 1}` });
      }
      for (let n = 0; n < wide; n++) {
        const life = steps(["registered", 2 + n], ["pending", 2.1 + n], ["running", 2.2 + n], ["success", 3 + n]);
        family.invocation(`w${n}`, { history: life, parent: "i0" });
      }
      const counted = counting(family.store);
      const { store } = openedApp(counted.store, family.opened.settings, () => family.now);
      const found = await store.read((reads) => timeSpent(reads, "i0", { now: family.now, deadBefore: null }));
      return { calls: counted.calls(), path: found?.critical_path };
    };
    const [narrow, wide] = [await cost(0, 1), await cost(0, 60)];
    expect(wide.calls).toBe(narrow.calls);
    expect(wide.path?.segments.length).toBeGreaterThan(180);
    const deep = await cost(30, 0);
    expect(deep.calls).toBeLessThanOrEqual(16 * 5 + 1);
    expect(deep.path?.complete).toBe(false);
    expect(deep.path?.segments.reduce((sum, one) => sum + one.microseconds, 0)).toBe(1_000_000_000);
    const uncounted = await cost(0, 2_100);
    expect(uncounted.path?.notes.at(-1)).toContain("Not all children");
    const many = await cost(0, 150);
    expect(many.path?.notes).toHaveLength(1);
    expect(many.path?.complete).toBe(false);
    expect(many.path?.segments.filter((one) => one.phase === "not_known")).toHaveLength(50);
  });
});
