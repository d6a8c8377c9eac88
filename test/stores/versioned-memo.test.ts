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

describe("VersionedMemo (figures kept by the version of a store)", () => {
  it("computes once while the version stays the same", async () => {
    const { state, get } = memo();
    expect([await get(1), await get(1), await get(1)]).toEqual([1, 1, 1]);
    state.version = "2";
    expect(await get(1)).toBe(2);
  });

  it("shares a running computation with all who ask meanwhile", async () => {
    const { state, get } = memo();
    const answers = [get(1), get(1)];
    state.version = "2";
    answers.push(get(1));
    expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  });

  it("reuses an expensive figure for ten times its cost after a change, and a cheap one not at all", async () => {
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

  it("does not reuse figures of a store that was replaced", async () => {
    const { state, get } = memo();
    state.version = "here.1";
    await get(100);
    state.version = "here.2";
    expect(await get(100)).toBe(1);
    state.version = "elsewhere.2";
    expect(await get(100)).toBe(2);
  });

  it("does not keep a failure", async () => {
    const { get } = memo();
    await expect(get(1, true)).rejects.toThrow("no store");
    expect(await get(1)).toBe(2);
  });

  it("keeps the latest two hundred figures", async () => {
    const computed: string[] = [];
    const subject = new VersionedMemo(() => Promise.resolve("1"));
    const get = (key: string) =>
      subject.get(key, async () => {
        computed.push(key);
      });
    for (let n = 0; n <= 200; n++) await get(`${n}`);
    computed.length = 0;
    await get("200");
    await get("1");
    await get("0");
    expect(computed).toEqual(["0"]);
  });
});
