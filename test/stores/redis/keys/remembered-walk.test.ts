import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RememberedWalk } from "../../../../src/stores/redis/keys/remembered-walk.ts";

/** A walk of which the test decides when it ends, over a server whose version it turns. */
function walked() {
  const state = { version: "1", walks: 0, seconds: 0, fails: false, long: false };
  const subject = new RememberedWalk(
    () => Promise.resolve(state.version),
    async () => {
      const number = ++state.walks;
      await new Promise((resolve) => setTimeout(resolve, state.seconds * 1_000));
      if (state.fails) throw new Error("the server is gone");
      return number;
    },
    () => Promise.resolve(state.long),
  );
  return { state, subject };
}

describe("RememberedWalk (one walk over all keys for several readers)", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Lets so many seconds pass while somebody waits. */
  async function later<T>(seconds: number, waiting: Promise<T>): Promise<T> {
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
    return waiting;
  }

  it("walks once for all readers until something changes", async () => {
    const { state, subject } = walked();
    expect(await later(0, Promise.all([subject.found(), subject.found()]))).toEqual([1, 1]);
    expect(await later(0, subject.found())).toBe(1);
    state.version = "2";
    expect(await later(0, subject.found())).toBe(2);
  });

  it("lets readers that can do without it wait a moment for the first walk, and not again", async () => {
    const { state, subject } = walked();
    state.seconds = 10;
    expect(await later(1.6, subject.foundInTime())).toBeNull();
    expect(await later(0, subject.foundInTime())).toBeNull();
    await later(10, Promise.resolve());
    expect(await later(0, subject.foundInTime())).toBe(1);
    expect(state.walks).toBe(1);
  });

  it("lets no reader wait for a walk that is known to be long", async () => {
    const { state, subject } = walked();
    state.seconds = 10;
    state.long = true;
    expect(await later(0, subject.foundInTime())).toBeNull();
    await later(10, Promise.resolve());
    expect(await later(0, subject.foundInTime())).toBe(1);
    expect(state.walks).toBe(1);
  });

  it("answers with the last walk while the next one runs, if a walk takes long", async () => {
    const { state, subject } = walked();
    state.seconds = 2;
    expect(await later(2, subject.found())).toBe(1);
    state.version = "2";
    expect(await later(39, subject.found())).toBe(1);
    expect(state.walks).toBe(1);
    // After twenty times its cost another one begins, and nobody waits for it.
    await later(2, Promise.resolve());
    expect(await later(1, subject.found())).toBe(1);
    expect(await later(2, subject.found())).toBe(1);
    expect(await later(0, subject.found())).toBe(2);
    expect(state.walks).toBe(2);
  });

  it("does not remember a failure", async () => {
    const { state, subject } = walked();
    state.fails = true;
    const told = expect(subject.found()).rejects.toThrow("the server is gone");
    await later(0, told);
    state.fails = false;
    expect(await later(0, subject.found())).toBe(2);
  });

  it("forgets its result and that of a running walk on expiry, unless it cost more than the given limit", async () => {
    const { state, subject } = walked();
    state.seconds = 2;
    expect(await later(2, subject.found())).toBe(1);
    subject.expire(1_000);
    expect(await later(0, subject.found())).toBe(1);
    subject.expire(Number.POSITIVE_INFINITY);
    const begun = subject.found();
    await later(1, Promise.resolve());
    subject.expire(Number.POSITIVE_INFINITY);
    expect(await later(2, begun)).toBe(2);
    expect(await later(2, subject.found())).toBe(3);
  });
});
