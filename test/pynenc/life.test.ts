/** The order and the phases of an invocation's history, also with clocks that disagree. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  endsOf,
  inOrder,
  lifeStretches,
  measuredSeconds,
  NO_SIGNS_OF_LIFE,
  phaseDurations,
  type SignsOfLife,
  type StatusStep,
  secondsIn,
  statusSteps,
  timed,
} from "../../src/pynenc/life.ts";
import type { InvocationStatusRecord } from "../../src/pynenc/records.ts";
import { FINAL_STATUSES, STATUSES } from "../../src/pynenc/statuses.ts";
import { canMove } from "../../src/pynenc/transitions.ts";

/** Entries in the order of insertion: status, time, writer. The owner is the writer of the last `pending`. */
function life(...given: [status: string, at: number, by?: string][]): StatusStep[] {
  let owner: string | null = null;
  return given.map(([status, timestamp, by = null]) => {
    if (status === "pending") owner = by;
    const held = ["pending", "running", "paused", "resumed"].includes(status);
    if (!held) owner = null;
    return { status, timestamp, status_runner_id: owner, runner_context_id: by };
  });
}

const words = (entries: readonly StatusStep[]) => entries.map(({ status }) => status).join(" ");

const parts = (entries: StatusStep[], now: number | null = null, signs: SignsOfLife = NO_SIGNS_OF_LIFE) =>
  lifeStretches(inOrder(entries), now, signs).map(({ phase, from, to, across_clocks }) =>
    [phase, from / 1e6, to / 1e6, ...(across_clocks ? ["across"] : [])].join(" "),
  );

/** A client registers at 90; the host of the runner is 90 s behind, so that it takes the call at 1 s. */
const SLOW = life(["registered", 90, "client"], ["pending", 1, "slow"], ["running", 2, "slow"], ["success", 7, "slow"]);

describe("the order of a history", () => {
  it("is that of insertion if clocks disagree, and ends with a final status", () => {
    expect(words(inOrder(SLOW))).toBe("registered pending running success");
  });

  it("is the possible one even if the entries are sorted by time", () => {
    const byTime = [...SLOW].sort((a, b) => a.timestamp - b.timestamp);
    expect(words(byTime)).toBe("pending running success registered");
    expect(words(inOrder(byTime))).toBe("registered pending running success");
  });

  it("is that of time if entries were inserted slightly late", () => {
    const late = life(["registered", 100], ["running", 103, "r"], ["pending", 102, "r"]);
    expect(words(inOrder(late))).toBe("registered pending running");
  });

  it("is that of insertion for two attempts, the second on a host with a slow clock", () => {
    const history = life(
      ["registered", 0, "client"],
      ["pending", 10, "a"],
      ["running", 11, "a"],
      ["retry", 20, "a"],
      ["pending", 13, "b"],
      ["running", 14, "b"],
      ["success", 15, "b"],
    );
    expect(inOrder(history).map(({ timestamp }) => timestamp)).toEqual([0, 10, 11, 20, 13, 14, 15]);
  });

  it("begins with the registration and ends with the final status even if an entry between them is missing", () => {
    const torn = SLOW.filter(({ status }) => status !== "pending");
    expect(words(inOrder(torn))).toBe("registered running success");
  });

  it("omits entries with impossible times", () => {
    expect(words(inOrder(life(["registered", 1], ["pending", Number.NaN], ["running", 253_402_300_000])))).toBe(
      "registered",
    );
  });

  it("is a sequence that pynenc can have written, for any life on any two clocks", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 12 }), fc.integer({ min: -200, max: 200 }), (choices, skew) => {
        const history: StatusStep[] = [{ status: "registered", timestamp: 1_000 }];
        for (const [n, choice] of choices.entries()) {
          const last = history.at(-1)?.status ?? "";
          const next = STATUSES.map(({ name }) => name).filter((name) => canMove(last, name));
          const status = next[choice % Math.max(1, next.length)];
          if (status === undefined) break;
          history.push({ status, timestamp: 1_001 + n + (choice % 2 === 0 ? skew : 0) });
        }
        const found = inOrder(history);
        expect(found.every(({ status }, n) => n === 0 || canMove(found[n - 1]?.status ?? "", status))).toBe(true);
        if (FINAL_STATUSES.includes(history.at(-1)?.status ?? "")) expect(found.at(-1)).toBe(history.at(-1));
      }),
    );
  });
});

