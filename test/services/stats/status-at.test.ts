/** Counts at instants of the past, against a replay of all rows. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { statusAt } from "../../../src/services/stats/status-at.ts";
import { cases } from "../../support/cases.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SPAN = 3 * 3_600;

/** The last status of each invocation that was entered until then. */
function replayed(app: MemoryApp, instant: number): Record<string, number> {
  const counts: Record<string, number> = {};
  const history = app.rows((rows) => rows.history);
  for (const id of new Set(history.map((entry) => entry.invocation_id))) {
    const entered = history.filter((entry) => entry.invocation_id === id && entry.timestamp <= instant);
    const last = entered.sort((a, b) => a.timestamp - b.timestamp).at(-1);
    if (last !== undefined) counts[last.status] = (counts[last.status] ?? 0) + 1;
  }
  return counts;
}

const occurring = (statuses: Record<string, number> | null) =>
  Object.fromEntries(Object.entries(statuses ?? {}).filter(([, count]) => count !== 0));

const asked = (instant: number) => ({ at: [isoFromEpoch(instant)] });

describe("the counts by status at a past instant", () => {
  test("equal a replay of all rows, also at the instants of the entries", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(25, SPAN),
        fc.array(fc.double({ min: -100, max: SPAN + 1_300, noNaN: true }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(500), { maxLength: 5 }),
        async (all, some, places) => {
          const app = live(memoryApp({ now: at(SPAN + 1_300) }), all);
          const history = app.rows((rows) => [...rows.history]);
          const own = places.flatMap((place) => history[place % Math.max(1, history.length)]?.timestamp ?? []);
          for (const wanted of [...some.map(at), ...own].filter((one) => one <= app.now)) {
            const micro = Math.round(wanted * 1e6) / 1e6;
            const { statuses, invocations } = await statusAt(app.opened, asked(micro));
            const expected = replayed(app, micro);
            expect(occurring(statuses)).toEqual(expected);
            expect(invocations).toBe(Object.values(expected).reduce((sum, count) => sum + count, 0));
          }
        },
      ),
      { numRuns: cases(120) },
    );
  });

  test("equal a replay for instants of days ago, which are counted from hourly figures", async () => {
    const app = live(memoryApp({ now: at(6 * 86_400) }), fc.sample(lives(30, SPAN), { numRuns: 8, seed: 3 }).flat());
    app.invocation("recent", { history: [[at(5.9 * 86_400), "registered"]] });
    for (const instant of [100, 3_599.5, 3_600, 5_000.25, SPAN, 5.95 * 86_400].map(at)) {
      expect(occurring((await statusAt(app.opened, asked(instant))).statuses)).toEqual(replayed(app, instant));
    }
  });

  test("go by the time when a status was entered, not by the time of writing", async () => {
    const app = memoryApp({ now: at(200) }).invocation("a", {
      history: [
        [at(10), "registered"],
        [at(59.9), "running", "r", at(60.3)],
      ],
    });
    expect(occurring((await statusAt(app.opened, asked(at(59.8)))).statuses)).toEqual({ registered: 1 });
    expect(occurring((await statusAt(app.opened, asked(at(59.95)))).statuses)).toEqual({ running: 1 });
    expect(occurring((await statusAt(app.opened, asked(at(61)))).statuses)).toEqual({ running: 1 });
  });

  test("are null without figures over time, and after a purge", async () => {
    const app = memoryApp({ now: at(200) }).invocation("a", { history: [[at(10), "registered"]] });
    const off = await statusAt({ ...app.opened, rollups: null }, asked(at(20)));
    expect([off.statuses, off.invocations, off.why_not]).toEqual([null, null, "figures over time are switched off"]);
    expect((await statusAt(app.opened, asked(at(20)))).why_not).toBeNull();
    app.change((rows) => rows.history.splice(0));
    expect(await statusAt(app.opened, asked(at(20)))).toMatchObject({
      statuses: null,
      why_not: "part of the history was purged",
    });
  });

  test("are refused for a future instant, and without one", async () => {
    const app = memoryApp({ now: at(200) });
    await expect(statusAt(app.opened, asked(at(201)))).rejects.toThrow(InvalidInputError);
    await expect(statusAt(app.opened, { at: ["soon"] })).rejects.toThrow(InvalidInputError);
    await expect(statusAt(app.opened, {})).rejects.toThrow(InvalidInputError);
  });
});
