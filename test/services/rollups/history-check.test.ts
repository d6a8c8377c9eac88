/** Saved figures and those of a running monitor, after old rows were deleted, restored, rewritten or inserted. */
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { HistoryRecord } from "../../../src/pynenc/records.ts";
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
