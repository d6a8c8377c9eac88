/** Rows of tables: counted, or estimated where counting would take long, which is said. */
import { expect, it } from "vitest";
import { tablePrefix } from "../../../../src/pynenc/identifiers.ts";
import { storageFigures, type TableBytes } from "../../../../src/stores/sqlite/tables/figures.ts";
import { AppTables, tableName } from "../../../../src/stores/sqlite/tables/tables.ts";
import { factsOf } from "../../../support/fixtures.ts";
import { change, copies, inspect, withStore } from "../rows.ts";

const APP = "kitchen_sink";
const copyOf = copies();

it("the rows of a table whose row numbers span millions are estimated, and marked so", async () => {
  const path = copyOf("kitchen_sink.db");
  const results = `${tablePrefix(APP)}__state_backend_results`;
  change(
    path,
    `DELETE FROM ${results}`,
    `INSERT INTO ${results} (rowid, invocation_id, result_data) VALUES (11, 'first', ''), (2000011, 'last', '')`,
  );
  await withStore(path, async (store) => {
    const figures = await store.app(APP).read((reads) => reads.layout.figures());
    const rowsOf = (name: string) => {
      const found = figures.find((one) => one.component === "state_backend" && one.name === name);
      return [found?.rows, found?.exact];
    };
    expect(rowsOf("results")).toEqual([2_000_001, false]);
    expect(rowsOf("history")).toEqual([factsOf("kitchen_sink.db", APP).history_rows, true]);
  });
});

it("a table takes the bytes of its own pages and those of its indexes, where SQLite can say so", async () => {
  const path = copyOf("kitchen_sink.db");
  const sizes = `SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_master m USING (name) GROUP BY 1`;
  const known = inspect(path, (db) =>
    db.prepare("SELECT name FROM pragma_module_list WHERE name = 'dbstat'").all().length === 0
      ? null
      : new Map(
          db
            .prepare(sizes)
            .all<{ name: string; bytes: number }>()
            .map(({ name, bytes }) => [name, bytes]),
        ),
  );
  const figures = await withStore(path, (store) => store.app(APP).read((reads) => reads.layout.figures()));
  const history = figures.find(({ component, name }) => component === "state_backend" && name === "history");
  expect(history?.bytes).toBe(known?.get(`${tablePrefix(APP)}__state_backend_history`) ?? null);
});

it("the bytes of a table are null where they are not counted", () => {
  const table = tableName("p", "broker", "message_queue");
  const column = { not_null: true, has_default: false, primary_key: false };
  const columns = ["id", "invocation_id", "created_at"].map((name) => ({ ...column, name }));
  const tables = new AppTables("p", new Map([[table, columns]]));
  const empty = { all: () => [], get: () => undefined, number: () => 0 };
  const counted = (bytes: TableBytes | null) => storageFigures(empty, "broker", tables, bytes).map((one) => one.bytes);
  expect([counted(null), counted(new Map()), counted(new Map([[table, 4_096]]))]).toEqual([[null], [null], [4_096]]);
});
