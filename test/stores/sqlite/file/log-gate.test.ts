/** Who may begin a snapshot, and when. Only the clock is mocked. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LARGE_LOG_BYTES, LogGate } from "../../../../src/stores/sqlite/file/log-gate.ts";

let bytes: number;
let looks: number;
let gate: LogGate;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  bytes = LARGE_LOG_BYTES;
  looks = 0;
  gate = new LogGate(() => {
    looks++;
    return bytes;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks to enter, and tells whether that has happened. */
function ask() {
  const visitor = { inside: false };
  void gate.enter().then(() => {
    visitor.inside = true;
  });
  return visitor;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** One snapshot that has begun before the log became large. */
async function running(): Promise<void> {
  bytes = 0;
  await gate.enter();
  bytes = LARGE_LOG_BYTES;
  await pass(250);
}

describe("while the write-ahead log is small", () => {
  it("every snapshot begins at once", async () => {
    bytes = LARGE_LOG_BYTES - 1;
    const visitors = Array.from({ length: 6 }, ask);
    await pass(0);
    expect(visitors.map(({ inside }) => inside)).toEqual(Array(6).fill(true));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the size of the log is checked at most four times a second", async () => {
    bytes = 0;
    for (let i = 0; i < 100; i++) {
      await gate.enter();
      gate.leave();
      await pass(10);
    }
    expect(looks).toBe(4);
  });
});

describe("while the write-ahead log is large", () => {
  it("new snapshots wait for the open ones to end and for the log to be restarted", async () => {
    await running();
    await running();
    const first = ask();
    const second = ask();
    await pass(900);
    gate.leave();
    await pass(90);
    expect([first.inside, second.inside]).toEqual([false, false]);
    gate.leave();
    await pass(100);
    expect([first.inside, second.inside]).toEqual([false, false]);
    bytes = 0;
    await pass(10);
    expect([first.inside, second.inside]).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a snapshot without others waits for the log alone", async () => {
    const visitor = ask();
    await pass(50);
    expect(visitor.inside).toBe(false);
    bytes = 0;
    await pass(10);
    expect(visitor.inside).toBe(true);
  });

  it("a snapshot waits at most a second for one that does not end, and the next five seconds not at all", async () => {
    await running();
    const visitor = ask();
    await pass(999);
    expect(visitor.inside).toBe(false);
    await pass(1);
    expect(visitor.inside).toBe(true);
    await pass(4_999);
    const meanwhile = ask();
    await pass(0);
    expect(meanwhile.inside).toBe(true);
    await pass(1);
    const later = ask();
    await pass(0);
    expect(later.inside).toBe(false);
  });

  it("snapshots wait longer the more the log grows, but not for a log that keeps its size", async () => {
    await running();
    for (const [size, wait, pause] of [
      [1, 1_000, 5_000],
      [4, 4_000, 1_250],
      [4, 1_000, 5_000],
      [100, 20_000, 250],
    ] as const) {
      bytes = LARGE_LOG_BYTES * size;
      const visitor = ask();
      await pass(wait - 1);
      expect([size, visitor.inside]).toEqual([size, false]);
      await pass(1);
      expect([size, visitor.inside]).toEqual([size, true]);
      gate.leave();
      await pass(pause);
    }
  });

  it("a snapshot waits at most half a second for a writer that does not write", async () => {
    const visitor = ask();
    await pass(490);
    expect(visitor.inside).toBe(false);
    await pass(10);
    expect(visitor.inside).toBe(true);
    const next = ask();
    await pass(0);
    expect(next.inside).toBe(true);
  });

  it("snapshots wait again when the log is large again", async () => {
    const visitor = ask();
    bytes = 0;
    await pass(10);
    expect(visitor.inside).toBe(true);
    gate.leave();
    bytes = LARGE_LOG_BYTES;
    await pass(250);
    const next = ask();
    await pass(0);
    expect(next.inside).toBe(false);
  });
});
