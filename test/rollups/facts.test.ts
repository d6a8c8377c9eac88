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

test("a run that a recovery ended keeps its runner busy until that runner's last heartbeat", () => {
  const history = ["registered", "pending", "running", "running_recovery"].map((status, n) => entry(status, 100 * n));
  const busy = (heard: [string, number][]) =>
    factsOf(history, { heard: new Map(heard), dead_before: null }).at(-1)?.busy;
  expect(busy([["r1", 230]])).toBe(30);
  expect(busy([["r1", 400]])).toBe(100);
  expect(busy([])).toBeNull();
});

test("a wait across two clocks that disagree is not counted, and a run on one clock is", () => {
  const by = (runner: string | null, status: string, at: number): HistoryRecord => ({
    ...entry(status, at),
    status_runner_id: status === "registered" ? null : runner,
    runner_context_id: runner,
  });
  const history = [
    by("client", "registered", 90),
    by("slow", "pending", 1),
    by("slow", "running", 2),
    by("slow", "success", 7),
  ];
  const facts = factsOf(history, NO_SIGNS_OF_LIFE);
  expect([facts[2]?.waited, facts[3]?.ran, facts[3]?.busy]).toEqual([null, 5, 5]);
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
