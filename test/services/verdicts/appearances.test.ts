/** When a verdict appears, and when it ends: once each. */
import { describe, expect, test } from "vitest";
import type { AlarmRecord, KnownVerdict } from "../../../src/alarms/alarm-file.ts";
import { StoreUnreachableError } from "../../../src/errors.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { currentVerdicts } from "../../../src/services/health/current-verdicts.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import { type VerdictChange, verdictChanges } from "../../../src/services/health/verdict-changes.ts";
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

interface Looked {
  settled?: boolean;
  not_looked_at?: string[];
}

/** What each look reports, by code; a verdict that ended has a minus before it. */
function looks(...all: readonly (readonly [at: number, verdicts: readonly FoundVerdict[], more?: Looked])[]) {
  return looksAfter(null, ...all);
}

function looksAfter(
  recorded: KnownVerdict[] | null,
  ...all: readonly (readonly [at: number, verdicts: readonly FoundVerdict[], more?: Looked])[]
) {
  const appearances = new Appearances(STARTED, recorded);
  return all.map(([now, verdicts, { settled = true, not_looked_at = [] } = {}]) => {
    const { appeared, ended } = appearances.look({ verdicts, not_looked_at, at: now, settled });
    return [...appeared.map(({ code }) => code), ...ended.map(({ code }) => `-${code}`)];
  });
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
    expect(looks([0, []], [10, [stuck]], [20, []], [79, []], [79.9, [stuck]])).toEqual([
      [],
      ["stuck_pending"],
      [],
      [],
      [],
    ]);
    expect(looks([0, [stuck]], [20, []], [80, []], [90, [stuck]])).toEqual([
      [],
      [],
      ["-stuck_pending"],
      ["stuck_pending"],
    ]);
  });

  test("is not reported again after a time in which nothing could be checked", () => {
    expect(looks([0, [stuck]], [600, [stuck]], [1200, []], [1210, [stuck]])).toEqual([[], [], [], []]);
  });

  test("is reported after a restart only for verdicts that the record does not have", () => {
    const recorded = [{ key: "stuck_pending", verdict: stuck, not_looked_at: [] }];
    expect(looksAfter(recorded, [0, [stuck, cycle]], [10, [stuck, cycle]])).toEqual([["wait_cycle"], []]);
    expect(looksAfter([], [0, [stuck]])).toEqual([["stuck_pending"]]);
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
    expect(looks([0, [], { settled: false }], [10, all, { settled: false }], [20, all])).toEqual([
      [],
      ["failure_rate_up", "stuck_pending"],
      [],
    ]);
    expect(looks([0, [], { settled: false }], [10, all])).toEqual([[], all.map(({ code }) => code)]);
  });
});

describe("the end of a verdict", () => {
  const stuck = verdict("stuck_pending");

  test("is reported once, also for verdicts of the first look and of the record", () => {
    expect(looks([0, [stuck]], [10, []], [69, []], [70, []], [80, []])).toEqual([[], [], [], ["-stuck_pending"], []]);
    const recorded = [{ key: "stuck_pending", verdict: stuck, not_looked_at: [] }];
    expect(looksAfter(recorded, [0, []], [60, []])).toEqual([[], ["-stuck_pending"]]);
  });

  test("is reported for one task while another has the same verdict", () => {
    const [one, other] = ["a", "b"].map((task) => verdict("failure_rate_up", about("task", task)));
    if (one === undefined || other === undefined) throw new Error("two verdicts");
    expect(looks([0, [one, other]], [10, [other]], [70, [other]])).toEqual([[], [], ["-failure_rate_up"]]);
  });

  test("is not reported while something is not examined that was examined when the verdict was found", () => {
    const part = "the length of the queue: the queue cannot be reached";
    const lost = { not_looked_at: [part] };
    expect(looks([0, [stuck]], [10, [], lost], [100, [], lost], [110, []], [170, []])).toEqual([
      [],
      [],
      [],
      [],
      ["-stuck_pending"],
    ]);
    expect(looks([0, [stuck], lost], [10, [], lost], [70, [], lost])).toEqual([[], [], ["-stuck_pending"]]);
  });

  test("is not reported for a verdict that compares with history which is still being read", () => {
    const rate = verdict("failure_rate_up", about("task", "a"));
    const unsettled = { settled: false };
    const recorded = [{ key: verdictKey(rate), verdict: rate, not_looked_at: [] }];
    expect(looksAfter(recorded, [0, [], unsettled], [100, [], unsettled], [110, []], [170, []])).toEqual([
      [],
      [],
      [],
      ["-failure_rate_up"],
    ]);
  });

  test("is not reported for a verdict that is muted, names more tasks than before, or is explained by another", () => {
    const muted = verdict("stuck_pending", { muted_until: "2026-02-01T00:00:00.000000+00:00" });
    expect(looks([0, [stuck]], [10, [muted]], [80, [muted]], [90, []], [160, []])).toEqual([[], [], [], [], []]);
    const [one, both] = [about("task", "a"), about("task", "a", "b")].map((of) => verdict("failure_rate_up", of));
    if (one === undefined || both === undefined) throw new Error("two verdicts");
    expect(looks([0, [one]], [10, [both]], [80, [both]])).toEqual([[], ["failure_rate_up"], []]);
    const [old, grows] = [verdict("old_message", about("queue", "q")), verdict("queue_grows", about("queue", "q"))];
    expect(looks([0, [old]], [10, [grows]], [80, [grows]], [90, []], [150, []])).toEqual([
      [],
      ["queue_grows"],
      [],
      [],
      ["-old_message", "-queue_grows"],
    ]);
  });
});

