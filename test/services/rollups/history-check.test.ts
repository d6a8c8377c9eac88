/** Saved figures and those of a running monitor, after old rows were deleted, restored, rewritten or inserted. */
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { HistoryRecord } from "../../../src/pynenc/records.ts";
import type { TimeSpan } from "../../../src/rollups/buckets.ts";
import { HistoryCheck } from "../../../src/rollups/history-check.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { Rollup } from "../../../src/rollups/rollup.ts";
import { CacheFile } from "../../../src/services/rollups/cache-file.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { Keeper } from "../../../src/services/rollups/keeper.ts";
import { cases } from "../../support/cases.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { countStatements } from "../../support/statements.ts";
import { caughtUp, everythingOf, expectTrueWhereComplete, fresh } from "../../support/true-figures.ts";

const SPAN = 3 * 3_600;
const EVERYTHING = { from: at(-60), to: at(2 * SPAN) };
/** The last hours of it, from the newest to the oldest, and everything. */
const SPANS = [...[1, 2, 3, 4].map((hours) => ({ from: at((4 - hours) * 3_600), to: at(2 * SPAN) })), EVERYTHING];

const EDITS: Readonly<Record<string, (history: HistoryRecord[], place: number, deleted: HistoryRecord[]) => void>> = {
  "deletes a row": (history, place, deleted) => deleted.push(...history.splice(place, 1)),
  "deletes the rows of an invocation": (history, place, deleted) => {
    const id = history[place]?.invocation_id;
    for (let row = history.length - 1; row >= 0; row--) {
      if (history[row]?.invocation_id === id) deleted.push(...history.splice(row, 1));
    }
  },
  "rewrites a status": rewrite(() => ({ status: "failed" })),
  "rewrites when a status was entered": rewrite(({ timestamp }) => ({ timestamp: timestamp - 400 })),
  "rewrites when a row was written": rewrite(({ written_at }) => ({ written_at: written_at - 4_000 })),
  "rewrites a runner": rewrite(() => ({ status_runner_id: "r9", runner_context_id: "r9" })),
  "rewrites whose row it is": rewrite(({ invocation_id }) => ({ invocation_id: `other ${invocation_id}` })),
  "inserts an old row": (history, place) => {
    const row = history[place];
    if (row === undefined) return;
    // No two of them at the same moment.
    const later = 0.5 + history.length / 1_000;
    history.push({ ...row, status: "retry", timestamp: row.timestamp + later, written_at: row.written_at + later });
  },
  "restores deleted rows as new ones": (history, _, deleted) => history.push(...deleted.splice(0)),
  "restores deleted rows in their places": (history, _, deleted) => {
    history.push(...deleted.splice(0));
    history.sort((a, b) => a.written_at - b.written_at);
  },
};

function rewrite(change: (row: HistoryRecord) => Partial<HistoryRecord>) {
  return (history: HistoryRecord[], place: number) => {
    const row = history[place];
    if (row !== undefined) history[place] = { ...row, ...change(row) };
  };
}

/** Without statuses within half a minute of each other: old versions of pynenc store them in any order, so it is no sign of rows that came back. */
const livesInOrder = lives(25, SPAN).map((all) =>
  all.map((life) => ({ ...life, moves: life.moves.map((move) => ({ ...move, seconds: move.seconds + 31 })) })),
);

