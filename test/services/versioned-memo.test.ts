import { describe, expect, it } from "vitest";
import { VersionedMemo } from "../../src/stores/versioned-memo.ts";

/** A memo over a store whose version and clock the test turns by hand. */
function memo() {
  const state = { version: "1", now: 0, computed: 0 };
  const subject = new VersionedMemo(
    () => Promise.resolve(state.version),
    () => state.now,
  );
  const compute = (cost: number, fail: boolean) => async () => {
    state.computed++;
    await Promise.resolve();
    state.now += cost;
    if (fail) throw new Error("no store");
    return state.computed;
  };
  const get = (cost: number, fail = false) => subject.get("key", compute(cost, fail));
  const getSoon = (cost: number, fail = false) => subject.getSoon("key", compute(cost, fail));
  return { state, get, getSoon };
}

describe("VersionedMemo", () => {
  it("computes once while the store's version stays", async () => {
    const { state, get } = memo();
    expect([await get(1), await get(1), await get(1)]).toEqual([1, 1, 1]);
    state.version = "2";
    expect(await get(1)).toBe(2);
  });

  it("shares a computation among those who ask meanwhile", async () => {
    const { state, get } = memo();
    const answers = [get(1), get(1)];
    state.version = "2";
    answers.push(get(1));
    expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  });

  it("reuses a dear figure for ten times its cost although the data changed, a cheap one not", async () => {
    const { state, get } = memo();
    await get(100);
    state.version = "2";
    state.now += 900;
    expect(await get(100)).toBe(1);
    state.now += 200;
    expect(await get(5)).toBe(2);
    state.version = "3";
    expect(await get(5)).toBe(3);
  });

  it("answers the last dear figure while the next is computed, where nobody waits", async () => {
    const { state, getSoon } = memo();
    expect(await getSoon(100)).toBe(1);
    state.version = "2";
    state.now += 2_000;
    expect(await Promise.all([getSoon(100), getSoon(100)])).toEqual([1, 1]);
    expect(await getSoon(100)).toBe(2);
    expect(state.computed).toBe(2);
  });

  it("waits for a cheap figure, and goes back to the one before after a failure", async () => {
    const { state, getSoon } = memo();
    await getSoon(1);
    state.version = "2";
    expect(await getSoon(100)).toBe(2);
    state.version = "3";
    state.now += 2_000;
    expect(await getSoon(100, true)).toBe(2);
    expect(await getSoon(100)).toBe(2);
    expect(await getSoon(100)).toBe(4);
  });

  it("keeps no failure", async () => {
    const { get } = memo();
    await expect(get(1, true)).rejects.toThrow("no store");
    expect(await get(1)).toBe(2);
  });
});
