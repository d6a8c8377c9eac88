import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR } from "../../src/rollups/buckets.ts";
import { SuccessSamples } from "../../src/rollups/success-samples.ts";

const success = (id: number, at: number) => ({ invocation_id: `invocation-${id}`, at, runner_id: "r" });
const ids = (found: readonly { invocation_id: string }[]) => found.map(({ invocation_id }) => invocation_id);

test("samples do not depend on the order of successes or on how often each is added", () => {
  const met = fc.array(fc.record({ id: fc.nat(200), task: fc.nat(2) }), { maxLength: 300 });
  fc.assert(
    fc.property(met, fc.nat(), (rows, seed) => {
      const timed = rows.map(({ id, task }) => ({ task, one: success(id, (id % 5) * HOUR + id) }));
      const other = timed.toSorted((a, b) => ((a.one.at * 31 + seed) % 17) - ((b.one.at * 31 + seed) % 17));
      const [first, second] = [timed, [...other, ...other.slice(0, 20)]].map((list) => {
        const samples = new SuccessSamples();
        for (const { task, one } of list) samples.add(task, one);
        return samples;
      });
      for (const task of [0, 1, 2]) {
        const of = (samples = new SuccessSamples()) => ids(samples.of(task, { from: HOUR, to: 3 * HOUR }, 20));
        expect(of(first)).toEqual(of(second));
        expect(of(new SuccessSamples(first?.saved()))).toEqual(of(first));
        const right = timed.filter((row) => row.task === task && row.one.at >= HOUR && row.one.at < 4 * HOUR);
        expect(new Set(ids(right.map(({ one }) => one)))).toEqual(
          new Set([...ids(right.map(({ one }) => one)), ...of(first)]),
        );
        if (right.length > 0) expect(of(first).length).toBeGreaterThan(0);
      }
    }),
  );
});

test("every success is equally likely to be in the sample", () => {
  let late = 0;
  for (let round = 0; round < 300; round++) {
    const samples = new SuccessSamples();
    for (let n = 0; n < 100; n++) samples.add(0, success(round * 100 + n, n));
    const found = samples.of(0, { from: 0, to: 1 }, 100);
    expect(found).toHaveLength(8);
    late += found.filter(({ at }) => at >= 50).length;
  }
  expect(late / (300 * 8)).toBeGreaterThan(0.45);
  expect(late / (300 * 8)).toBeLessThan(0.55);
});

test("samples are limited in number, and the oldest hours are dropped first", () => {
  const samples = new SuccessSamples();
  for (let hour = 60; hour > 0; hour--) {
    for (let task = 0; task < 60; task++) {
      for (let n = 0; n < 8; n++) samples.add(task, success(hour * 1_000 + task * 10 + n, hour * HOUR));
    }
  }
  const kept = [...samples.saved().values()].reduce(
    (sum, tasks) => sum + [...tasks.values()].reduce((all, list) => all + list.length, 0),
    0,
  );
  expect(kept).toBeLessThanOrEqual(20_000);
  expect(samples.of(0, { from: 60 * HOUR, to: 60 * HOUR }, 10)).toHaveLength(8);
  expect(samples.of(0, { from: 2 * HOUR, to: 2 * HOUR }, 10)).toHaveLength(0);
});
