/** What a server is asked is counted for all threads together and bounded. The clock alone is mocked. */
import { describe, expect, it } from "vitest";
import { ServerUse } from "../../../src/stores/server/use.ts";

const LIMITS = { commands: 100, bytes: 1_000 };

describe("the limit on commands and bytes to a server", () => {
  let now = 0;
  const seconds = (number: number) => {
    now += number * 1_000_000;
  };
  const bounded = (shared?: SharedArrayBuffer) => new ServerUse(LIMITS, shared, () => now);

  it("allows two seconds' worth at once, then the given number a second", () => {
    seconds(100);
    const use = bounded();
    expect(use.reserve(200)).toBe(0);
    expect(use.reserve(1)).toBe(10);
    expect(use.reserve(49)).toBe(500);
    seconds(0.5);
    expect(use.reserve(10)).toBe(100);
  });

  it("saves up no more than two seconds' worth", () => {
    const use = bounded();
    seconds(1_000);
    expect(use.reserve(201)).toBe(10);
  });

  it("delays later commands for the bytes of earlier answers", () => {
    const use = bounded();
    seconds(100);
    expect(use.reserve(1)).toBe(0);
    use.count({ commands: 1, bytes: 5_000, reserved: 1 });
    expect(use.reserve(1)).toBe(3_000);
    seconds(3);
    expect(use.reserve(1)).toBe(0);
  });

  it("counts a reserved place once, and returns one that is not used", () => {
    const use = bounded();
    seconds(100);
    use.reserve(200);
    use.count({ commands: 200, bytes: 0, reserved: 200 });
    expect(use.reserve(1)).toBe(10);
    use.release(1);
    expect(use.reserve(1)).toBe(10);
  });

  it("holds for all threads together, also for commands without a reserved place", () => {
    const use = bounded();
    const other = bounded(use.shared);
    seconds(100);
    other.count({ commands: 200, bytes: 0, reserved: 0 });
    expect(use.reserve(50)).toBe(500);
    expect(other.reserve(50)).toBe(1_000);
  });

  it("never reserves more at once than it allows", () => {
    expect(bounded().maxAtOnce).toBe(200);
    expect(new ServerUse({ commands: 0.1, bytes: 1 }).maxAtOnce).toBe(1);
  });
});

describe("the load of the last minute", () => {
  let now = 500_500_000;
  const use = new ServerUse(LIMITS, undefined, () => now);

  it("is the mean per second of all threads", () => {
    expect(use.rates).toEqual({ commands: 0, bytes: 0 });
    use.count({ commands: 30, bytes: 600, reserved: 0 });
    now += 10_000_000;
    new ServerUse(LIMITS, use.shared, () => now).count({ commands: 70, bytes: 400, reserved: 0 });
    expect(use.rates).toEqual({ commands: 10, bytes: 100 });
    now += 45_000_000;
    expect(use.rates).toEqual({ commands: 100 / 55, bytes: 1_000 / 55 });
  });

  it("leaves out what is older, and reuses its slots", () => {
    now += 10_000_000;
    expect(use.rates).toEqual({ commands: 70 / 60, bytes: 400 / 60 });
    // The same place as the first: 64 seconds later.
    now = 564_500_000;
    use.count({ commands: 6, bytes: 6, reserved: 0 });
    expect(use.rates).toEqual({ commands: 76 / 60, bytes: 406 / 60 });
  });
});
