/** When a verdict appears: once, until it has been gone for a while. */
import { describe, expect, test } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { currentVerdicts } from "../../../src/services/health/current-verdicts.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import { VerdictWatch } from "../../../src/services/health/verdict-watch.ts";
import { Appearances, verdictKey } from "../../../src/services/verdicts/appearances.ts";
import type { FoundVerdict } from "../../../src/services/verdicts/verdicts.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const STARTED = "2026-01-05T12:00:00.000000+00:00";

function verdict(code: FoundVerdict["code"], more: Partial<FoundVerdict> = {}): FoundVerdict {
  const evidence = [{ kind: "invocation" as const, id: "a", role: null }];
  const rest = { sentence: "", detail: "", since: null, evidence, count: 1, muted_until: null };
  return { code, severity: "error", ...rest, ...more };
}

const about = (kind: "task" | "queue" | "invocation", ...ids: string[]) => ({
  evidence: [...ids.map((id) => ({ kind, id, role: null })), { kind: "runner" as const, id: "r", role: null }],
});

/** What each look tells, by code. */
function looks(...all: readonly (readonly [at: number, verdicts: readonly FoundVerdict[], settled?: boolean])[]) {
  const appearances = new Appearances(STARTED);
  return all.map(([now, found, settled = true]) => appearances.look(found, now, settled).map(({ code }) => code));
}

describe("a verdict's key", () => {
  test("consists of its code and its tasks or queues in any order", () => {
    const key = (code: FoundVerdict["code"], more: Partial<FoundVerdict>) => verdictKey(verdict(code, more));
    expect(key("stuck_pending", about("invocation", "a"))).toBe(key("stuck_pending", about("invocation", "b", "c")));
    expect(key("stuck_pending", {})).not.toBe(key("wait_cycle", {}));
    expect(key("queue_grows", about("queue", "a", "b"))).toBe(key("queue_grows", about("queue", "b", "a")));
    expect(key("queue_grows", about("queue", "a"))).not.toBe(key("queue_grows", about("queue", "a", "b")));
    expect(key("failure_rate_up", about("task", "a"))).not.toBe(key("failure_rate_up", about("task", "b")));
    expect(key("no_recovery", { evidence: [] })).toBe("no_recovery");
  });
});

describe("the appearance of a verdict", () => {
  const stuck = verdict("stuck_pending");
  const cycle = verdict("wait_cycle");

  test("is reported once, and not for verdicts of the first look", () => {
    expect(looks([0, [stuck]], [10, [stuck, cycle]], [20, [cycle, stuck]])).toEqual([[], ["wait_cycle"], []]);
  });

  test("is reported again if the verdict was absent for a minute, not for a single look", () => {
    expect(looks([0, []], [10, [stuck]], [20, []], [30, [stuck]], [89, []], [90, [stuck]])).toEqual([
      [],
      ["stuck_pending"],
      [],
      [],
      [],
      ["stuck_pending"],
    ]);
    expect(looks([0, [stuck]], [59, [stuck]], [118, [stuck]])).toEqual([[], [], []]);
    expect(looks([0, [stuck]], [60, [stuck]])).toEqual([[], ["stuck_pending"]]);
  });

  test("is not reported while the verdict is muted, and is reported when the mute ends", () => {
    const muted = verdict("stuck_pending", { muted_until: "2026-02-01T00:00:00.000000+00:00" });
    expect(looks([0, []], [10, [muted]], [20, [muted]], [30, [stuck]])).toEqual([[], [], [], ["stuck_pending"]]);
  });

  test("is not reported for an older verdict while the history that shows it is still being read", () => {
    const old = verdict("failure_rate_up", { since: "2026-01-05T11:00:00.000000+00:00", ...about("task", "a") });
    const fresh = verdict("failure_rate_up", { since: "2026-01-05T12:01:00.000000+00:00", ...about("task", "b") });
    const unknown = verdict("app_silent");
    const all = [old, fresh, unknown, stuck];
    expect(looks([0, [], false], [10, all, false], [20, all, true])).toEqual([
      [],
      ["failure_rate_up", "stuck_pending"],
      [],
    ]);
    expect(looks([0, [], false], [10, all, true])).toEqual([[], all.map(({ code }) => code)]);
  });
});

describe("a watch for verdicts", () => {
  function running(app: MemoryApp): MemoryApp {
    return app.runner("r1", { last: at(0) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "running", "r1"],
      ],
    });
  }

  function watched(app: OpenedApp) {
    const told: string[] = [];
    const defects: unknown[] = [];
    const watch = new VerdictWatch(app, {
      onAppeared: ({ code }) => told.push(code),
      onDefect: (error) => defects.push(error),
      every: 5,
    });
    return { watch, told, defects };
  }

  test("reports the errors and warnings that the status has", async () => {
    const app = running(memoryApp({ now: at(10) }));
    const { watch, told } = watched(app.opened);
    await watch.look();
    expect(told).toEqual([]);
    app.now = at(10_000);
    await watch.look();
    const { verdicts } = await statusReport(app.opened);
    expect((await currentVerdicts(app.opened)).verdicts).toEqual(verdicts);
    expect(told).toEqual(verdicts.filter(({ severity }) => severity !== "info").map(({ code }) => code));
    expect(told).toContain("running_on_dead_runner");
    await watch.look();
    expect(told).toHaveLength(new Set(told).size);
  });

  test("continues after an unreachable store, reports other errors, and ends when it is stopped", async () => {
    const app = running(memoryApp({ now: at(10) }));
    let fails: Error | null = new StoreUnreachableError("timeout", "It is away.");
    const read: OpenedApp["store"]["read"] = (fn) =>
      fails === null ? app.opened.store.read(fn) : Promise.reject(fails);
    const store = Object.create(app.opened.store, { read: { value: read } }) as OpenedApp["store"];
    const { watch, told, defects } = watched({ ...app.opened, store });
    const ended = watch.run();
    const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
    await pause();
    expect(defects).toEqual([]);
    fails = new Error("a defect");
    await pause();
    expect(defects.length).toBeGreaterThan(0);
    fails = null;
    await pause();
    app.now = at(10_000);
    await expect.poll(() => told).toContain("running_on_dead_runner");
    watch.stop();
    await ended;
  });
});