describe("the ends of a history", () => {
  it("are the registration and the final status, whatever their times", () => {
    expect(endsOf(SLOW)).toMatchObject({ first: { status: "registered" }, last: { status: "success" } });
  });

  it("are the first and the latest entry, or the one inserted last if clocks disagree", () => {
    expect(endsOf(life(["registered", 0], ["running", 3, "r"], ["pending", 2.9, "r"]))?.last.status).toBe("running");
    expect(endsOf(life(["registered", 90], ["pending", 1, "r"], ["running", 2, "r"]))?.last.status).toBe("running");
    expect(endsOf([])).toBeNull();
  });
});

describe("the statuses of an invocation", () => {
  const now = (status: string, status_timestamp: number): InvocationStatusRecord => ({
    ...{ invocation_id: "i", task_id_key: "t.f", call_id_key: "t.f:no_args", status, status_timestamp },
    ...{ status_runner_id: null, retry_count: 0, auto_purge_timestamp: null },
  });
  const told = (status: InvocationStatusRecord | undefined, history: StatusStep[]) =>
    statusSteps(status, history).map((step) => `${step.status} ${step.timestamp}`);

  it("end with the orchestrator's status if its history entry is still missing", () => {
    const history = life(["registered", 100], ["pending", 102, "r"], ["running", 103, "r"]);
    expect(told(now("success", 107), history).at(-1)).toBe("success 107");
    expect(told(now("registered", 100), [])).toEqual(["registered 100"]);
    // By a clock that is behind.
    expect(told(now("success", 7), SLOW.slice(0, 3)).at(-1)).toBe("success 7");
  });

  it("end with the history if the orchestrator was read earlier", () => {
    const history = life(["registered", 100], ["pending", 102, "r"], ["running", 103, "r"], ["success", 107, "r"]);
    expect(told(now("running", 103), history).at(-1)).toBe("success 107");
    expect(told(undefined, history.slice(0, 3)).at(-1)).toBe("running 103");
  });
});

