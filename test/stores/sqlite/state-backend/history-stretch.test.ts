/** Stretches of the history go by rowids, which may have gaps: a purge of some invocations takes rows from anywhere. */
import { expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { Follower } from "../../../../src/services/rollups/follower.ts";
import { change, copies, inspect, withStore } from "../rows.ts";

const copyOf = copies();
const HISTORY = `"${tablePrefix("kitchen_sink")}__state_backend_history"`;

it("saved counts are not continued when the oldest history rows are gone or have other numbers", async () => {
  const path = copyOf("kitchen_sink.db");
  const saved = await withStore(path, async (store) => {
    const follower = new Follower(store.app("kitchen_sink"), () => 0);
    while (await follower.step()) {}
    return follower.saved();
  });
  if (saved === null) throw new Error("nothing was counted");
  const resumes = () => withStore(path, (store) => new Follower(store.app("kitchen_sink"), () => 0).resume(saved));
  expect(await resumes()).toBe(true);
  change(path, `DELETE FROM ${HISTORY} WHERE rowid < 50`);
  expect(await resumes()).toBe(false);
  change(path, `UPDATE ${HISTORY} SET rowid = rowid - 49`);
  expect(await resumes()).toBe(false);
});

for (const [gap, condition] of [
  ["every other row", "rowid % 2 = 0"],
  ["many neighbouring rows", "rowid > 5 AND rowid < (SELECT max(rowid) - 5 FROM @)"],
  ["the oldest rows", "rowid < 50"],
] as const) {
  it(`the history is read back to its first row when ${gap} are gone`, async () => {
    const path = copyOf("kitchen_sink.db");
    change(path, `DELETE FROM ${HISTORY} WHERE ${condition.replace("@", HISTORY)}`);
    const stored = inspect(path, (db) =>
      db.prepare(`SELECT invocation_id, history_status FROM ${HISTORY} ORDER BY rowid`).all(),
    ).map((row) => `${row.invocation_id} ${row.history_status}`);
    expect(stored.length).toBeGreaterThan(5);
    await withStore(path, async (store) => {
      const app = store.app("kitchen_sink");
      for (const limit of [1, 7, 10_000]) {
        const read: string[] = [];
        let cursor = await app.read((reads) => reads.state_backend.historyEnd());
        for (let exhausted = false; !exhausted; ) {
          const from = cursor;
          const stretch = await app.read((reads) => reads.state_backend.historyFrom(from, "older", limit));
          if (!stretch.exhausted) expect(stretch.entries.length).toBeGreaterThan(0);
          expect(stretch.entries.length).toBeLessThanOrEqual(limit);
          read.unshift(...stretch.entries.map(({ invocation_id, status }) => `${invocation_id} ${status}`));
          ({ cursor, exhausted } = stretch);
        }
        expect(read).toEqual(stored);
      }
    });
  });
}

it("the history of a store without its table is read to its first row at once", async () => {
  const path = copyOf("kitchen_sink.db");
  change(path, `DROP TABLE ${HISTORY}`);
  await withStore(path, async (store) => {
    const app = store.app("kitchen_sink");
    const cursor = await app.read((reads) => reads.state_backend.historyEnd());
    const older = await app.read((reads) => reads.state_backend.historyFrom(cursor, "older", 10));
    expect(older).toMatchObject({ entries: [], prints: [], exhausted: true, lost: false });
    const before = await app.read((reads) => reads.state_backend.printsBefore(cursor, 10));
    expect(before).toMatchObject({ prints: [], exhausted: true });
  });
});
