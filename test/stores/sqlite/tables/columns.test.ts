import { expect, test } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { instant, instantOrNull, isoInstant, julianInstant } from "../../../../src/stores/sqlite/tables/columns.ts";
import { change, copies, inspect, withStore } from "../rows.ts";

const copyOf = copies();

test("a column is read as an instant only if its year has four digits", () => {
  expect([instant(0), instant(1_767_614_400.25), instant(-62135596800)]).toEqual([0, 1_767_614_400.25, -62135596800]);
  for (const value of [null, "1767614400", 1e300, -1e300, 4e12, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect([value, instant(value), instantOrNull(value)]).toEqual([value, Number.NaN, null]);
  }
  expect([julianInstant(2440587.5), julianInstant(1e300), julianInstant("2440587.5")]).toEqual([0, null, null]);
  expect([isoInstant("1970-01-01T00:00:01+00:00"), isoInstant("soon"), isoInstant(1)]).toEqual([1, null, null]);
});

test("no trigger watches a condition in a store that lacks either of the tables that say so", async () => {
  const table = (name: string) => `${tablePrefix("kitchen_sink")}__trg_${name}`;
  const path = copyOf("kitchen_sink.db");
  const ids = inspect(path, (db) =>
    db.prepare(`SELECT condition_id FROM ${table("condition_triggers")}`).all<{ condition_id: string }>(),
  ).map(({ condition_id }) => condition_id);
  const watching = (file: string) =>
    withStore(file, (store) =>
      store
        .app("kitchen_sink")
        .read(
          async ({ trigger }) =>
            (await trigger.triggers({ by: "condition_id", ids: ids }, { limit: 10, offset: 0 })).length,
        ),
    );
  expect(await watching(path)).toBeGreaterThan(0);
  for (const name of ["triggers", "condition_triggers"]) {
    const without = copyOf("kitchen_sink.db");
    change(without, `DROP TABLE ${table(name)}`);
    expect([name, await watching(without)]).toEqual([name, 0]);
  }
});

test("a store names each missing column of an app as a gap, even a single one, and none once it is back", async () => {
  const path = copyOf("kitchen_sink.db");
  const history = `${tablePrefix("kitchen_sink")}__state_backend_history`;
  await withStore(path, async (store) => {
    const app = store.app("kitchen_sink");
    const gaps = async () => {
      await app.read((reads) => reads.state_backend.historySpan());
      return app.gaps;
    };
    expect(await gaps()).toEqual([]);
    change(path, `ALTER TABLE ${history} RENAME COLUMN history_json TO other`);
    expect(await gaps()).toEqual([expect.stringContaining("history_json")]);
    change(path, `ALTER TABLE ${history} RENAME COLUMN other TO history_json`);
    expect(await gaps()).toEqual([]);
  });
});

test("no runner has a heartbeat in a store that lacks their table", async () => {
  const heard = (file: string) =>
    withStore(file, (store) =>
      store.app("kitchen_sink").read(async ({ orchestrator }) => {
        const all = await orchestrator.heartbeats({ limit: 100, offset: 0 });
        return [all.length, (await orchestrator.heartbeatsByIds(runners)).length];
      }),
    );
  const path = copyOf("kitchen_sink.db");
  const table = `${tablePrefix("kitchen_sink")}__orchestrator_runner_heartbeats`;
  const runners = inspect(path, (db) => db.prepare(`SELECT runner_id FROM ${table}`).all<{ runner_id: string }>()).map(
    ({ runner_id }) => runner_id,
  );
  expect(runners.length).toBeGreaterThan(0);
  expect(await heard(path)).toEqual([runners.length, runners.length]);
  change(path, `DROP TABLE ${table}`);
  expect(await heard(path)).toEqual([0, 0]);
});
