/** Rows that are read once in a state of the store, and what is judged from them. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { AbandonedError } from "../../../src/errors.ts";
import { rowsOnce, ShortList, ShortLists } from "../../../src/services/app/kept-rows.ts";
import { type OpenedApp, openedApp, untilAborted } from "../../../src/services/app/opened-app.ts";
import { findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import type { AppReads, AppStore } from "../../../src/stores/ports/store.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { withRecovery } from "../../support/verdicts.ts";

/** An invocation on a runner that was last heard of at `at(0)`, and a runner that lives. */
function withRunning(app = memoryApp({ now: at(60) })): MemoryApp {
  return withRecovery(app)
    .runner("r1", { created: at(-90_000), last: at(0) })
    .runner("r2", { created: at(-90_000), last: at(60) })
    .invocation("a", {
      history: [
        [at(-2), "registered"],
        [at(-1), "pending", "r1"],
        [at(0), "running", "r1"],
      ],
    });
}

/** The app over another store, and how often ports were asked since the last call. */
function counted(app: MemoryApp, change: (store: AppStore) => AppStore = (store) => store) {
  const { store, calls } = counting(app.store);
  let before = 0;
  return {
    opened: openedApp(change(store), app.opened.settings, () => app.now, { clock: () => 0 }),
    calls() {
      const since = calls() - before;
      before = calls();
      return since;
    },
  };
}

const codes = (opened: OpenedApp) =>
  opened.store.read(async (reads) => (await findVerdicts(opened, reads, null)).map(({ code }) => code));

const statusOf = (opened: OpenedApp, id: string) =>
  opened.store.read(async (reads) => (await reads.orchestrator.statusesByIds([id]))[0]?.status);

describe("the rows that verdicts are judged from", () => {
  it("are not read again while the store is unchanged, although the clock goes on", async () => {
    const app = withRunning();
    const { opened, calls } = counted(app);
    expect(await codes(opened)).toEqual([]);
    expect(calls()).toBeGreaterThan(10);
    app.now = at(61.5);
    expect(await codes(opened)).toEqual([]);
    expect(calls()).toBe(0);
  });

  it("show a runner that has fallen silent without a change of the store", async () => {
    const app = withRunning();
    const { opened, calls } = counted(app);
    expect(await codes(opened)).toEqual([]);
    calls();
    app.now = at(601);
    expect(await codes(opened)).toEqual(["running_on_dead_runner"]);
    expect(calls()).toBe(0);
  });

  it("show an invocation that has become due for recovery without a change of the store", async () => {
    const app = withRunning().invocation("b", {
      history: [
        [at(56), "registered"],
        [at(57), "pending", "r2"],
      ],
    });
    const { opened, calls } = counted(app);
    expect(await codes(opened)).toEqual([]);
    calls();
    app.now = at(65);
    expect(await codes(opened)).toEqual(["stuck_pending"]);
    // The latest run of its recovery is read once.
    expect(calls()).toBe(1);
    expect(await codes(opened)).toEqual(["stuck_pending"]);
    expect(calls()).toBe(0);
  });

  it("are read again after a change of the store", async () => {
    const app = withRunning();
    const { opened } = counted(app);
    app.now = at(601);
    expect(await codes(opened)).toEqual(["running_on_dead_runner"]);
    app.change(({ heartbeats }) => {
      for (const beat of heartbeats) beat.last_heartbeat = at(600);
    });
    expect(await codes(opened)).toEqual([]);
    app.change(({ statuses }) => {
      for (const row of statuses) row.status = "success";
    });
    expect(await statusOf(opened, "a")).toBe("success");
  });

  it("are read again after an action, even if the version of the store is the same", async () => {
    const app = withRunning();
    const { opened, calls } = counted(app, (store) => ({ ...storeWith(store, store.read), version: async () => "1" }));
    await codes(opened);
    await opened.store.actions.purgeQueue("mail");
    calls();
    await codes(opened);
    expect(calls()).toBeGreaterThan(10);
  });

  it("are those of each app", async () => {
    const [mine, yours] = [withRunning(), memoryApp({ app_id: "other" })];
    const [one, other] = [counted(mine).opened, counted(yours).opened];
    expect([await statusOf(one, "a"), await statusOf(other, "a")]).toEqual(["running", undefined]);
    expect([await statusOf(one, "a"), await statusOf(other, "a")]).toEqual(["running", undefined]);
  });
});

