import { afterEach, beforeEach, expect, test } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { connectStore } from "../../../src/stores/connect.ts";
import type { AppStore, Store } from "../../../src/stores/ports/store.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";
import { caughtUp, expectTrueWhereComplete, fresh } from "../../support/true-figures.ts";
import { change } from "./rows.ts";

const APP = "kitchen_sink";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let store: Store;
let app: AppStore;

beforeEach(async () => {
  folder = temporaryFolder();
  path = copyFixture("kitchen_sink.db", folder.path);
  const address = { kind: "sqlite", path, components: new Map() } as const;
  store = await connectStore(address, { threads: 0, lockWait: 1, readOnly: true });
  app = store.app(APP);
});

afterEach(async () => {
  await store.close();
  folder.remove();
});

const counted = (follower: Follower) => {
  const { rows } = rollupAnswers(follower).rows({ from: 0, to: 1e11 }, "total");
  return Object.values(rows[0]?.entered ?? {}).reduce((sum, n) => sum + n, 0);
};
const stored = async () => (await app.read((reads) => reads.state_backend.countHistory({}))).entries;
/** The fixture has entries in few hours. */
const checkedAll = async (follower: Follower, later: () => void) => {
  for (let look = 0; look < 6; look++) {
    later();
    await caughtUp(follower);
  }
};
const deleteInTheMidst = (rows: number) => {
  const table = `${tablePrefix(APP)}__state_backend_history`;
  change(
    path,
    `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} ORDER BY rowid LIMIT ${rows} OFFSET 40)`,
  );
};

/** Only what is stored is said to be complete, and in the end everything. */
const trueInTheEnd = async (follower: Follower) => {
  const truth = await caughtUp(new Follower(app, () => 1e10, 20));
  const { first = 0, last = 0 } = (await app.read((reads) => reads.state_backend.historySpan())) ?? {};
  const spans = [0.9, 0.5, 0.1].map((share) => ({ from: first + (last - first) * share, to: 1e10 }));
  spans.push({ from: 0, to: 1e10 });
  for (let more = true; more; ) {
    more = await follower.step();
    expectTrueWhereComplete(follower, truth, spans);
  }
  expect(expectTrueWhereComplete(follower, truth, spans)).toBe(spans.length);
};

const HISTORY = `"${tablePrefix(APP)}__state_backend_history"`;
const MIDST = `rowid IN (SELECT rowid FROM ${HISTORY} ORDER BY rowid LIMIT 3 OFFSET 40)`;

for (const [what, before, after] of [
  ["are deleted", [], [`DELETE FROM ${HISTORY} WHERE ${MIDST}`]],
  ["are deleted and the file is compacted", [], [`DELETE FROM ${HISTORY} WHERE ${MIDST}`, "VACUUM"]],
  [
    "come back in their places",
    [
      `CREATE TABLE aside AS SELECT rowid AS id, * FROM ${HISTORY} WHERE ${MIDST}`,
      `DELETE FROM ${HISTORY} WHERE ${MIDST}`,
    ],
    [
      `INSERT INTO ${HISTORY} (rowid, invocation_id, history_timestamp, history_status, history_json)
       SELECT id, invocation_id, history_timestamp, history_status, history_json FROM aside`,
    ],
  ],
  [
    "come back as new rows",
    [`CREATE TABLE aside AS SELECT * FROM ${HISTORY} WHERE ${MIDST}`, `DELETE FROM ${HISTORY} WHERE ${MIDST}`],
    [`INSERT INTO ${HISTORY} SELECT * FROM aside`],
  ],
  ["get another status", [], [`UPDATE ${HISTORY} SET history_status = 'killed' WHERE ${MIDST}`]],
  [
    "get another time of their status, with a text of the same length",
    [],
    [`UPDATE ${HISTORY} SET history_json = replace(history_json, ':0', ':1') WHERE ${MIDST}`],
  ],
  [
    "get another runner",
    [],
    [`UPDATE ${HISTORY} SET history_json = replace(history_json, 'runner', 'runneR') WHERE ${MIDST}`],
  ],
  [
    "get another time, and others the opposite",
    [],
    [
      `UPDATE ${HISTORY} SET history_timestamp = history_timestamp + CASE WHEN rowid % 2 = 0 THEN 0.5 ELSE -0.5 END
       WHERE rowid IN (SELECT rowid FROM ${HISTORY} ORDER BY rowid LIMIT 4 OFFSET 40)`,
    ],
  ],
] as const) {
  test(`when rows ${what}, saved counts are complete only where they are true`, async () => {
    if (before.length > 0) change(path, ...before);
    const saved = (await fresh(app, () => 1e10)).saved();
    if (saved === null) throw new Error("nothing was kept");
    change(path, ...after);
    const follower = new Follower(app, () => 1e10, 20);
    expect(await follower.resume(saved)).toBe(true);
    await trueInTheEnd(follower);
  });
}

test("saved counts are complete again without another count if nothing has changed", async () => {
  const saved = (await fresh(app, () => 1e10)).saved();
  if (saved === null) throw new Error("nothing was kept");
  const follower = new Follower(app, () => 1e10, 20);
  expect(await follower.resume(saved)).toBe(true);
  const { foldedRange } = follower;
  expect(follower.reach.whole).toBe(false);
  await trueInTheEnd(follower);
  expect(follower.foldedRange).toBe(foldedRange);
});

test("deleted rows are noticed by the regular check of a running monitor, which then counts again", async () => {
  let now = 1e10;
  const follower = await caughtUp(new Follower(app, () => now, 100));
  const before = await stored();
  await checkedAll(follower, () => {
    now += 61;
  });
  expect(counted(follower)).toBe(before);
  deleteInTheMidst(5);
  now += 30;
  await caughtUp(follower);
  expect(counted(follower)).toBe(before);
  await checkedAll(follower, () => {
    now += 61;
  });
  expect(counted(follower)).toBe(before - 5);
  expect(follower.reach).toMatchObject({ whole: true, purged_at: null });
  expect(follower.saved()).not.toBeNull();
});
