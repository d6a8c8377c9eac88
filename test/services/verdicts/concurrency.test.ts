/** What concurrency control holds back again and again, and by what possibly. */
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
  it("for more than five minutes is told, with what runs of the same task", async () => {
    const [verdict, ...others] = await verdictsOf(withHolder(held(healthyApp({ now: NOW }), NOW - 400)));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "held_by_concurrency",
      severity: "warning",
      sentence: "1 invocation of shop.pay held back by concurrency control for more than 5 m 00 s",
      since: isoFromEpoch(NOW - 319.99),
      evidence: [
        { kind: "invocation", id: "held", role: "held back" },
        { kind: "invocation", id: "holder", role: "runs, possibly what holds it" },
        { kind: "task", id: "shop.pay", role: null },
      ],
    });
    expect(verdict?.detail).toContain("which arguments the control compares is not stored");
    expect(verdict?.detail).toMatch(/^In the last minutes held of shop\.pay was held back \d+ times\./);
  });

  it("is told without one where none of the task runs", async () => {
    const [verdict] = await verdictsOf(withHolder(held(healthyApp({ now: NOW }), NOW - 400), "shop.ship"));
    expect(verdict?.detail).toContain("No invocation of the same task runs now.");
    expect(verdict?.evidence.map(({ id }) => id)).toEqual(["held", "shop.pay"]);
  });

  it("for less, or that was put back once and waits for a runner, is none", async () => {
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

  it("that was taken meanwhile is none", async () => {
    const taken: Step[] = [
      [NOW - 15, "pending"],
      [NOW - 10, "pending_recovery"],
      [NOW - 9, "rerouted"],
    ];
    expect(await codesOf(held(healthyApp({ now: NOW }), NOW - 400, taken))).toEqual([]);
  });
});
