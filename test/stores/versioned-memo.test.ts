import { describe, expect, it } from "vitest";
import { VersionedMemo } from "../../src/stores/versioned-memo.ts";

/** A memo over a store whose version and clock the test turns by hand. */
function memo() {
  const state = { version: "1", now: 0, computed: 0 };
  const subject = new VersionedMemo(
    () => Promise.resolve(state.version),
    () => state.now,
  );
  const get = (cost: number, fail = false) =>
    subject.get("key", async () => {
      state.computed++;
      await Promise.resolve();
      state.now += cost;
      if (fail) throw new Error("no store");
      return state.computed;
    });
  return { state, get };
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

  it("reuses nothing of data that is gone or was replaced", async () => {
    const { state, get } = memo();
    state.version = "here.1";
    await get(100);
    state.version = "here.2";
    expect(await get(100)).toBe(1);
    state.version = "elsewhere.2";
    expect(await get(100)).toBe(2);
  });

  it("keeps no failure", async () => {
    const { get } = memo();
    await expect(get(1, true)).rejects.toThrow("no store");
    expect(await get(1)).toBe(2);
  });
});