describe("the phases of a life", () => {
  it("have attempts and owners", () => {
    const entries = life(
      ["registered", 0],
      ["pending", 1, "r1"],
      ["running", 2, "r1"],
      ["retry", 10],
      ["pending", 12, "r2"],
      ["running", 13, "r2"],
      ["success", 15],
    );
    const found = lifeStretches(entries, 99, NO_SIGNS_OF_LIFE);
    expect(found.map(({ phase, attempt, runner }) => [phase, attempt, runner])).toEqual([
      ["queued", 1, null],
      ["pending", 1, "r1"],
      ["running", 1, "r1"],
      ["queued", 2, null],
      ["pending", 2, "r2"],
      ["running", 2, "r2"],
    ]);
  });

  it("last until now while the status is not final, and end with the history if now is not given", () => {
    const entries = life(["registered", 0], ["pending", 5]);
    expect(parts(entries, 9)).toEqual(["queued 0 5", "pending 5 9"]);
    expect(parts(entries, 3)).toEqual(["queued 0 5", "pending 5 5 across"]);
    expect(parts(entries)).toEqual(["queued 0 5"]);
    expect(lifeStretches(entries, 9, NO_SIGNS_OF_LIFE).map((one) => one.ongoing)).toEqual([false, true]);
  });

  it("are not_known if an entry is missing or a status is unknown", () => {
    expect(parts(life(["registered", 0], ["running", 5], ["success", 9]))).toEqual(["not_known 0 5", "running 5 9"]);
    expect(parts(life(["registered", 0], ["pending", 1], ["hovering", 2]), 4).at(-1)).toBe("not_known 2 4");
    expect(parts(life(["pending", 0], ["running", 1], ["success", 2], ["running", 5], ["success", 6]))).toEqual([
      "pending 0 1",
      "running 1 2",
      "not_known 2 5",
      "running 5 6",
    ]);
  });

  it("have a duration if one clock measured them, and are marked if two disagreeing clocks did", () => {
    expect(parts(SLOW)).toEqual(["queued 90 90 across", "pending 90 91", "running 91 96"]);
    // Runs now: by the clock of the runner since 2 s, of which at least 89 s are its delay.
    expect(parts(SLOW.slice(0, 3), 94)).toEqual(["queued 90 90 across", "pending 90 91", "running 91 94 across"]);
    const taken = life(
      ["registered", 0, "client"],
      ["pending", 1, "r1"],
      ["running", 2, "r1"],
      ["running_recovery", 60, "r2"],
      ["rerouted", 61, "r2"],
      ["pending", 17, "slow"],
      ["running", 22, "slow"],
      ["success", 30, "slow"],
    );
    expect(parts(taken, null, { heard: new Map([["r1", 70]]), dead_before: null })).toEqual([
      "queued 0 1",
      "pending 1 2",
      "running 2 60",
      "waiting 60 61",
      "queued 61 61 across",
      "pending 61 66",
      "running 66 74",
    ]);
  });

  it("are measured by one clock if both runners are on one host", () => {
    const history = inOrder(SLOW);
    const hostOf = () => "box";
    // A single clock that was set back.
    expect(timed(history, hostOf).map(({ clock }) => clock)).toEqual(["box", "box", "box", "box"]);
    expect(lifeStretches(history, null, NO_SIGNS_OF_LIFE, hostOf).map((one) => one.across_clocks)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("are marked as across clocks if one of them is known to be ahead, even without a contradiction", () => {
    const fast = life(
      ["registered", 90, "client"],
      ["pending", 210, "fast"],
      ["running", 211, "fast"],
      ["success", 216, "fast"],
    );
    expect(parts(fast)).toEqual(["queued 90 210", "pending 210 211", "running 211 216"]);
    const signs = { ...NO_SIGNS_OF_LIFE, ahead: new Set(["fast"]) };
    expect(parts(fast, null, signs)).toEqual(["queued 90 210 across", "pending 210 211", "running 211 216"]);
    // Another runner of its host is ahead as well.
    const neighbour = { ...NO_SIGNS_OF_LIFE, ahead: new Set(["neighbour"]) };
    const hostOf = (runner: string) => (runner === "client" ? "right-box" : "fast-box");
    expect(lifeStretches(fast, null, neighbour, hostOf).map((one) => one.across_clocks)).toEqual([true, false, false]);
    const own = life(["registered", 200, "fast"], ["pending", 210, "fast"], ["running", 211, "fast"]);
    expect(parts(own.slice(0, 2), 215, signs)).toEqual(["queued 200 210", "pending 210 215"]);
  });

  it("are measured by the clock of the owner, whichever runner wrote the entry", () => {
    const told = SLOW.map((step) => (step.status === "success" ? { ...step, runner_context_id: "client" } : step));
    expect(parts(told).at(-1)).toBe("running 91 96");
  });

  it("have no gaps or overlaps, and none is ongoing after a final status, for any entries", () => {
    const all = [...STATUSES.map((status) => status.name), "resumed", "hovering"];
    const entry = fc.record({
      status: fc.constantFrom(...all),
      timestamp: fc.nat(40),
      status_runner_id: fc.constantFrom("a", "b", null),
    });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), fc.option(fc.nat(60)), (entries, now) => {
        const ordered = inOrder(entries);
        const found = lifeStretches(ordered, now, { heard: new Map([["a", 20]]), dead_before: 30 });
        for (const [n, one] of found.entries()) {
          expect(one.from).toBeLessThanOrEqual(one.to);
          if (n > 0) expect(one.from).toBe(found[n - 1]?.to);
        }
        const last = ordered.at(-1);
        if (last !== undefined && FINAL_STATUSES.includes(last.status)) {
          expect(found.filter(({ ongoing }) => ongoing)).toEqual([]);
        }
      }),
    );
  });
});

