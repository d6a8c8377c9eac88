/** Recorded service runs against assumed settings: only runs under other settings contradict them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inSlotOrder, type SlotRules, type SlotRunner, slotAt } from "../../src/pynenc/atomic-slots.ts";
import { type ServiceStart, slotEvidence } from "../../src/pynenc/slot-evidence.ts";
import { cases } from "../support/cases.ts";

const DEFAULTS: SlotRules = {
  interval_seconds: 300,
  spread_seconds: 60,
  stabilization_seconds: 0,
  max_start_fraction: 0.5,
  version: "0.2.4",
};
const ASSUMED = { rules: DEFAULTS, check_interval_seconds: 30 };

/** A cycle of 300 s begins here. */
const CYCLE = 1_795_221_300;

function members(count: number): SlotRunner[] {
  return Array.from({ length: count }, (_, i) => ({ runner_id: `r${i}`, creation_timestamp: CYCLE - 1000 + i }));
}

function at(runner_id: string, ...seconds: number[]): ServiceStart[] {
  return seconds.map((second) => ({ runner_id, start_time: CYCLE + second }));
}

/** Runs of an hour that runners with these rules and checks begin, each written down a moment later. */
function simulated(count: number, rules: SlotRules, check: number, writtenAfter: number): ServiceStart[] {
  const ordered = inSlotOrder(members(count));
  return ordered.flatMap(({ runner_id }, position) => {
    const checks = Array.from({ length: Math.floor(3600 / check) }, (_, n) => CYCLE + n * check + position * 0.7);
    return checks
      .filter((now) => slotAt(now, rules, ordered, position).reason === "assigned")
      .map((now) => ({ runner_id, start_time: now + writtenAfter }));
  });
}

describe("slotEvidence", () => {
  it("counts runs inside their slots as fitting, and ignores earlier runs and other runners", () => {
    const starts = [...at("r0", -500, 5, 35), ...at("r1", 151), ...at("stranger", 5)];
    expect(slotEvidence(starts, members(2), ASSUMED, CYCLE)).toEqual({
      compared: 3,
      outside: 0,
      shortest_repeat_seconds: 30,
      too_often: false,
      contradicted: false,
    });
  });

  it("is contradicted by a run in another runner's slot, in the margin, or too late in its own slot", () => {
    for (const start of [at("r0", 151), at("r0", 100), at("r0", 60), at("r1", 5)]) {
      expect(slotEvidence(start, members(2), ASSUMED, CYCLE)).toMatchObject({ outside: 1, contradicted: true });
    }
  });

  it("is contradicted by any run if the rules allow no runner to start", () => {
    expect(slotEvidence(at("r3", 190), members(5), ASSUMED, CYCLE)).toMatchObject({ compared: 1, contradicted: true });
    expect(slotEvidence([], members(5), ASSUMED, CYCLE)).toMatchObject({ compared: 0, contradicted: false });
  });

  it("is contradicted by a runner that runs again before its next check, however long ago", () => {
    const often = slotEvidence(at("r0", -900, -899), members(1), ASSUMED, CYCLE);
    expect(often).toMatchObject({ compared: 0, shortest_repeat_seconds: 1, too_often: true, contradicted: true });
    // Two runners close together are two checks.
    const both = [...at("r0", 59), ...at("r1", 59.5)];
    expect(slotEvidence(both, members(2), ASSUMED, Number.POSITIVE_INFINITY).too_often).toBe(false);
  });

  it("compares runs of the same runner only, whatever order they are in", () => {
    const starts = [...at("r1", 400), ...at("r0", 10, 310), ...at("r1", 160)];
    expect(slotEvidence(starts, members(2), ASSUMED, Number.POSITIVE_INFINITY).shortest_repeat_seconds).toBe(240);
  });

  it("is not contradicted by one run in twenty outside, and ignores invalid times", () => {
    const starts = Array.from({ length: 20 }, (_, n) => at("r0", n * 300 + (n === 7 ? 200 : 1))).flat();
    expect(slotEvidence(starts, members(1), ASSUMED, CYCLE)).toMatchObject({
      compared: 20,
      outside: 1,
      contradicted: false,
    });
    const none = [{ runner_id: "r0", start_time: Number.NaN }];
    expect(slotEvidence(none, members(1), ASSUMED, CYCLE)).toMatchObject({ compared: 0, contradicted: false });
  });

  it("accepts a run in a window shorter than the time needed to write it, in this cycle or the one before", () => {
    const rules: SlotRules = { ...DEFAULTS, interval_seconds: 60, spread_seconds: 19.7 };
    const assumed = { rules, check_interval_seconds: 5 };
    const outsideOf = (...starts: ServiceStart[]) => slotEvidence(starts, members(3), assumed, CYCLE).outside;
    // Windows of 0.3 s from 20 s and from 0 s on.
    expect(outsideOf(...at("r1", 20.1, 20.9), ...at("r0", 60.5, 120.9))).toBe(0);
    expect(outsideOf(...at("r1", 21.4, 19.9), ...at("r0", 61.4))).toBe(3);
    const waiting = { ...rules, stabilization_seconds: 2_000 };
    expect(slotEvidence(at("r1", 20.9), members(3), { ...assumed, rules: waiting }, CYCLE)).toMatchObject({
      outside: 1,
    });
  });

  it("is never contradicted by runners that follow the rules", () => {
    const settings = fc.record({
      runners: fc.integer({ min: 1, max: 6 }),
      interval: fc.integer({ min: 60, max: 900 }),
      spread: fc.integer({ min: 0, max: 60 }),
      fraction: fc.constantFrom(0, 0.5, 0.9, 1),
      check: fc.integer({ min: 5, max: 60 }),
      writtenAfter: fc.double({ min: 0, max: 0.9, noNaN: true }),
      version: fc.constantFrom<SlotRules["version"]>("0.2.3", "0.2.4"),
    });
    let seen = 0;
    fc.assert(
      fc.property(settings, ({ runners, interval, spread, fraction, check, writtenAfter, version }) => {
        const rules: SlotRules = {
          interval_seconds: interval,
          spread_seconds: spread,
          stabilization_seconds: 0,
          max_start_fraction: fraction,
          version,
        };
        const starts = simulated(runners, rules, check, writtenAfter);
        seen += starts.length;
        const evidence = slotEvidence(starts, members(runners), { rules, check_interval_seconds: check }, CYCLE);
        expect(evidence).toMatchObject({ compared: starts.length, outside: 0, contradicted: false });
      }),
      {
        numRuns: cases(60),
        // A window of a third of a second.
        examples: [
          [{ runners: 3, interval: 67, spread: 22, fraction: 0, check: 5, writtenAfter: 0.3334, version: "0.2.3" }],
        ],
      },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it.each<[string, Partial<SlotRules>, number, number]>([
    ["a shorter cycle", { interval_seconds: 30, spread_seconds: 2 }, 3, 30],
    ["a smaller margin, and more runners than the default allows", { spread_seconds: 1 }, 8, 30],
    ["more frequent checks", {}, 2, 3],
    ["no limit on late starts", { max_start_fraction: 0 }, 1, 30],
  ])("is contradicted by runners with %s", (_, changes, runners, check) => {
    const starts = simulated(runners, { ...DEFAULTS, ...changes }, check, 0.01);
    expect(slotEvidence(starts, members(runners), ASSUMED, CYCLE).contradicted).toBe(true);
  });
});
