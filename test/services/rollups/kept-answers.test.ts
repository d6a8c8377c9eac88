import { beforeEach, describe, expect, it } from "vitest";
import type { Answered, Reach, RollupReads } from "../../../src/rollups/reads.ts";
import { FoldState, keepingAnswers } from "../../../src/services/rollups/kept-answers.ts";
import { type MethodCall, portOver } from "../../../src/stores/threads/port-calls.ts";

const CURRENT: Reach = { since: 0, whole: true, until: Number.POSITIVE_INFINITY, purged_at: null, checking: false };

let asked: MethodCall<RollupReads>[];
let state: FoldState;
let now: number;
let reads: RollupReads;
let answer: Omit<Answered, "span">;

beforeEach(() => {
  asked = [];
  state = new FoldState();
  now = 0;
  state.current(1_000);
  answer = { reach: CURRENT, complete: true };
  const ask = async (call: MethodCall<RollupReads>) => {
    asked.push(call);
    return { span: call.args[0], ...answer, tasks: [], n: asked.length };
  };
  reads = portOver<RollupReads>(keepingAnswers(ask, state, () => now));
});

/** The number of the question that was answered. */
async function numbered(from: number, to: number, whole = false): Promise<number> {
  return ((await reads.arrived({ from, to, whole })) as unknown as { n: number }).n;
}

describe("an answer about a range is given again", () => {
  it("while no entries were counted, for all ranges of the same whole minutes", async () => {
    expect(await numbered(65, 130)).toBe(1);
    expect(await numbered(61, 179)).toBe(1);
    expect(asked[0]?.args[0]).toMatchObject({ from: 60, to: 180 });
    expect(await numbered(61, 181)).toBe(2);
    expect(await numbered(59, 179)).toBe(3);
  });

  it("to clients that ask at the same time", async () => {
    expect(await Promise.all([numbered(0, 60), numbered(0, 60)])).toEqual([1, 1]);
  });
});

describe("an answer is computed again", () => {
  it("after something was folded, also by another thread", async () => {
    await numbered(0, 60);
    new FoldState(state.shared).changed();
    expect(await numbered(0, 60)).toBe(2);
  });

  it("when something was folded while it was computed", async () => {
    const first = numbered(0, 60);
    state.changed();
    expect([await first, await numbered(0, 60)]).toEqual([1, 2]);
  });

  it("when the store has not been looked at for a while", async () => {
    await numbered(0, 60);
    now = 1_001;
    expect(await numbered(0, 60)).toBe(2);
    state.current(5_000);
    expect(await numbered(0, 60)).toBe(2);
  });

  it.each([
    ["part of its range was not read yet", { complete: false }],
    ["new entries were not read yet", { reach: { ...CURRENT, until: 30 } }],
    ["it is not known since when entries are read", { reach: { ...CURRENT, since: null } }],
  ])("when %s", async (_, part) => {
    answer = { ...answer, ...part };
    await numbered(0, 60);
    expect(await numbered(0, 60)).toBe(2);
  });

  it("for a question that needs the whole history, until that is read", async () => {
    answer = { ...answer, reach: { ...CURRENT, whole: false } };
    await numbered(0, 60, true);
    expect(await numbered(0, 60, true)).toBe(2);
  });

  it("after it failed", async () => {
    const failing = portOver<RollupReads>(
      keepingAnswers(
        async (call) => {
          asked.push(call);
          throw new Error("the thread ended");
        },
        state,
        () => now,
      ),
    );
    await expect(failing.arrived({ from: 0, to: 60 })).rejects.toThrow("the thread ended");
    await expect(failing.arrived({ from: 0, to: 60 })).rejects.toThrow("the thread ended");
    expect(asked).toHaveLength(2);
  });

  it("for another method or other arguments", async () => {
    await reads.rows({ from: 0, to: 60 }, "total");
    await reads.rows({ from: 0, to: 60 }, "task");
    await reads.series({ from: 0, to: 60 }, 10);
    await reads.series({ from: 0, to: 60 }, 20);
    expect(asked).toHaveLength(4);
  });
});

it("the oldest answers are forgotten when there are many", async () => {
  for (let minute = 0; minute < 65; minute++) await numbered(minute * 60, minute * 60 + 60);
  expect(await numbered(64 * 60, 65 * 60)).toBe(65);
  expect(await numbered(0, 60)).toBe(66);
});

it("rows of an answer cannot be changed, because others get them too", async () => {
  const read = await reads.arrived({ from: 0, to: 60 });
  expect(() => (read.tasks as unknown[]).push(1)).toThrow(TypeError);
});
