import { expect, test } from "vitest";
import { NO_SIGNS_OF_LIFE } from "../../src/pynenc/life.ts";
import type { HistoryRecord } from "../../src/pynenc/records.ts";
import { factsOf } from "../../src/rollups/facts.ts";

const entry = (status: string, timestamp: number): HistoryRecord => ({
  invocation_id: "a",
  status,
  timestamp,
  written_at: timestamp,
  status_runner_id: "r1",
  runner_context_id: "r1",
  registered_by_inv_id: null,
});

test("an entry whose time is invalid neither begins nor ends a wait, a run or a pause", () => {
  const known = ["registered", "running", "paused", "resumed", "success"].map((status, n) => entry(status, 10 * n));
  const lengths = (history: readonly HistoryRecord[]) =>
    factsOf(history, NO_SIGNS_OF_LIFE).map(({ waited, paused, busy, ran }) => [waited, paused, busy, ran]);
  expect(lengths(known)).toEqual([
    [null, null, null, null],
    [10, null, null, null],
    [null, null, 10, null],
    [null, 10, null, null],
    [null, null, 10, 20],
  ]);
  for (const broken of known.keys()) {
    const history = known.map((one, n) => (n === broken ? { ...one, timestamp: Number.NaN } : one));
    expect(lengths(history).flat().filter(Number.isNaN)).toEqual([]);
  }
});
