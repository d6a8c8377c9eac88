/** The history from any cursor, while hosts with different clocks write it. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { historyJson } from "../../../../src/pynenc/history-json.ts";
import { isoFromEpoch } from "../../../../src/pynenc/time.ts";
import { rollupAnswers } from "../../../../src/rollups/reads.ts";
import { Follower } from "../../../../src/services/rollups/follower.ts";
import type { AppStore } from "../../../../src/stores/ports/store.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";
import { caughtUp, expectTrueWhereComplete, fresh } from "../../../support/true-figures.ts";

const PREFIX = "__pynenc__:late:state_backend:";
/** The beginning of a minute. */
const START = 1_795_220_040;

describeWithRedis("a history read by its index of times", () => {
  let server: RedisServer;
  let store: RedisStore;
  let app: AppStore;
  beforeAll(async () => {
    server = await startRedis();
    store = storeOn(server);
    app = store.app("late");
  });
  beforeEach(() => server.exchange([["FLUSHDB"]]));
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  /** An invocation that is registered so many seconds after the start. */
  async function registered(id: string, seconds: number): Promise<void> {
    const at = START + seconds;
    const json = historyJson(id, "registered", null, "client", isoFromEpoch(at), isoFromEpoch(at), null);
    await server.exchange([
      ["ZADD", `${PREFIX}history_by_timestamp`, String(at), `${id}:${at}:${json}`],
      ["RPUSH", `${PREFIX}history:${id}`, json],
    ]);
  }
  const newer = (cursor: string, limit = 100) =>
    app.read((reads) => reads.state_backend.historyFrom(cursor, "newer", limit));
  const idsOf = ({ entries }: { entries: { invocation_id: string }[] }) => entries.map((entry) => entry.invocation_id);

  it("has each new entry once, also entries of the same moment, in steps of any size", async () => {
    const empty = await app.read((reads) => reads.state_backend.historyEnd());
    for (const [n, seconds] of [0, 1, 1, 1.5, 9].entries()) await registered(`i${n}`, seconds);
    const found: string[] = [];
    let cursor = empty;
    for (let exhausted = false; !exhausted; ) {
      const stretch = await newer(cursor, 2);
      expect(stretch).toMatchObject({ lost: false, late: 0 });
      found.push(...idsOf(stretch));
      ({ cursor, exhausted } = stretch);
    }
    expect(found.toSorted()).toEqual(["i0", "i1", "i2", "i3", "i4"]);
    await registered("beside", 8.5);
    expect(idsOf(await newer(cursor))).toEqual(["beside"]);
  });

  it("reports how many entries were written with an earlier time than its end, and that it was purged", async () => {
    for (const n of [0, 10, 20]) await registered(`i${n}`, n);
    const end = await app.read((reads) => reads.state_backend.historyEnd());
    await registered("late", 5);
    const stretch = await newer(end);
    expect(stretch).toMatchObject({ entries: [], lost: false, late: 1 });
    expect(await newer(stretch.cursor)).toMatchObject({ entries: [], late: 0 });
    await server.exchange([["DEL", `${PREFIX}history_by_timestamp`]]);
    expect(await newer(stretch.cursor)).toMatchObject({ lost: true });
  });

  const NOW = START + 4 * 3_600;
  const ENTRIES = `${PREFIX}history_by_timestamp`;
  const withoutRank = (n: number) => ["ZREMRANGEBYRANK", ENTRIES, String(n), String(n)];
  for (const [what, edit] of [
    ["are deleted", async () => server.exchange([withoutRank(7)])],
    [
      "are replaced by others of the same hour",
      async () => {
        await server.exchange([withoutRank(7)]);
        await registered("other", 7 * 600 + 1);
      },
    ],
    [
      "are rewritten at the same moment",
      async () => {
        await server.exchange([withoutRank(7)]);
        await registered("other", 7 * 600);
      },
    ],
    ["come back", async () => registered("i7b", 7 * 600)],
  ] as const) {
    it(`leaves saved counts complete only where they are true when entries ${what}`, async () => {
      for (let n = 0; n < 20; n++) await registered(`i${n}`, n * 600);
      const saved = (await fresh(app, () => NOW)).saved();
      if (saved === null) throw new Error("nothing was kept");
      await edit();
      const follower = new Follower(app, () => NOW, 3);
      await follower.resume(saved);
      const truth = await fresh(app, () => NOW);
      const spans = [3, 2, 1, 0].map((hour) => ({ from: START + hour * 3_600, to: NOW }));
      for (let more = true; more; ) {
        more = await follower.step();
        expectTrueWhereComplete(follower, truth, spans);
      }
      expect(expectTrueWhereComplete(follower, truth, spans)).toBe(spans.length);
    });
  }

  it("is not counted again when entries come late during the check", async () => {
    for (let n = 0; n < 12; n++) await registered(`i${n}`, n * 600);
    const saved = (await fresh(app, () => NOW)).saved();
    if (saved === null) throw new Error("nothing was kept");
    const follower = new Follower(app, () => NOW, 2);
    expect(await follower.resume(saved)).toBe(true);
    // Before and after what has been compared when they come, and in the minute that is compared.
    for (const late of [5_900, 6_590, 6_010, 3_660, 4_199, 600 * 7 + 1]) {
      await follower.step();
      await registered(`late${late}`, late);
    }
    await caughtUp(follower);
    expect(follower.foldedRange.startsWith("0 ")).toBe(true);
    expect(follower.reach.whole).toBe(true);
    const { rows } = rollupAnswers(follower).rows({ from: START, to: NOW }, "total");
    expect(rows[0]?.entered).toEqual({ registered: 18 });
  });

  it("counts a late entry in its own minute, also with a clock that is far ahead", async () => {
    for (const n of [0, 30, 70, 130]) await registered(`i${n}`, n);
    await registered("ahead", 86_400);
    const follower = new Follower(app, () => START + 140);
    const catchUp = async () => {
      while (await follower.step()) {}
    };
    await catchUp();
    // Everything is counted again once at most: the second time they must be found.
    for (const late of [[35], [36, 75]]) {
      for (const n of late) await registered(`late${n}`, n);
      await catchUp();
    }
    const answers = rollupAnswers(follower);
    const { slices, complete } = answers.series({ from: START, to: START + 180 }, 10);
    expect(slices.map(({ entered }) => entered.registered ?? 0)).toEqual([4, 2, 1]);
    const [late] = answers.arrived({ from: START, to: START + 180 }).tasks;
    expect(late?.entered).toEqual({ registered: 3 });
    expect(complete).toBe(true);
  });
});