describe("time on a silent runner", () => {
  const RECOVERED = life(
    ["registered", 0, "client"],
    ["pending", 1, "a"],
    ["running", 2, "a"],
    ["running_recovery", 40, "b"],
    ["rerouted", 41, "b"],
    ["pending", 42, "b"],
    ["running", 43, "b"],
    ["success", 50, "b"],
  );
  const heard = (...given: [string, number][]): SignsOfLife => ({ heard: new Map(given), dead_before: null });

  it("begins at the last heartbeat and ends with the recovery", () => {
    const found = parts(RECOVERED, null, heard(["a", 8]));
    expect(found.slice(2, 4)).toEqual(["running 2 8", "dead_runner 8 40"]);
    expect(found.at(-1)).toBe("running 43 50");
  });

  it("begins with the status entry if that is the last sign of life", () => {
    expect(parts(RECOVERED, null, heard(["a", 1]))[2]).toBe("dead_runner 2 40");
  });

  it("is not_known if no heartbeat of the runner is stored", () => {
    expect(parts(RECOVERED)[2]).toBe("not_known 2 40");
  });

  it("does not exist if the runner sent a heartbeat after the recovery", () => {
    expect(parts(RECOVERED, null, heard(["a", 45]))[2]).toBe("running 2 40");
  });

  it("goes on until a recovery takes the invocation", () => {
    const signs = (last: [string, number][]) => ({ heard: new Map(last), dead_before: 30 });
    for (const status of ["running", "paused"]) {
      const held = [
        ...RECOVERED.slice(0, 3),
        ...(status === "paused" ? life(["pending", 3, "a"], ["paused", 3, "a"]).slice(1) : []),
      ];
      expect(parts(held, 60, signs([["a", 8]])).at(-1)).toBe("dead_runner 8 60");
      expect(parts(held, 60, signs([["a", 31]])).at(-1)).toMatch(new RegExp(`^${status} . 60$`));
      expect(parts(held, 60, signs([])).at(-1)).toMatch(/^not_known . 60$/);
      // Heartbeats are not stored at all.
      expect(parts(held, 60).at(-1)).toMatch(new RegExp(`^${status} . 60$`));
    }
  });

  it("is measured by the clock of the dead runner", () => {
    const slow = life(
      ["registered", 100, "client"],
      ["pending", 1, "a"],
      ["running", 2, "a"],
      ["running_recovery", 140, "b"],
    );
    expect(parts(slow, 141, heard(["a", 8]))).toEqual([
      "queued 100 100 across",
      "pending 100 101",
      "running 101 107 across",
      "dead_runner 107 140 across",
      "waiting 140 141",
    ]);
  });
});

describe("the total time in each phase", () => {
  it("is summed over a plain life", () => {
    const plain = life(["registered", 10], ["pending", 12, "r"], ["running", 13, "r"], ["success", 18, "r"]);
    expect(phaseDurations(lifeStretches(plain, 100, NO_SIGNS_OF_LIFE))).toEqual([
      { phase: "queued", duration_seconds: 2, stretches: 1, ongoing: false },
      { phase: "pending", duration_seconds: 1, stretches: 1, ongoing: false },
      { phase: "running", duration_seconds: 5, stretches: 1, ongoing: false },
    ]);
  });

  it("counts two runs separately, without the time between them", () => {
    const history = life(
      ...([
        ["registered", 0],
        ["pending", 1, "r"],
        ["running", 2, "r"],
        ["retry", 10, "r"],
        ["pending", 12, "r"],
        ["running", 13, "r"],
        ["success", 15, "r"],
      ] as [string, number, string?][]),
    );
    const stretches = lifeStretches(history, 100, NO_SIGNS_OF_LIFE);
    expect(phaseDurations(stretches).find(({ phase }) => phase === "running")).toEqual({
      ...{ phase: "running", duration_seconds: 10, stretches: 2, ongoing: false },
    });
    expect(secondsIn(stretches, ["queued", "pending"])).toBe(5);
  });

  it("is unknown if a part of it was measured by two clocks or may belong to an unknown phase", () => {
    const slow = lifeStretches(SLOW, null, NO_SIGNS_OF_LIFE);
    expect(secondsIn(slow, ["queued", "pending"])).toBeNull();
    expect(secondsIn(slow, ["running"])).toBe(5);
    expect(measuredSeconds(slow)).toBe(6);
    expect(phaseDurations(slow)[0]).toEqual({
      ...{ phase: "queued", duration_seconds: 0, stretches: 1, ongoing: false, across_clocks: true },
    });
    const torn = lifeStretches(
      life(["registered", 0], ["running", 5, "r"], ["success", 9, "r"]),
      null,
      NO_SIGNS_OF_LIFE,
    );
    expect(secondsIn(torn, ["queued", "pending"])).toBeNull();
    expect(secondsIn(torn, ["running"])).toBe(4);
  });
});