describe("rows are not kept beyond a read", () => {
  /** How often ports were asked for a second look. */
  async function secondLook(change: (store: AppStore) => AppStore): Promise<number> {
    const { opened, calls } = counted(withRunning(), change);
    await codes(opened);
    calls();
    await codes(opened);
    return calls();
  }

  it("if the store changed between the look at its version and the beginning of the snapshot", async () => {
    const app = withRunning();
    let meanwhile = () => {};
    const { opened } = counted(app, (store) =>
      storeWith(store, (fn, signal) => {
        meanwhile();
        return store.read(fn, signal);
      }),
    );
    expect(await statusOf(opened, "a")).toBe("running");
    meanwhile = () =>
      app.change(({ statuses }) => {
        for (const row of statuses) row.status = "success";
      });
    expect(await statusOf(opened, "a")).toBe("success");
  });

  it("if the version of the store may miss changes", async () => {
    const version = async () => "~1";
    expect(await secondLook((store) => ({ ...storeWith(store, store.read), version }))).toBeGreaterThan(10);
  });

  it("if a server finds them by a search that goes on", async () => {
    const onServer = (store: AppStore) => ({ ...storeWith(store, store.read), isolated: false });
    const asked = await secondLook(onServer);
    expect(asked).toBeGreaterThan(3);
    expect(asked).toBeLessThan(12);
  });

  it("if there are very many of them", async () => {
    const app = memoryApp().invocations(3_000);
    const { opened, calls } = counted(app);
    const list = (limit: number) =>
      opened.store.read((reads) => reads.orchestrator.listInvocations({}, { limit, offset: 0 }));
    await list(2_000);
    await list(3_000);
    calls();
    await list(2_000);
    expect(calls()).toBe(0);
    await list(3_000);
    expect(calls()).toBe(1);
    for (let limit = 1_980; limit < 2_000; limit++) await list(limit);
    calls();
    await list(2_000);
    expect(calls()).toBe(1);
  });

  it("if the client went away, so that its error is not another client's", async () => {
    const app = withRunning();
    const { opened } = counted(app);
    const gone = new AbortController();
    const read = untilAborted(opened, gone.signal).store.read(async (reads) => {
      gone.abort();
      return reads.orchestrator.heartbeats({ limit: 10, offset: 0 });
    });
    await expect(read).rejects.toThrow(AbandonedError);
    expect(await opened.store.read((reads) => reads.orchestrator.countHeartbeats())).toBe(2);
  });
});

describe("a row", () => {
  it("that a list had is not read again by its id, with or without a status", async () => {
    const app = withRunning().invocation("b", { status: null });
    const { opened, calls } = counted(app);
    const read = () =>
      opened.store.read(async ({ orchestrator }) => {
        await orchestrator.listInvocations({}, { limit: 10, offset: 0 });
        return orchestrator.statusesByIds(["b", "a", "a"]);
      });
    expect(await read()).toEqual(await app.store.read((reads) => reads.orchestrator.statusesByIds(["a"])));
    expect(calls()).toBe(2);
    await read();
    expect(calls()).toBe(0);
  });

  it("cannot be changed by one of its readers", async () => {
    const { opened } = counted(withRunning());
    await opened.store.read(async ({ orchestrator }) => {
      const rows = await orchestrator.listInvocations({}, { limit: 10, offset: 0 });
      expect(() => rows.pop()).toThrow(TypeError);
      expect(() => Object.assign(rows[0] ?? {}, { status: "failed" })).toThrow(TypeError);
    });
  });
});

