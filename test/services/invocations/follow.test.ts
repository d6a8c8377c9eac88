/** Status changes as they are written, with a clock that moves only when something waits. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FollowedStatus } from "../../../src/api/wait.ts";
import type { HistoryRecord } from "../../../src/pynenc/records.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { followInvocations } from "../../../src/services/invocations/follow.ts";
import { readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import type { InvocationFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { differences } from "../../support/answers.ts";
import { clockOf } from "../../support/following.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

interface Told {
  rows: string[];
  notes: string[];
}

/** What is told while these deeds happen, one at each pause. */
async function told(
  app: MemoryApp,
  deeds: readonly (() => unknown)[],
  { filter = NO_FILTER, opened = app.opened }: { filter?: InvocationFilter; opened?: OpenedApp } = {},
): Promise<Told> {
  const all: Told = { rows: [], notes: [] };
  for await (const { rows, notes } of followInvocations(opened, filter, clockOf(deeds))) {
    expect(rows.flatMap((row) => differences(FollowedStatus, row))).toEqual([]);
    all.rows.push(...rows.map((row) => `${row.invocation_id} ${row.status}`));
    all.notes.push(...notes);
  }
  return all;
}

function entry(invocation_id: string, status: string, written: number, runner = "r1"): HistoryRecord {
  return {
    invocation_id,
    status,
    timestamp: at(written),
    written_at: at(written),
    status_runner_id: runner,
    runner_context_id: runner,
    registered_by_inv_id: null,
  };
}

const writes = (app: MemoryApp, ...entries: HistoryRecord[]) => {
  return () => app.change((rows) => rows.history.push(...entries));
};

/** A store that finds entries by their time, as a Redis server does: a late one comes before the cursor and is only counted. */
function byTime(app: MemoryApp): OpenedApp {
  const sorted = () => app.rows(({ history }) => [...history].sort((a, b) => a.written_at - b.written_at));
  const placeAt = (time: number) => `${time} ${sorted().filter((one) => one.written_at <= time).length}`;
  const historyFrom = async (cursor: string) => {
    const [time = 0, before = 0] = cursor.split(" ").map(Number);
    const behind = sorted().filter((one) => one.written_at <= time).length;
    const entries = sorted().filter((one) => one.written_at > time);
    const next = placeAt(entries.at(-1)?.written_at ?? time);
    return { entries, cursor: next, exhausted: true, lost: false, late: behind - before };
  };
  const read: MemoryApp["store"]["read"] = (fn) =>
    app.store.read((reads: AppReads) => {
      const state_backend = Object.create(reads.state_backend, {
        historyEnd: { value: async () => placeAt(sorted().at(-1)?.written_at ?? 0) },
        historyFrom: { value: historyFrom },
      });
      return fn({ ...reads, state_backend });
    });
  const version = () => app.store.version();
  return { ...app.opened, store: Object.create(app.store, { read: { value: read }, version: { value: version } }) };
}

