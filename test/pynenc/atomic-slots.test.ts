/** Slots of the atomic service, by worked examples of storage-format.md 6.2 and by properties over generated settings. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRunners, type SlotRules, type SlotRunner, slotPlan } from "../../src/pynenc/atomic-slots.ts";
import { cases } from "../support/cases.ts";

const DEFAULTS: SlotRules = {
  interval_seconds: 300,
  spread_seconds: 60,
  stabilization_seconds: 0,
  max_start_fraction: 0.5,
  version: "0.2.4",
};

/** A cycle of 300 s begins here. */
const CYCLE = 1_795_221_300;

/** Runners `a`, `b` ... in the order of their slots. */
function runners(count: number): SlotRunner[] {
  return Array.from({ length: count }, (_, index) => ({
    runner_id: String.fromCharCode(97 + index),
    creation_timestamp: CYCLE - 10_000 + index,
  }));
}

function reasons(seconds: number, count: number, changes: Partial<SlotRules> = {}): string[] {
  return slotPlan(CYCLE + seconds, { ...DEFAULTS, ...changes }, runners(count)).runners.map((one) => one.reason);
}

describe("the slot plan of the atomic service", () => {
  it("divides the cycle in the order of first heartbeats, then of ids, each slot with its margin", () => {
    const same = { creation_timestamp: CYCLE - 5 };
    const plan = slotPlan(CYCLE + 10, DEFAULTS, [
      { runner_id: "y", ...same },
      { runner_id: "x", ...same },
      { runner_id: "z", creation_timestamp: CYCLE - 99 },
    ]);
    expect(plan.cycle).toEqual({ start: CYCLE, end: CYCLE + 300 });
    expect(plan.slot_seconds).toBe(100);
    expect(plan.runners.map(({ runner_id, slot, window }) => [runner_id, slot, window])).toEqual([
      ["z", { start: CYCLE, end: CYCLE + 100 }, { start: CYCLE, end: CYCLE + 40 }],
      ["x", { start: CYCLE + 100, end: CYCLE + 200 }, { start: CYCLE + 100, end: CYCLE + 140 }],
      ["y", { start: CYCLE + 200, end: CYCLE + 300 }, { start: CYCLE + 200, end: CYCLE + 240 }],
    ]);
    expect(plan.owner?.runner_id).toBe("z");
  });

  it("gives a single runner the whole cycle, margin or not", () => {
    expect(slotPlan(CYCLE + 1, DEFAULTS, runners(1)).runners[0]?.window).toEqual({ start: CYCLE, end: CYCLE + 300 });
    expect(reasons(149, 1)).toEqual(["assigned"]);
    expect(reasons(151, 1)).toEqual(["late_start"]);
    expect(reasons(299, 1, { max_start_fraction: 1 })).toEqual(["assigned"]);
    expect(reasons(299, 1, { max_start_fraction: 0 })).toEqual(["assigned"]);
  });

  it("has no slots and no owner without runners", () => {
    const plan = slotPlan(CYCLE, DEFAULTS, []);
    expect(plan).toMatchObject({ slot_seconds: null, runners: [], owner: null, every_window_invalid: false });
  });

  it.each([
    [0, ["assigned", "not_assigned_slot"]],
    [45, ["assigned", "not_assigned_slot"]],
    [45.5, ["late_start", "not_assigned_slot"]],
    [89.9, ["late_start", "not_assigned_slot"]],
    // The margin: nobody.
    [90, ["not_assigned_slot", "not_assigned_slot"]],
    [149, ["not_assigned_slot", "not_assigned_slot"]],
    [150, ["not_assigned_slot", "assigned"]],
    [299, ["not_assigned_slot", "not_assigned_slot"]],
  ])("of two runners is right %d s into the cycle", (seconds, expected) => {
    expect(reasons(seconds, 2)).toEqual(expected);
  });

  it("allows four runners with the default settings, and gives five no valid window", () => {
    expect(reasons(0, 4)[0]).toBe("assigned");
    expect(new Set(reasons(0, 5))).toEqual(new Set(["slot_window_invalid"]));
    expect(slotPlan(CYCLE, DEFAULTS, runners(5)).every_window_invalid).toBe(true);
    expect(maxRunners(DEFAULTS)).toBe(4);
  });

  it("halves a slot that the margin takes up before 0.2.4, without a grace period and a limit on late starts", () => {
    const old = { version: "0.2.3", stabilization_seconds: 1e9, max_start_fraction: 0.1 } as const;
    const plan = slotPlan(CYCLE + 29, { ...DEFAULTS, ...old }, runners(5));
    expect(plan.runners[0]).toMatchObject({
      reason: "assigned",
      in_grace: false,
      window: { start: CYCLE, end: CYCLE + 30 },
    });
    expect(plan.every_window_invalid).toBe(false);
    expect(maxRunners({ ...DEFAULTS, ...old })).toBeNull();
  });

  it("has a largest number of runners that is right despite rounding errors", () => {
    // 0.07 / 0.01 is slightly more than 7, and 0.07 / 7 is exactly the margin, which is too short.
    expect(maxRunners({ ...DEFAULTS, interval_seconds: 0.07, spread_seconds: 0.01 })).toBe(6);
  });

  it("keeps the slot of a young runner reserved, and gives every runner the reason", () => {
    const [old, young] = runners(2) as [SlotRunner, SlotRunner];
    const rules = { ...DEFAULTS, stabilization_seconds: 120 };
    const both = [old, { ...young, creation_timestamp: CYCLE + 100 }];
    expect(slotPlan(CYCLE + 160, rules, both).runners.map((one) => [one.in_grace, one.assigned, one.reason])).toEqual([
      [false, false, "scheduled_runner_in_grace"],
      [true, true, "scheduled_runner_in_grace"],
    ]);
    // It is not the young one's turn: nobody minds its age.
    expect(slotPlan(CYCLE + 10, rules, both).runners.map((one) => one.reason)).toEqual([
      "assigned",
      "not_assigned_slot",
    ]);
    // An invalid window is told before grace.
    expect(slotPlan(CYCLE + 160, { ...rules, spread_seconds: 200 }, both).runners[0]?.reason).toBe(
      "slot_window_invalid",
    );
  });
});

