/** Clocks of hosts that differ, as far as invocations tell. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(600);

/** So many invocations, registered on host a and taken on host b so many seconds later by their clocks. */
function handed(count: number, later: number, to = "b"): MemoryApp {
  const app = healthyApp({ now: NOW }).context("client", { hostname: "a" }).context("w", { hostname: to });
  return app.invocations(count, (n) => ({
    history: [
      [at(100 + n), "registered", "client"],
      [at(100 + n + later), "pending", "w"],
      [at(110 + n), "running", "w"],
      [at(111 + n), "success", "w"],
    ],
  }));
}

describe("a clock that is behind", () => {
  it("is told where three invocations were taken before they were registered", async () => {
    const [verdict, ...others] = await verdictsOf(handed(3, -4));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "clock_skew",
      severity: "warning",
      sentence: "The clock of b is behind that of a by at least 4.00 s",
      since: isoFromEpoch(at(96)),
      count: 3,
    });
    expect(verdict?.evidence.map(({ id }) => id).sort()).toEqual(["i0", "i1", "i2"]);
  });

  it("is not claimed by fewer, by a second or less, on one host, or where a host is not known", async () => {
    expect(await codesOf(handed(2, -4))).toEqual([]);
    expect(await codesOf(handed(9, -1))).toEqual([]);
    expect(await codesOf(handed(9, 4))).toEqual([]);
    expect(await codesOf(handed(9, -4, "a"))).toEqual([]);
    const unknown = handed(9, -4).change((rows) => {
      rows.contexts.splice(0, rows.contexts.length, ...rows.contexts.filter((one) => one.runner_id !== "w"));
    });
    expect(await codesOf(unknown)).toEqual([]);
  });

  it("is not taken from an invocation that was put back and taken again later", async () => {
    const app = handed(0, 0).invocations(5, (n) => ({
      history: [
        [at(100 + n), "registered", "client"],
        [at(101 + n), "pending", "w"],
        [at(102 + n), "rerouted", "w"],
        [at(103 + n), "pending", "w"],
      ],
    }));
    expect((await verdictsOf(app)).filter(({ code }) => code === "clock_skew")).toEqual([]);
  });
});