describe("what is asked of runners", () => {
  const instant = fc.integer({ min: 0, max: 20 }).map((tenth) => at(tenth * 10));
  const runners = (count: number) =>
    fc.array(fc.record({ last: instant, queues: fc.option(fc.constantFrom([], ["mail"], ["mail", "slow"])) }), {
      minLength: count,
      maxLength: count,
    });

  /** What a store answers, and what is answered from rows that are read once. */
  async function threeWays<Answer>(app: MemoryApp, ask: (port: AppReads["orchestrator"]) => Promise<Answer>) {
    return app.store.read(async ({ orchestrator }) => [
      await ask(orchestrator),
      await ask(rowsOnce(orchestrator, async () => new Map(), new ShortLists())),
      await ask(rowsOnce(orchestrator, async () => new Map(), null)),
    ]);
  }

  it.each([0, 3, 230])("is what the store answers, of %i runners", async (count) => {
    const worlds = fc.record({ runners: runners(count), since: instant, limit: fc.nat(250), offset: fc.nat(250) });
    await fc.assert(
      fc.asyncProperty(worlds, async ({ runners: some, since, limit, offset }) => {
        const app = memoryApp();
        for (const [n, { last, queues }] of some.entries()) {
          app.heartbeat(`r${n}`, { last_heartbeat: last, consumed_queues: queues });
          if (n % 50 === 0)
            app.invocation(`i${n}`, {
              history: [
                [last, "registered"],
                [last, "running", `r${n}`],
              ],
            });
          if (n % 50 === 1)
            app.invocation(`i${n}`, {
              history: [
                [last, "registered"],
                [last, "pending", `r${n}`],
              ],
            });
        }
        const [stored, ofFile, ofServer] = await threeWays(app, async (port) => ({
          listed: await port.heartbeats({ limit, offset }),
          active: await port.heartbeats({ limit, offset }, since),
          counts: [await port.countHeartbeats(), await port.countHeartbeats(since)],
          consumers: new Set((await port.consumers(since))?.map((one) => JSON.stringify(one))),
          byIds: new Set(await port.heartbeatsByIds(["r1", "r2", "nobody"])),
          owned: await port.ownedByDeadRunner(["running", "paused"], since, 3),
          pending: await port.pendingSince(since, 3),
        }));
        expect(ofFile).toEqual(stored);
        expect(ofServer).toEqual(stored);
      }),
      { numRuns: count > 100 ? 20 : 60 },
    );
  });

  it("is read with one call for nearly every app", async () => {
    const app = withRunning();
    await app.store.read(async ({ orchestrator }) => {
      const heartbeats = vi.fn((...args: Parameters<typeof orchestrator.heartbeats>) =>
        orchestrator.heartbeats(...args),
      );
      const countHeartbeats = vi.fn(orchestrator.countHeartbeats);
      const port = rowsOnce({ ...orchestrator, heartbeats, countHeartbeats }, async () => new Map(), new ShortLists());
      await port.countHeartbeats(at(0));
      expect((await port.consumers(at(0)))?.length).toBe(1);
      expect(await port.heartbeatsByIds(["r1"])).toHaveLength(1);
      expect(countHeartbeats).not.toHaveBeenCalled();
    });
  });
});

describe("a list that is read as a whole while it is short", () => {
  /** The numbers of rows that were asked for, and the answers, in that many snapshots of a list of this length. */
  async function snapshots(list: ShortList, length: number, count: number) {
    const asked: number[] = [];
    const answers: (number | null)[] = [];
    for (let n = 0; n < count; n++) {
      const rows = list.over(async (limit) => {
        asked.push(limit);
        return Array.from({ length: Math.min(limit, length) }, (_, i) => i);
      });
      expect(await rows()).toEqual(await rows());
      answers.push((await rows())?.length ?? null);
    }
    return { asked, answers };
  }

  it("is read once in each snapshot", async () => {
    const { asked, answers } = await snapshots(new ShortList(3), 3, 4);
    expect(asked).toEqual([4, 4, 4, 4]);
    expect(answers).toEqual([3, 3, 3, 3]);
  });

  it("is left alone for twenty snapshots after it was too long", async () => {
    const list = new ShortList(3);
    const tooLong = await snapshots(list, 100, 21);
    expect(tooLong.asked).toEqual([4]);
    expect(new Set(tooLong.answers)).toEqual(new Set([null]));
    const shortAgain = await snapshots(list, 2, 2);
    expect(shortAgain.answers).toEqual([2, 2]);
  });

  it("of open invocations is not read in the snapshots after there were too many", async () => {
    const app = memoryApp();
    for (let n = 0; n < 1_005; n++) app.invocation(`i${n}`, { history: [[at(n), "registered"]] });
    await app.store.read(async ({ orchestrator }) => {
      const listInvocations = vi.fn(orchestrator.listInvocations);
      const countInvocations = vi.fn(orchestrator.countInvocations);
      const lists = new ShortLists();
      const limits = () => listInvocations.mock.calls.map(([, { limit }]) => limit);
      for (let n = 0; n < 3; n++) {
        const port = rowsOnce({ ...orchestrator, listInvocations, countInvocations }, async () => new Map(), lists);
        expect(await port.listInvocations({ statuses: ["registered"] }, { limit: 2, offset: 0 })).toHaveLength(2);
        expect(await port.countInvocations({ statuses: ["registered"] }, 5_000)).toBe(1_005);
      }
      expect(limits()).toEqual([1_001, 2, 2, 2]);
    });
  });
});