const anyRules = fc.record({
  interval_seconds: fc.integer({ min: 1, max: 100_000 }).map((n) => n / 10),
  spread_seconds: fc.integer({ min: 0, max: 20_000 }).map((n) => n / 10),
  stabilization_seconds: fc.constantFrom(0, 30, 600),
  max_start_fraction: fc.constantFrom(0, 0.1, 0.5, 1),
  version: fc.constantFrom("0.2.3" as const, "0.2.4" as const),
});
const anyRunners = fc
  .array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 40 })
  .map((ages) => ages.map((age, index) => ({ runner_id: `r${index}`, creation_timestamp: 1_795_221_300 - age })));
const anyNow = fc.integer({ min: 17_952_213_000, max: 17_952_299_000 }).map((n) => n / 10);

describe("the slot plan for any settings, runners and moment", () => {
  const holds = (check: (now: number, rules: SlotRules, plan: ReturnType<typeof slotPlan>) => void) =>
    fc.assert(
      fc.property(anyNow, anyRules, anyRunners, (now, rules, eligible) =>
        check(now, rules, slotPlan(now, rules, eligible)),
      ),
      // Always as many: few of them have an owner in grace, or a limit.
      { numRuns: 100 },
    );

  it("has slots that follow each other without gaps from the start of the cycle to its end", () => {
    holds((_now, _rules, { cycle, runners: slots }) => {
      if (slots.length === 0) return;
      expect(slots[0]?.slot.start).toBe(cycle.start);
      expect(slots.at(-1)?.slot.end).toBe(cycle.end);
      slots.forEach(({ slot }, index) => {
        expect(slot.end).toBeGreaterThan(slot.start);
        if (index > 0) expect(slot.start).toBe(slots[index - 1]?.slot.end);
      });
    });
  });

  it("has windows inside their slots, in a cycle around the present", () => {
    holds((now, rules, { cycle, runners: slots }) => {
      expect(now - cycle.start).toBeGreaterThanOrEqual(-1e-6);
      expect(now - cycle.start).toBeLessThan(rules.interval_seconds + 1e-6);
      for (const { slot, window } of slots) {
        if (window === null) continue;
        expect(window.start).toBeGreaterThanOrEqual(slot.start);
        expect(window.end).toBeLessThanOrEqual(slot.end);
      }
    });
  });

  it("has exactly one owner, and only the owner may start", () => {
    holds((_now, _rules, { owner, runners: slots }) => {
      expect(slots.filter((one) => one.assigned)).toEqual(owner === null ? [] : [owner]);
      expect(owner === null).toBe(slots.length === 0);
      for (const one of slots) if (one.reason === "assigned") expect(one).toBe(owner);
    });
  });

  it("has no valid window if the margin is as long as a slot since 0.2.4, and all valid otherwise", () => {
    holds((_now, rules, { runners: slots, every_window_invalid }) => {
      const invalid =
        rules.version === "0.2.4" && slots.length > 1 && rules.interval_seconds / slots.length <= rules.spread_seconds;
      expect(every_window_invalid).toBe(invalid);
      expect(slots.filter((one) => one.reason === "slot_window_invalid")).toHaveLength(invalid ? slots.length : 0);
      const most = maxRunners(rules);
      if (slots.length > 1 && most !== null) expect(slots.length > most).toBe(invalid);
    });
  });

  it("has one owner at the edges of slots, despite rounding errors", () => {
    fc.assert(
      fc.property(anyRules, anyRunners, fc.nat(100), fc.nat(40), (rules, eligible, cycles, slot) => {
        const interval = rules.interval_seconds;
        const total = Math.max(1, eligible.length);
        const now = (Math.floor(CYCLE / interval) + cycles) * interval + (slot % total) * (interval / total);
        const { runners: slots, owner } = slotPlan(now, rules, eligible);
        expect(slots.filter((one) => one.assigned)).toHaveLength(eligible.length === 0 ? 0 : 1);
        for (const one of slots) if (one.reason === "assigned") expect(one).toBe(owner);
      }),
      { numRuns: cases(500) },
    );
  });

  it("lets no runner start while the owner is in its grace period, and none too late", () => {
    holds((now, rules, { owner, runners: slots }) => {
      if (owner?.in_grace) expect(slots.filter((one) => one.reason === "assigned")).toEqual([]);
      const limited = rules.version === "0.2.4" && rules.max_start_fraction > 0 && rules.max_start_fraction < 1;
      for (const { reason, window } of slots) {
        if (!limited || reason !== "assigned" || window === null) continue;
        expect((now - window.start) / (window.end - window.start)).toBeLessThanOrEqual(rules.max_start_fraction);
      }
    });
  });

  it("does not depend on the order in which runners are given", () => {
    fc.assert(
      fc.property(anyNow, anyRules, anyRunners, (now, rules, eligible) => {
        expect(slotPlan(now, rules, eligible.toReversed())).toEqual(slotPlan(now, rules, eligible));
      }),
    );
  });
});
