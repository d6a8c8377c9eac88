import { afterEach, beforeEach, expect, test } from "vitest";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import { rollupAnswers } from "../../../src/rollups/reads.ts";
import { Follower } from "../../../src/services/rollups/follower.ts";
import { connectStore } from "../../../src/stores/connect.ts";
import type { AppStore, Store } from "../../../src/stores/ports/store.ts";
import { copyFixture, temporaryFolder } from "../../support/fixtures.ts";
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

const caughtUp = async (follower: Follower) => {
  while (await follower.step()) {}
  return follower;
};
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

test("rows that went while nothing was followed are missed, although both ends are as they were kept", async () => {
  let now = 1e10;
  const saved = (await caughtUp(new Follower(app, () => now, 100))).saved();
  if (saved === null) throw new Error("nothing was kept");
  const before = await stored();
  deleteInTheMidst(1);
  const follower = new Follower(app, () => now, 100);
  expect(await follower.resume(saved)).toBe(true);
  expect(counted(follower)).toBe(before);
  await checkedAll(follower, () => {
    now += 61;
  });
  expect(counted(follower)).toBe(before - 1);
});

test("rows that go while they are followed are missed when their hour is looked at, and everything is counted again", async () => {
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