const edits = fc.array(
  fc.record({ kind: fc.constantFrom(...Object.keys(EDITS)), place: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
  { minLength: 1, maxLength: 5 },
);

function edit(app: MemoryApp, { kind, place }: { kind: string; place: number }, deleted: HistoryRecord[]): void {
  app.change(({ history }) => EDITS[kind]?.(history, Math.floor(place * history.length), deleted));
}

/** Each is an hour after the one before, takes half an hour, and fails. */
const hourly = (hours: number): MemoryApp => {
  const app = memoryApp({ now: at(hours * 3_600) });
  for (let hour = 0; hour < hours; hour++) {
    app.invocation(`i${hour}`, {
      history: [
        [at(hour * 3_600 + 60), "registered"],
        [at(hour * 3_600 + 90), "running", "r1"],
        [at(hour * 3_600 + 1_890), "failed", "r1"],
      ],
    });
  }
  return app;
};

/** Goes on from what another one saved, unless the ends of the history have moved. */
async function resumed(app: MemoryApp, from: Follower, stretch: number): Promise<Follower> {
  const follower = new Follower(app.store, () => app.now, stretch);
  await follower.resume(deserialize(serialize(from.saved())));
  return follower;
}

const completeSince = (follower: Follower, since: number) =>
  rollupAnswers(follower).rows({ from: since, to: since + 7 * 3_600 }, "task").complete;

describe("figures saved by an earlier run", () => {
  test("are only called complete where they are correct, whatever happened to rows since", async () => {
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(
        livesInOrder,
        fc.integer({ min: 3, max: 60 }),
        edits,
        fc.integer({ min: 1, max: 40 }),
        async (all, stretch, changes, steps) => {
          let now = at(10 * SPAN);
          const app = live(memoryApp({ now }), all);
          const first = new Follower(app.store, () => now, stretch);
          for (let step = 0, more = true; step < steps && more; step++) more = await first.step();
          const saved = first.saved();
          const deleted: HistoryRecord[] = [];
          for (const one of changes) edit(app, one, deleted);
          const second = new Follower(app.store, () => now, stretch);
          if (saved !== null && (await second.resume(deserialize(serialize(saved))))) checked++;
          let truth = await fresh(app.store, () => now);
          for (let more = true; more; ) {
            more = await second.step();
            expectTrueWhereComplete(second, truth, SPANS);
          }
          // What comes back while the second one runs.
          edit(app, { kind: "restores deleted rows as new ones", place: 0 }, deleted);
          await caughtUp(second);
          truth = await fresh(app.store, () => now);
          expectTrueWhereComplete(second, truth, SPANS);
          now += 2 * 3_600;
          await caughtUp(second);
          truth = await fresh(app.store, () => now);
          expect(expectTrueWhereComplete(second, truth, SPANS)).toBe(SPANS.length);
          expect(everythingOf(second, EVERYTHING)).toEqual(everythingOf(truth, EVERYTHING));
        },
      ),
      { numRuns: cases(200) },
    );
    expect(checked).toBeGreaterThan(0);
  });

  for (const kind of Object.keys(EDITS)) {
    test(`are recounted after another program ${kind} in the middle of the history`, async () => {
      const app = hourly(6);
      const first = await caughtUp(new Follower(app.store, () => app.now));
      const deleted: HistoryRecord[] = [];
      if (kind.startsWith("restores")) {
        // They were counted without these rows.
        edit(app, { kind: "deletes a row", place: 0.4 }, deleted);
        await caughtUp(first);
      }
      const before = kind.startsWith("restores") ? await fresh(app.store, () => app.now) : first;
      edit(app, { kind, place: 0.4 }, deleted);
      const second = await resumed(app, before, 4);
      const truth = await fresh(app.store, () => app.now);
      for (let more = true; more; ) {
        more = await second.step();
        expectTrueWhereComplete(second, truth, SPANS);
      }
      expect(expectTrueWhereComplete(second, truth, SPANS)).toBe(SPANS.length);
    });
  }

  test("become complete from the newest hour backwards, as far as they were compared", async () => {
    const app = hourly(6);
    const second = await resumed(app, await caughtUp(new Follower(app.store, () => app.now)), 3);
    const reached: boolean[][] = [];
    for (let more = true; more; ) {
      more = await second.step();
      reached.push([5, 4, 3, 2, 1, 0].map((hour) => completeSince(second, at(hour * 3_600))));
    }
    expect(reached.slice(1, 4)).toEqual([
      [true, false, false, false, false, false].map((_, n) => n < 1),
      [true, true, false, false, false, false],
      [true, true, true, false, false, false],
    ]);
    expect(reached.at(-1)).toEqual([true, true, true, true, true, true]);
  });

  test("are complete only after the earlier rows that they depend on were compared", async () => {
    const app = hourly(6).invocation("long", {
      history: [
        [at(1 * 3_600 + 100), "registered"],
        [at(5 * 3_600 + 100), "running", "r1"],
      ],
    });
    app.inOrder();
    const first = await caughtUp(new Follower(app.store, () => app.now));
    // It was registered earlier than was counted, so it waited longer.
    app.change(({ history }) => {
      const row = history.findIndex(({ invocation_id }) => invocation_id === "long");
      EDITS["rewrites when a status was entered"]?.(history, row, []);
    });
    const second = await resumed(app, first, 4);
    const truth = await fresh(app.store, () => app.now);
    let complete = 0;
    for (let more = true; more; ) {
      more = await second.step();
      complete += expectTrueWhereComplete(second, truth, [{ from: at(5 * 3_600), to: at(6 * 3_600) }]);
    }
    expect(complete).toBeGreaterThan(0);
  });

  test("can be compared while new rows are written", async () => {
    const app = hourly(6);
    const second = await resumed(app, await caughtUp(new Follower(app.store, () => app.now)), 2);
    for (let n = 0; n < 5; n++) {
      app.invocation(`new${n}`, { history: [[at(6 * 3_600 + n), "registered"]] });
      await second.step();
    }
    await caughtUp(second);
    const { foldedRange } = second;
    expect(second.reach).toMatchObject({ whole: true, checking: false });
    // They were not counted again.
    expect(foldedRange.startsWith("0 ")).toBe(true);
  });

  test("are dropped if they were not compared before a purge", async () => {
    const app = hourly(6);
    const second = await resumed(app, await caughtUp(new Follower(app.store, () => app.now)), 2);
    await second.step();
    app.change(({ history }) => history.splice(0));
    app.invocation("later", { history: [[at(6 * 3_600), "registered"]] });
    await caughtUp(second);
    expect(second.reach.purged_at).toBeNull();
    const { rows } = rollupAnswers(second).rows({ from: at(0), to: at(7 * 3_600) }, "total");
    expect(rows.map(({ entered }) => entered)).toEqual([{ registered: 1 }]);
  });
});

describe("saved figures of a span that is compared before the rest", () => {
  const hour = (n: number) => ({ from: at(n * 3_600), to: at((n + 1) * 3_600) });
  const HOURS = Array.from({ length: 6 }, (_, n) => hour(n));

  const inHour = ({ written_at }: HistoryRecord, n: number) => Math.floor((written_at - at(0)) / 3_600) === n;

  /** Ends 10 minutes into the hour after the one in which it began. */
  const across = (begins: number) => {
    const app = hourly(7).invocation("across", {
      history: [
        [at(begins * 3_600 + 3_000), "registered"],
        [at(begins * 3_600 + 3_100), "running", "r1"],
        [at(begins * 3_600 + 4_200), "success", "r1"],
      ],
    });
    app.inOrder();
    return app;
  };

  /** Continues what was counted before `change`, and compares the span first: how many times, and whether the span is complete then. */
  async function compared(app: MemoryApp, span: TimeSpan, change: () => void = () => undefined) {
    const first = await fresh(app.store, () => app.now);
    change();
    const second = await resumed(app, first, 4);
    const truth = await fresh(app.store, () => app.now);
    let more = true;
    let steps = 0;
    while (more && second.reach.checking && !second.covers(span)) {
      more = await second.step(span);
      steps++;
      expectTrueWhereComplete(second, truth, [...HOURS, span]);
    }
    return { second, steps, counted_again: !second.reach.checking };
  }

  test("are only called complete where they are correct, whatever happened to rows since", async () => {
    // Rows are found by their time: a row that was moved to another hour is noticed in its turn.
    const kinds = Object.keys(EDITS).filter((kind) => kind !== "rewrites when a row was written");
    let early = 0;
    await fc.assert(
      fc.asyncProperty(
        livesInOrder,
        fc.integer({ min: 3, max: 60 }),
        fc.array(
          fc.record({ kind: fc.constantFrom(...kinds), place: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
          {
            maxLength: 4,
          },
        ),
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 1, max: 2 }),
        async (all, stretch, changes, begins, hours) => {
          const now = at(10 * SPAN);
          const app = live(memoryApp({ now }), all);
          const saved = (await fresh(app.store, () => now)).saved();
          const deleted: HistoryRecord[] = [];
          for (const one of changes) edit(app, one, deleted);
          const second = new Follower(app.store, () => now, stretch);
          if (saved !== null) await second.resume(deserialize(serialize(saved)));
          const truth = await fresh(app.store, () => now);
          const span = { from: at(begins * 3_600), to: at((begins + hours) * 3_600) };
          for (let more = true; more; ) {
            more = await second.step(span);
            if (second.reach.checking && second.covers(span)) early++;
            expectTrueWhereComplete(second, truth, [...HOURS, span]);
          }
        },
      ),
      { numRuns: cases(200) },
    );
    expect(early).toBeGreaterThan(0);
  });

  test("are complete without reading other hours, even if rows of those are gone", async () => {
    const app = across(2);
    const { second, steps, counted_again } = await compared(app, hour(3), () =>
      app.change(({ history }) => history.splice(0, history.length, ...history.filter((row) => !inHour(row, 1)))),
    );
    // Those of the hour, and of the one in which an invocation began that ended in it.
    expect({ steps, counted_again, complete: second.covers(hour(3)) }).toEqual({
      steps: 2,
      counted_again: false,
      complete: true,
    });
    expect([hour(1), hour(2), hour(5)].map((one) => second.covers(one))).toEqual([false, true, false]);
  });

  for (const kind of [
    "deletes a row",
    "rewrites a status",
    "rewrites a runner",
    "rewrites when a status was entered",
  ]) {
    for (const [where, n] of [
      ["the hour", 3],
      ["the hour before it, in which an invocation began", 2],
    ] as const) {
      test(`are counted again if another program ${kind} in ${where}`, async () => {
        const app = across(2);
        const { counted_again } = await compared(app, hour(3), () =>
          app.change(({ history }) => {
            const place = history.findIndex((row) => row.invocation_id === "across" && inHour(row, n));
            EDITS[kind]?.(history, place, []);
          }),
        );
        expect(counted_again).toBe(true);
      });
    }
  }

  for (const [where, n] of [
    ["the hour", 3],
    ["the hour before it, in which an invocation began", 2],
  ] as const) {
    test(`are counted again if rows have come back in ${where}`, async () => {
      const app = across(2);
      const deleted: HistoryRecord[] = [];
      app.change(({ history }) => {
        const place = history.findIndex((row) => row.invocation_id === `i${n}` && inHour(row, n));
        EDITS["deletes a row"]?.(history, place, deleted);
      });
      const { counted_again } = await compared(app, hour(3), () =>
        app.change(({ history }) => EDITS["restores deleted rows in their places"]?.(history, 0, deleted)),
      );
      expect(counted_again).toBe(true);
    });
  }

  test("are compared from the newest row on for the last hour, in which new rows may arrive", async () => {
    const app = across(5);
    const first = await fresh(app.store, () => app.now);
    const second = await resumed(app, first, 4);
    const reads = countStatements();
    onTestFinished(() => reads.stop());
    while (second.reach.checking && !second.covers(hour(6))) await second.step(hour(6));
    const methods = [...reads.taken().keys()].map((method) => method.split(" ")[0]);
    expect(methods).toContain("state_backend.printsBefore");
    expect(methods).not.toContain("state_backend.printsBetween");
  });
});

describe("figures saved as of a state of the store", () => {
  const folded = async (app: MemoryApp, state: () => string | null) => {
    const follower = new Follower(app.store, () => app.now, 4, state);
    const saved = () => follower.saved()?.state;
    return { follower: await caughtUp(follower), saved };
  };
  const continued = async (app: MemoryApp, from: Follower, state: () => string | null) => {
    const follower = new Follower(app.store, () => app.now, 4, state);
    await follower.resume(deserialize(serialize(from.saved())));
    return follower;
  };

  test("need not be compared while the store is in that state, and must be in any other or an unknown one", async () => {
    const app = hourly(6);
    const { follower } = await folded(app, () => "one");
    const whole = async (state: string | null) => (await continued(app, follower, () => state)).reach.checking;
    expect([await whole("one"), await whole("two"), await whole(null)]).toEqual([false, true, true]);
    const unknown = await folded(app, () => null);
    expect((await continued(app, unknown.follower, () => null)).reach.checking).toBe(true);
  });

  test("have none if the store has changed since they were begun, until all of them were compared", async () => {
    const app = hourly(6);
    let state: string | null = "one";
    const follower = new Follower(
      app.store,
      () => app.now,
      4,
      () => state,
    );
    await follower.step();
    state = "two";
    await caughtUp(follower);
    expect(follower.saved()?.state).toBeNull();
    const { foldedRange } = follower;
    for (let passed = 0; passed < 240; passed += 2) {
      app.now += 2;
      await caughtUp(follower);
    }
    expect(follower.saved()?.state).toBe("two");
    // So that they are saved again.
    expect(follower.foldedRange).not.toBe(foldedRange);
    state = "three";
    expect(follower.saved()?.state).toBeNull();
  });

  test("have none if the store has changed during the check", async () => {
    const app = hourly(6);
    const { follower } = await folded(app, () => "one");
    let state = "two";
    const second = await continued(app, follower, () => state);
    await second.step();
    state = "three";
    await caughtUp(second);
    expect(second.saved()?.state).toBeNull();
    expect(second.reach).toMatchObject({ whole: true, checking: false });
  });
});

describe("figures of a monitor that keeps running", () => {
  const looks = async (follower: Follower, app: MemoryApp, seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 2) {
      app.now += 2;
      await caughtUp(follower);
    }
  };

  for (const kind of Object.keys(EDITS).filter((one) => !one.startsWith("restores"))) {
    test(`are correct again minutes after another program ${kind} in an old hour`, async () => {
      const app = hourly(6);
      const follower = await caughtUp(new Follower(app.store, () => app.now, 5));
      await looks(follower, app, 120);
      edit(app, { kind, place: 0.4 }, []);
      // Eighteen rows are four stretches, and the check that is under way has perhaps passed the row.
      await looks(follower, app, 240);
      const truth = await fresh(app.store, () => app.now);
      expect(expectTrueWhereComplete(follower, truth, SPANS)).toBe(SPANS.length);
    });
  }

  test("are not recounted while nothing is wrong", async () => {
    const app = hourly(6);
    const follower = await caughtUp(new Follower(app.store, () => app.now, 5));
    const { foldedRange } = follower;
    await looks(follower, app, 600);
    expect(follower.foldedRange).toBe(foldedRange);
  });
});