describe("the checks for verdicts", () => {
  function running(app: MemoryApp): MemoryApp {
    return app.runner("r1", { last: at(0) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "running", "r1"],
      ],
    });
  }

  /** Checks one after the other: `next` runs one and returns its changes and notes. */
  function checking(app: OpenedApp, record: AlarmRecord | null = null) {
    const stop = new AbortController();
    const said: string[] = [];
    const reported: (VerdictChange | string)[] = [];
    const log = { warn: (words: string) => said.push(words), error: (words: string) => said.push(words) };
    let wake = () => {};
    let slept = () => {};
    const sleep = () => {
      slept();
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    };
    const asleep = () =>
      new Promise<void>((resolve) => {
        slept = resolve;
      });
    let checked = asleep();
    const changes = verdictChanges(
      app,
      { severities: ["error", "warning"], record, log },
      { sleep, stopped: stop.signal },
    );
    void (async () => {
      for await (const { rows, notes } of changes) reported.push(...rows, ...notes);
    })();
    const next = async () => {
      await checked;
      checked = asleep();
      wake();
      await checked;
      return reported.splice(0).map((one) => (typeof one === "string" ? one : `${one.change} ${one.verdict.code}`));
    };
    return { next, said, stop: () => stop.abort() };
  }

  test("report the errors and warnings that the status has", async () => {
    const app = running(memoryApp({ now: at(10) }));
    const { next, stop } = checking(app.opened);
    expect(await next()).toEqual([]);
    app.now = at(10_000);
    const told = await next();
    const { verdicts } = await statusReport(app.opened);
    expect((await currentVerdicts(app.opened)).verdicts).toEqual(verdicts);
    expect(told).toEqual(verdicts.filter(({ severity }) => severity !== "info").map(({ code }) => `appeared ${code}`));
    expect(told).toContain("appeared running_on_dead_runner");
    expect(await next()).toEqual([]);
    stop();
  });

  test("record what they know before it is reported, and go on without a record that cannot be written", async () => {
    const app = running(memoryApp({ now: at(10_000) }));
    let written: readonly KnownVerdict[] = [];
    const kept = checking(app.opened, {
      read: () => [],
      write: (known) => {
        written = known;
      },
    });
    const told = await kept.next();
    expect(told).toContain("appeared running_on_dead_runner");
    expect(written.map(({ verdict: { code } }) => `appeared ${code}`).sort()).toEqual([...told].sort());
    kept.stop();
    const again = checking(app.opened, { read: () => [...written], write: () => {} });
    expect(await again.next()).toEqual([]);
    again.stop();
    const lost = checking(app.opened, {
      read: () => null,
      write: () => {
        throw new Error("ENOSPC");
      },
    });
    await lost.next();
    await lost.next();
    expect(lost.said).toEqual(["A restart may report verdicts again: they cannot be recorded (ENOSPC)."]);
    lost.stop();
  });

  test("continue after an unreachable store, which is noted once, and after other errors, which are logged", async () => {
    const app = running(memoryApp({ now: at(10) }));
    let fails: Error | null = null;
    const read: OpenedApp["store"]["read"] = (fn) =>
      fails === null ? app.opened.store.read(fn) : Promise.reject(fails);
    const store = Object.create(app.opened.store, { read: { value: read } }) as OpenedApp["store"];
    const { next, said, stop } = checking({ ...app.opened, store });
    expect(await next()).toEqual([]);
    fails = new StoreUnreachableError("timeout", "It is away.");
    expect([await next(), await next()]).toEqual([["It is away."], []]);
    expect(said).toEqual([]);
    fails = new Error("a defect");
    expect(await next()).toEqual([]);
    expect(said).toEqual(["Checking for verdicts failed:"]);
    fails = null;
    app.now = at(10_000);
    expect(await next()).toContain("appeared running_on_dead_runner");
    stop();
  });
});
