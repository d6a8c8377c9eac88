import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATUSES } from "../../../src/pynenc/statuses.ts";
import { phaseDurations } from "../../../src/services/model/phases.ts";

const at = (...entries: [string, number][]) => entries.map(([status, timestamp]) => ({ status, timestamp }));

describe("phaseDurations", () => {
  it("adds up the phases of a plain life", () => {
    expect(phaseDurations(at(["registered", 10], ["pending", 12], ["running", 13], ["success", 18]), 100)).toEqual([
      { phase: "queued", seconds: 2, stretches: 1, ongoing: false },
      { phase: "pending", seconds: 1, stretches: 1, ongoing: false },
      { phase: "running", seconds: 5, stretches: 1, ongoing: false },
    ]);
  });

  it("counts two runs as two, without the time between them", () => {
    const history = at(
      ["registered", 0],
      ["pending", 1],
      ["running", 2],
      ["running_recovery", 10],
      ["rerouted", 11],
      ["pending", 12],
      ["running", 13],
      ["success", 15],
    );
    const phases = phaseDurations(history, 100);
    expect(phases.find((p) => p.phase === "running")).toEqual({
      phase: "running",
      seconds: 10,
      stretches: 2,
      ongoing: false,
    });
    expect(phases.find((p) => p.phase === "waiting")?.seconds).toBe(1);
  });

  it("lets the last phase go on until now, and never run backwards when clocks disagree", () => {
    expect(phaseDurations(at(["registered", 10]), 25)).toEqual([
      { phase: "queued", seconds: 15, stretches: 1, ongoing: true },
    ]);
    expect(phaseDurations(at(["registered", 10]), 5)).toEqual([
      { phase: "queued", seconds: 0, stretches: 1, ongoing: true },
    ]);
  });

  it("adds up to the whole life of any history in order", () => {
    const words = STATUSES.filter((status) => !status.final).map((status) => status.name);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...words), fc.double({ min: 0, max: 1e6, noNaN: true })), {
          minLength: 1,
          maxLength: 30,
        }),
        (raw) => {
          const history = raw
            .map(([status, timestamp]) => ({ status, timestamp }))
            .sort((a, b) => a.timestamp - b.timestamp);
          const total = phaseDurations(history, 2e6).reduce((sum, phase) => sum + phase.seconds, 0);
          expect(total).toBeCloseTo(2e6 - (history[0]?.timestamp ?? 0), 3);
        },
      ),
    );
  });
});
