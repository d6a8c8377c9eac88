import { expect, it } from "vitest";
import { type Row, TableWriter } from "../../../src/demo/writer/table-writer.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";

class Writer extends TableWriter {
  put(row: Row): number {
    return this.insert("trg_conditions", "ABORT", row);
  }
}

it("rows with as many but different columns than the previous one are written correctly", () => {
  const db = openDatabase(":memory:", { mode: "create" });
  const writer = new Writer(db, "shop");
  writer.put({ condition_id: "a", condition_json: "{}", not_there: "x" });
  writer.put({ condition_id: "b", condition_json: "{}", last_cron_execution: "2026-11-21" });
  writer.put({ condition_json: "[]", condition_id: "c", not_there: "x" });
  const rows = db.prepare(
    `SELECT condition_id, condition_json, last_cron_execution FROM ${writer.table("trg_conditions")}`,
  );
  expect(rows.all()).toEqual([
    { condition_id: "a", condition_json: "{}", last_cron_execution: null },
    { condition_id: "b", condition_json: "{}", last_cron_execution: "2026-11-21" },
    { condition_id: "c", condition_json: "[]", last_cron_execution: null },
  ]);
  db.close();
});
