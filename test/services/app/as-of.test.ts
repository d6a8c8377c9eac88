/** Families and traces at instants of the past, against a store that was not written any further. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { utcText } from "../../../src/pynenc/time.ts";
import { appAsOf, asOf } from "../../../src/services/app/as-of.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { familyPicture, parseFamilyInput } from "../../../src/services/causes/family-picture.ts";
import { parseTraceInput, trace } from "../../../src/services/causes/trace.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { cases } from "../../support/cases.ts";
import { type Life, lives, stepsOf, storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SPAN = 600;
const LATER = at(1e5);

interface Told {
  life: Life;
  /** An earlier invocation. */
  parent: number | null;
  /** Seconds after it began when it emits an event; null for none. */
  emits: number | null;
  /** An invocation that its event starts, if that is registered later. */
  starts: number;
}

const told: fc.Arbitrary<Told[]> = lives(10, SPAN).chain((all) =>
  fc.tuple(
    ...all.map((life, n) =>
      fc.record({
        life: fc.constant(life),
        parent: n === 0 ? fc.constant(null) : fc.option(fc.nat(n - 1)),
        emits: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
        starts: fc.nat(all.length - 1),
      }),
    ),
  ),
);

const begins = (life: Life) => at(life.begins);

/** What had been written until an instant. */
function storeUntil(all: readonly Told[], until: number): MemoryApp {
  const app = memoryApp({ now: until });
  // Alive all the time: heartbeats of the past are not stored.
  for (const runner of ["r1", "r2"]) app.heartbeat(runner, { last_heartbeat: until });
  all.forEach(({ life, parent, emits, starts }, n) => {
    const history = stepsOf(life).filter(([entered]) => entered <= until);
    if (history.length > 0) {
      const failed = history.at(-1)?.[1] === "failed";
      app.invocation(`i${n}`, {
        task: life.task,
        history,
        ...(parent === null ? {} : { parent: `i${parent}` }),
        ...(failed ? { exception: storedException("ValueError", "no shelf") } : {}),
      });
    }
    if (emits === null || at(life.begins + emits) > until) return;
    app.event(`e${n}`, { timestamp: at(life.begins + emits), emitted_by_invocation_id: `i${n}` });
    const target = all[starts];
    if (target === undefined || begins(target.life) < at(life.begins + emits)) return;
    const claimed_at = at(life.begins + emits);
    const started = begins(target.life) <= until;
    app.triggerRun(`t${n}`, {
      claimed_at,
      executed_at: started ? begins(target.life) : null,
      triggered_invocation_id: started ? `i${starts}` : null,
      participants: [{ event_id: `e${n}` }],
    });
  });
  return app.inOrder();
}

const input = { family: parseFamilyInput({}), trace: parseTraceInput({ direction: ["both"] }) };

/** Either answer, or that there is none. */
async function answer<T>(found: Promise<T>): Promise<T | "none"> {
  return found.catch((error: unknown) => {
    if (error instanceof NotFoundError) return "none";
    throw error;
  });
}