describe("following invocations", () => {
  test("gives new entries in the order in which they were written", async () => {
    const app = memoryApp().invocation("a", { history: [[at(0), "registered"]] });
    const found = await told(app, [
      writes(app, entry("a", "pending", 1)),
      () => undefined,
      writes(app, entry("a", "running", 2), entry("b", "registered", 2)),
      writes(app, entry("a", "success", 3)),
    ]);
    expect(found).toEqual({ rows: ["a pending", "a running", "b registered", "a success"], notes: [] });
  });

  test("gives each change once, however many are written at a time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2_500), { maxLength: 4 }), fc.boolean(), async (amounts, timed) => {
        const app = memoryApp().invocation("old");
        let n = 0;
        const deeds = amounts.map((amount) => () => {
          const many = Array.from({ length: amount }, () => entry(`i${n}`, "running", 1 + n++ / 1_000));
          return app.change((rows) => rows.history.push(...many));
        });
        const { rows, notes } = await told(app, deeds, timed ? { opened: byTime(app) } : {});
        const total = amounts.reduce((sum, amount) => sum + amount, 0);
        expect([rows, notes]).toEqual([Array.from({ length: total }, (_, i) => `i${i} running`), []]);
      }),
      { numRuns: 12 },
    );
  });

  test("finds changes with an earlier timestamp, once, and none from before it began", async () => {
    const app = memoryApp().invocation("old", {
      history: [
        [at(90), "registered"],
        [at(100), "success"],
      ],
    });
    const opened = byTime(app);
    const deeds = [
      writes(app, entry("late", "running", 95)),
      writes(app, entry("a", "running", 101), entry("later", "running", 96)),
      writes(app, entry("late", "success", 100.5)),
    ];
    const { rows, notes } = await told(app, deeds, { opened });
    expect([rows.toSorted(), notes]).toEqual([["a running", "late running", "late success", "later running"], []]);
  });

  test("counts the changes that came too late to be found", async () => {
    const app = memoryApp().invocation("old", { history: [[at(1_000), "success"]] });
    const deeds = [writes(app, entry("a", "running", 1), entry("b", "running", 2), entry("c", "running", 950))];
    const { rows, notes } = await told(app, deeds, { opened: byTime(app) });
    expect(rows).toEqual(["c running"]);
    expect(notes).toEqual([expect.stringMatching(/^2 status changes not printed: .*120 s ago/)]);
  });

  test("refuses a time range, and names the one that was given", () => {
    const app = memoryApp();
    const follow = (more: Partial<InvocationFilter>) => () =>
      followInvocations(app.opened, { ...NO_FILTER, ...more }, clockOf([]));
    expect(follow({ from: at(1) })).toThrow(`from: "${isoFromEpoch(at(1))}"`);
    expect(follow({ to: at(1) })).toThrow(`to: "${isoFromEpoch(at(1))}"`);
    expect(follow({ status_mode: "history" })).toThrow(`status_mode: "history"`);
  });

  test("continues after a purge with all entries written after it", async () => {
    const app = memoryApp().invocation("old", { history: [[at(1), "success"]] });
    const purge = () =>
      app.change((rows) => {
        rows.history.length = 0;
        rows.history.push(entry("new", "registered", 9));
      });
    const found = await told(app, [purge, writes(app, entry("new", "pending", 10))]);
    expect(found.rows).toEqual(["new registered", "new pending"]);
    expect(found.notes).toEqual([expect.stringMatching(/was purged/)]);
  });

  test("notices that the history was replaced by another one", async () => {
    const app = memoryApp().invocation("old", { history: [[at(100), "success"]] });
    const replace = () =>
      app.change((rows) => {
        rows.history.length = 0;
        rows.history.push(entry("other", "registered", 2), entry("other", "pending", 3));
      });
    const found = await told(app, [replace, writes(app, entry("other", "running", 101))]);
    expect(found.rows).toEqual(["other running"]);
    expect(found.notes).toEqual([expect.stringMatching(/was replaced/)]);
  });

  test.each([
    [{ status: ["failed"] }, ["a failed"]],
    [{ task_id: ["shop.ship"] }, ["b running", "b success"]],
    [{ runner: ["r2"] }, ["b running", "b success"]],
    [{ registered_by: ["client"] }, ["c registered"]],
    [{ id_prefix: ["a"] }, ["a running", "a failed"]],
    [{ inv_ids: ["a,c"] }, ["a running", "c registered", "a failed"]],
    [{ q: ["arg:9 status:running,failed"] }, ["a running", "a failed"]],
    [{ q: ["-task:ship is:final"] }, ["a failed"]],
  ])("has only the changes that match the filter %j", async (raw, expected) => {
    const app = memoryApp()
      .invocation("a", { arguments: { order: "9" } })
      .invocation("b", { task: "shop.ship" });
    app.runner("r1").runner("r2").context("client");
    const { filter } = await readInvocationInput(app.opened, raw);
    const deeds = [
      writes(app, entry("a", "running", 1), entry("b", "running", 1, "r2")),
      () => app.invocation("c", { history: [[at(2), "registered", "client"]] }),
      writes(app, entry("a", "failed", 3), entry("b", "success", 3, "r2")),
    ];
    expect(await told(app, deeds, { filter })).toEqual({ rows: expected, notes: [] });
  });

  test.each([{ from: ["1h"] }, { to: ["1m"] }, { status: ["failed"], status_mode: ["history"] }])(
    "refuses the filter %j",
    async (raw) => {
      const app = memoryApp().invocation("a");
      const { filter } = await readInvocationInput(app.opened, raw);
      await expect(told(app, [], { filter })).rejects.toThrow(/--follow/);
    },
  );
});