describe("two monitors with one cache file", () => {
  const started = async (app: MemoryApp, file: CacheFile) => {
    const follower = new Follower(app.store, () => app.now, 5);
    const keeper = new Keeper(follower, file);
    await keeper.resume();
    return { follower, keeper };
  };

  test("each compare the saved figures themselves, whatever the other has compared", async () => {
    const folder = temporaryFolder();
    try {
      const file = new CacheFile(folder.path, "a store");
      const app = hourly(6);
      const one = await started(app, file);
      while (await one.keeper.step()) {}
      edit(app, { kind: "rewrites a status", place: 0.4 }, []);
      const truth = await fresh(app.store, () => app.now);
      // The other one counts again what differs, and keeps that.
      const other = await started(app, file);
      expect(other.follower.reach).toMatchObject({ checking: true, whole: false });
      for (let more = true; more; ) {
        more = await other.keeper.step();
        expectTrueWhereComplete(other.follower, truth, SPANS);
      }
      expect(expectTrueWhereComplete(other.follower, truth, SPANS)).toBe(SPANS.length);
      const third = await started(app, file);
      while (await third.keeper.step()) {}
      expect(third.follower.foldedRange.startsWith("0 ")).toBe(true);
      // The first one has not noticed yet, and writes its own figures when it stops.
      app.invocation("later", { history: [[at(6 * 3_600), "registered"]] });
      await one.keeper.step();
      one.keeper.save();
      const fourth = await started(app, file);
      const later = await fresh(app.store, () => app.now);
      for (let more = true; more; ) {
        more = await fourth.keeper.step();
        expectTrueWhereComplete(fourth.follower, later, SPANS);
      }
      expect(expectTrueWhereComplete(fourth.follower, later, SPANS)).toBe(SPANS.length);
    } finally {
      folder.remove();
    }
  });
});

test("a part that is counted again is accepted unless rows were read up to somewhere inside of it", () => {
  const check = new HistoryCheck(new Rollup());
  check.take([{ written_at: at(3_600), print: 1 }], false);
  const again = (from: number, to: number) =>
    check.shift({ from: at(from), to: at(to) }, { rows: 1, digest: 1 }, { rows: 1, digest: 1 });
  expect(again(0, 3_600)).toBe(true);
  expect(again(3_600, 7_200)).toBe(true);
  expect(again(3_540, 3_660)).toBe(false);
});

test("a check waits six seconds between its parts, and a minute before the next one begins", async () => {
  vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const app = memoryApp().invocations(15);
  let now = at(100);
  const follower = new Follower(app.store, () => now, 10);
  while (await follower.step()) {}
  /** How long it is not due any more. */
  const pause = async () => {
    const from = now;
    while (!follower.isCheckDue) now++;
    await follower.step();
    return now - from;
  };
  expect([await pause(), await pause(), await pause(), await pause()]).toEqual([60, 6, 60, 6]);
});