const sorted = <T>(rows: readonly T[]) => [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe("families and traces as of an instant", () => {
  test("equal those of a store that was not written any further", async () => {
    await fc.assert(
      fc.asyncProperty(told, fc.double({ min: 0, max: 2 * SPAN, noNaN: true }), fc.nat(9), async (all, seconds, n) => {
        const instant = at(seconds);
        const [then, whole] = [storeUntil(all, instant).opened, storeUntil(all, LATER).opened];
        const past = appAsOf(whole, instant);
        const id = `i${n % Math.max(1, all.length)}`;
        const found = await answer(trace(past, null, id, input.trace));
        const wanted = await answer(trace(then, null, id, input.trace));
        if (found === "none" || wanted === "none") {
          expect(found).toBe(wanted);
          return;
        }
        for (const of of ["invocations", "events", "trigger_runs", "edges"] as const) {
          expect(sorted<unknown>(found[of])).toEqual(sorted<unknown>(wanted[of]));
        }
      }),
      { numRuns: cases(200) },
    );
  });

  test("equal those of that store as timelines in any window and as family pictures too", async () => {
    await fc.assert(
      fc.asyncProperty(
        told,
        fc.double({ min: 0, max: 2 * SPAN, noNaN: true }),
        fc.double({ min: 0, max: 2 * SPAN, noNaN: true }),
        fc.double({ min: 1, max: SPAN, noNaN: true }),
        fc.nat(9),
        async (all, seconds, from, length, n) => {
          const instant = at(seconds);
          const [then, whole] = [storeUntil(all, instant).opened, storeUntil(all, LATER).opened];
          // Not after the instant by what rounding makes of either.
          const start = at(Math.min(from, seconds));
          const window = { from: [String(start)], to: [String(start + length)] };
          const drawn = async (app: OpenedApp, more: RawInput = {}) => {
            const found = await timeline(app, await readTimelineInput(app, { ...window, ...more }));
            const { invocations, events, counts, density, now, start, end } = found;
            // Without work, only a heartbeat of the present lists them.
            const runners = found.runners.filter(({ busy_seconds }) => (busy_seconds ?? 0) > 0);
            // Runs are listed by when they were carried out: those that were only claimed are left out.
            const trigger_runs = found.trigger_runs.filter(({ executed_at }) => executed_at !== null);
            const sets = { invocations, events, trigger_runs, runners };
            return {
              ...Object.fromEntries(Object.entries(sets).map(([name, rows]) => [name, sorted<unknown>(rows)])),
              ...{ counts: { ...counts, trigger_runs: null }, density, now, start, end },
            };
          };
          const asked = { at: [String(instant)] };
          expect(await drawn(whole, asked)).toEqual(await drawn(then));
          const one = { inv_ids: [`i${n % Math.max(1, all.length)}`] };
          expect(await drawn(whole, { ...asked, ...one })).toEqual(await drawn(then, one));

          const pictured = async (app: OpenedApp) => {
            const id = one.inv_ids[0] ?? "";
            const found = await answer(familyPicture(app, "invocation", id, parseFamilyInput({})));
            return found === "none" ? found : { ...found, at: null, path_of: null, critical_path: null };
          };
          expect(await pictured(appAsOf(whole, instant))).toEqual(await pictured(then));
        },
      ),
      { numRuns: cases(150) },
    );
  });

  test("count the events until that instant if there are too many to be drawn", async () => {
    const app = memoryApp({ now: LATER });
    for (let n = 0; n < 600; n++) app.event(`e${n}`, { timestamp: at(n) });
    const raw = { from: [String(at(0))], to: [String(at(600))], at: [String(at(399))] };
    const { event_counts, counts } = await timeline(app.opened, await readTimelineInput(app.opened, raw));
    expect(counts.events.total).toBe(400);
    expect(event_counts?.totals).toEqual(Array.from({ length: 60 }, (_, slice) => (slice < 40 ? 10 : 0)));
  });

  test("fail with not found for an invocation that began later", async () => {
    const app = memoryApp().invocation("a", { history: [[at(10), "registered"]] });
    const family = (then: number) => familyPicture(appAsOf(app.opened, at(then)), "invocation", "a", input.family);
    await expect(family(9)).rejects.toThrow(NotFoundError);
    expect((await family(10)).rows).toHaveLength(1);
  });

  describe("that begin at something that did not exist yet", () => {
    const app = memoryApp()
      .invocation("a", { history: [[at(10), "registered"]] })
      .invocation("trimmed", { history: [[at(20), "success"]] })
      .event("e", { timestamp: at(30) })
      .triggerRun("t", { claimed_at: at(40), executed_at: null })
      .triggerRun("u", { claimed_at: null, executed_at: at(50) });
    const failure = (id: string, then: number) =>
      asOf(app.opened, then, (past) => familyPicture(past, null, id, parseFamilyInput({}))).then(
        () => "found",
        (error: NotFoundError) => [error instanceof NotFoundError, error.message, error.hint],
      );

    test.each([
      ["a", 10, "Invocation", "registered"],
      ["trimmed", 20, "Invocation", "seen"],
      ["e", 30, "Event", "emitted"],
      ["t", 40, "Trigger run", "claimed"],
      ["u", 50, "Trigger run", "executed"],
    ])("%s is reported as not begun yet, with the time when it began", async (id, since, what, how) => {
      const [before, began] = [utcText(at(since - 1), true), utcText(at(since), true)];
      const sentence = `${what} "${id}" was not ${how} yet at ${before}; it was ${how} at ${began}.`;
      expect(await failure(id, at(since - 1))).toEqual([true, sentence, null]);
      expect(await failure(id, at(since))).toBe("found");
    });

    test("report an id that was never stored as missing", async () => {
      expect(await failure("nothing", at(5))).toEqual([
        true,
        'No event, invocation or trigger run "nothing" in this store.',
        `Nothing is known about it as of ${utcText(at(5), true)}.`,
      ]);
    });

    test("have a note below the timeline, for at most three ids", async () => {
      const notesAt = async (then: number, raw: RawInput) => {
        const found = await timeline(
          app.opened,
          await readTimelineInput(app.opened, { ...raw, at: [String(at(then))] }),
        );
        return found.notes.filter((note) => / yet at |there yet either/.test(note)).map((note) => note.slice(0, 33));
      };
      expect(await notesAt(5, { inv_ids: ["a"], focus_event: ["e"] })).toEqual([
        'Invocation "a" was not registered',
        'Event "e" was not emitted yet at ',
      ]);
      expect(await notesAt(15, { inv_ids: ["a"], selected: ["trimmed"] })).toEqual([
        'Invocation "trimmed" was not seen',
      ]);
      for (let n = 0; n < 5; n++) app.invocation(`many-${n}`, { history: [[at(10), "registered"]] });
      const many = Array.from({ length: 5 }, (_, n) => `many-${n}`).join();
      expect((await notesAt(5, { inv_ids: [many] })).slice(2)).toEqual([
        'Invocation "many-2" was not regis',
        "2 more were not there yet either.",
      ]);
    });
  });

  test("refuse reads of rows that only describe the present", async () => {
    const app = memoryApp().invocation("a").heartbeat("r1");
    const past = appAsOf(app.opened, at(20));
    await expect(past.store.read((reads) => reads.orchestrator.countHeartbeats())).rejects.toThrow("not known");
    await expect(past.store.read((reads) => reads.broker.countMessages())).rejects.toThrow("not known");
    await expect(past.inventory()).rejects.toThrow("not known");
  });
});
