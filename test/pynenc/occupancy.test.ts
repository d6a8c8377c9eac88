import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  busyAmong,
  OCCUPANCY_STEPS,
  occupancyGroup,
  occupancySpan,
  occupancyStep,
} from "../../src/pynenc/occupancy.ts";
import { PASSING_STATUSES, WAITING_STATUSES } from "../../src/pynenc/statuses.ts";

test("an active runner is busy while it runs an invocation, however many, and not by what is paused, picked up or taken over", () => {
  const active = ["runs", "pauses", "takes", "idle"].map((runner_id) => ({ runner_id }));
  const held = [
    { runner_id: "runs", status: "running" },
    { runner_id: "runs", status: "running" },
    { runner_id: "pauses", status: "paused" },
    { runner_id: "takes", status: "pending" },
    { runner_id: "silent", status: "running" },
    { runner_id: null, status: "running_recovery" },
  ];
  expect(busyAmong(active, held)).toBe(1);
});

describe("the length of occupancy buckets", () => {
  test.each([
    [60, 0.5],
    [300, 2],
    [900, 5],
    [3_600, 15],
    [3 * 3_600, 60],
    [12 * 3_600, 300],
    [86_400, 600],
    [3 * 86_400, 1_800],
    [7 * 86_400, 3_600],
    [30 * 86_400, 10_800],
  ])("of a window of %d seconds is %d", (window, step) => {
    expect(occupancyStep(window)).toBe(step);
  });

  test("is one of the fixed steps and gives at most 241 buckets, for windows up to years", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 4 * 365 * 86_400, noNaN: true }),
        fc.double({ min: 0, max: 2e9, noNaN: true }),
        (window, from) => {
          const step = occupancyStep(window);
          expect(OCCUPANCY_STEPS).toContain(step);
          const span = occupancySpan({ from, to: from + window }, step);
          expect(span.buckets).toBeLessThanOrEqual(242);
          expect(span.from).toBeLessThanOrEqual(from + 1e-6);
          expect(span.to).toBeGreaterThanOrEqual(from + window - 1e-6);
        },
      ),
    );
  });

  test("an instant belongs to the bucket that it begins, and not to the one that it ends", () => {
    expect(occupancySpan({ from: 120, to: 180 }, 60)).toEqual({ from: 120, to: 180, buckets: 1 });
    expect(occupancySpan({ from: 119.999999, to: 180.000001 }, 60)).toEqual({ from: 60, to: 240, buckets: 3 });
    expect(occupancySpan({ from: 120, to: 120 }, 60)).toEqual({ from: 120, to: 180, buckets: 1 });
  });
});

test("what waits in the queue is in one occupancy group, and what no runner holds and no queue has is in none", () => {
  const none = ["paused", "killed", "success", "failed", "concurrency_controlled_final", "made up"];
  const words = [...none, ...PASSING_STATUSES];
  expect(words.map(occupancyGroup)).toEqual(words.map(() => null));
  expect(WAITING_STATUSES.map(occupancyGroup)).toEqual(WAITING_STATUSES.map(() => "registered"));
});
