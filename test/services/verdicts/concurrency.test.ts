/** Invocations that concurrency control holds back repeatedly, and the probable holder of their slot. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(1_000);

/** Held back and put back every 20 seconds until now. */
function held(app: MemoryApp, from: number, more: Step[] = []): MemoryApp {
  const history: Step[] = [[from - 20, "registered"]];
  for (let time = from; time <= NOW - 20; time += 20) {
    history.push([time, "concurrency_controlled"], [time + 0.01, "rerouted"]);
  }
  return app.invocation("held", { history: [...history, ...more] }).message("held", NOW - 20);
}

function withHolder(app: MemoryApp, task = "shop.pay"): MemoryApp {
  return app.invocation("holder", {
    task,
    history: [
      [at(0), "registered"],
      [at(1), "pending"],
      [at(2), "running"],
    ],
  });
}

describe("an invocation that is held back", () => {
  it("for more than 5 min has a warning with its start and the probable holder of its slot", async () => {
    const [verdict, ...others] = await verdictsOf(withHolder(held(healthyApp({ now: NOW }), NOW - 400)));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "held_by_concurrency",
      severity: "warning",
      sentence: "1 invocation of shop.pay held back by concurrency control",
      since: isoFromEpoch(NOW - 400),
      evidence: [
        { kind: "invocation", id: "held", role: "held back" },
        { kind: "invocation", id: "holder", role: "probably holds its slot" },
        { kind: "task", id: "shop.pay", role: null },
      ],
    });
    expect(verdict?.detail).toContain("Concurrency control has held it back 20 times in");
    expect(verdict?.detail).toContain("and which invocation took the slot, is not stored");
  });

  it("has a warning with the same start, however often it is held back", async () => {
    const app = held(healthyApp({ now: NOW }), NOW - 400);
    const [first] = (await verdictsOf(app)).map(({ since }) => since);
    app.change((rows) => {
      const last = rows.history.findLast((row) => row.invocation_id === "held");
      for (let n = 0; last !== undefined && n < 6_000; n++) {
        const [status, timestamp] = [n % 2 === 0 ? "concurrency_controlled" : "rerouted", NOW - 19 + n / 1_000];
        rows.history.push({ ...last, status, timestamp, written_at: timestamp });
      }
    });
    const [verdict] = await verdictsOf(app);
    expect(verdict?.since).toBe(first);
    expect(verdict?.detail).toContain("has held it back at least 2,500 times in");
  });

  it("has a warning without a holder if no invocation of its task runs", async () => {
    const [verdict] = await verdictsOf(withHolder(held(healthyApp({ now: NOW }), NOW - 400), "shop.ship"));
    expect(verdict?.detail).toContain("No other invocation of its task is known to have been pending or running");
    expect(verdict?.evidence.map(({ id }) => id)).toEqual(["held", "shop.pay"]);
  });

  it("for less than that, or that was put back once and waits for a runner, has no warning", async () => {
    expect(await codesOf(withHolder(held(healthyApp({ now: NOW }), NOW - 280)))).toEqual([]);
    const once: Step[] = [
      [NOW - 500, "registered"],
      [NOW - 400, "concurrency_controlled"],
      [NOW - 399, "rerouted"],
    ];
    expect(
      await codesOf(
        healthyApp({ now: NOW })
          .invocation("once", { history: once })
          .message("once", NOW - 200),
      ),
    ).toEqual([]);
  });

  it("fewer than three times in the last five minutes, however often before, has no warning", async () => {
    const heldAt = (...seconds: number[]) => {
      const history = seconds.flatMap((ago): Step[] => [
        [NOW - ago, "concurrency_controlled"],
        [NOW - ago + 1, "rerouted"],
      ]);
      const all: Step[] = [[NOW - 700, "registered"], ...history];
      return codesOf(
        healthyApp({ now: NOW })
          .invocation("held", { history: all })
          .message("held", NOW - 20),
      );
    };
    expect(await heldAt(600, 500, 400, 301, 200, 100)).toEqual([]);
    expect(await heldAt(600, 500, 400, 300, 200, 100)).toEqual(["held_by_concurrency"]);
  });

  it("and was taken since has no warning", async () => {
    const taken: Step[] = [
      [NOW - 15, "pending"],
      [NOW - 10, "pending_recovery"],
      [NOW - 9, "rerouted"],
    ];
    expect(await codesOf(held(healthyApp({ now: NOW }), NOW - 400, taken))).toEqual([]);
    const heldAgain = [8, 6, 4, 2].flatMap((ago): Step[] => [
      [NOW - ago, "concurrency_controlled"],
      [NOW - ago + 1, "rerouted"],
    ]);
    expect(await codesOf(held(healthyApp({ now: NOW }), NOW - 400, [...taken, ...heldAgain]))).toEqual([]);
  });
});
