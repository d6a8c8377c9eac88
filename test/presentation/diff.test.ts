import { describe, expect, it } from "vitest";
import type { Diff } from "../../src/api/diff.ts";
import { diffSentence, signedDuration } from "../../src/presentation/diff.ts";

const diff = (changes: Partial<Diff["differences"]>): Diff => {
  const differences = { only_a: 0, only_b: 0, task: 0, outcome: 0, arguments: 0, attempts: 0, times: 0, ...changes };
  return { a: "a", b: "b", last_success: false, same: false, nodes: [], differences, complete: true, notes: [] };
};

describe("the summary of a comparison", () => {
  it("has the number of each kind of difference, or says that nothing differs", () => {
    expect(diffSentence(diff({ outcome: 1, times: 1_200, only_b: 2 }))).toBe(
      "0 invocations compared. Different: outcome of 1, times of 1,200, only in B 2.",
    );
    expect(diffSentence({ ...diff({}), same: true })).toBe("0 invocations compared. Nothing differs.");
  });

  it("has signed differences in time", () => {
    expect([1.5, -0.012, 0].map(signedDuration)).toEqual(["+1.5 s", "−12 ms", "0 s"]);
  });
});
