/** The line that says how far a search is: late, not too often, and gone at the end. */
import { expect, it } from "vitest";
import type { Output } from "../../../src/cli/print/output.ts";
import { withProgress } from "../../../src/cli/print/search-progress.ts";

it("the progress of a search appears after a while, at most ten times a second, and is always removed", async () => {
  const lines: string[] = [];
  const out = { progress: (text: string) => lines.push(text) } as unknown as Output;
  let now = 1_000;
  const steps: readonly (readonly [ms: number, looked: number, found: number])[] = [
    [1_499, 1_000, 0],
    [1_500, 1_500, 1],
    [1_599, 2_000, 1],
    [1_600, 2_500, 2],
  ];
  const search = withProgress(
    out,
    async (onProgress) => {
      for (const [ms, looked, found] of steps) {
        now = ms;
        onProgress(looked, found);
      }
      return "done";
    },
    () => now,
  );
  expect(await search).toBe("done");
  expect(lines).toEqual([
    "Searched 1,500 candidates, 1 found. Press Ctrl-C to stop.",
    "Searched 2,500 candidates, 2 found. Press Ctrl-C to stop.",
    "",
  ]);
  await expect(withProgress(out, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  expect(lines).toHaveLength(4);
});
