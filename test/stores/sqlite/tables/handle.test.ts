/** One connection to one file: when it is opened again, and when it stays. */
import { renameSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openFile } from "../../../../src/stores/sqlite/file/opened-file.ts";
import { SqliteHandle } from "../../../../src/stores/sqlite/tables/handle.ts";
import { factsOf } from "../../../support/fixtures.ts";
import { change, copies } from "../rows.ts";

const copyOf = copies();

function opened(path: string): SqliteHandle {
  const handle = new SqliteHandle(openFile(path));
  onTestFinished(() => handle.close());
  return handle;
}

/** Temporary tables live as long as their connection: they tell whether it is still the same. */
const leaveMark = (handle: SqliteHandle) => handle.scratch("CREATE TEMP TABLE mark AS SELECT 7 AS value");
const inSnapshot = <T>(handle: SqliteHandle, look: () => T): T => {
  handle.beginSnapshot();
  try {
    return look();
  } finally {
    handle.endSnapshot();
  }
};
const hasMark = (handle: SqliteHandle) =>
  inSnapshot(handle, () => handle.number("SELECT count(*) FROM sqlite_temp_schema WHERE name = 'mark'") === 1);

it("a connection is kept until its file is replaced, and then opened again", () => {
  const path = copyOf("kitchen_sink.db");
  const handle = opened(path);
  leaveMark(handle);
  expect(hasMark(handle)).toBe(true);
  renameSync(copyOf("kitchen_sink_023.db"), path);
  expect(hasMark(handle)).toBe(false);
  leaveMark(handle);
  expect([hasMark(handle), hasMark(handle)]).toEqual([true, true]);
});

it("figures remembered of a file are read again when it is replaced", () => {
  const path = copyOf("kitchen_sink.db");
  const handle = opened(path);
  const entries = () =>
    inSnapshot(handle, () =>
      handle.number(`SELECT count(*) FROM ${handle.tables("kitchen_sink").sql("state_backend", "history")}`),
    );
  expect(entries()).toBe(factsOf("kitchen_sink.db", "kitchen_sink").history_rows);
  renameSync(copyOf("kitchen_sink_023.db"), path);
  expect(entries()).toBe(factsOf("kitchen_sink_023.db", "kitchen_sink").history_rows);
});

it("the tables of an app are determined once, and again when the schema changes", () => {
  const path = copyOf("kitchen_sink.db");
  const handle = opened(path);
  const tables = () => inSnapshot(handle, () => handle.tables("kitchen_sink"));
  const before = tables();
  expect(tables()).toBe(before);
  expect(before.gaps("state_backend")).toEqual([]);
  change(path, `ALTER TABLE ${before.name("state_backend", "history")} RENAME COLUMN history_json TO other`);
  const gaps = tables().gaps("state_backend");
  expect(gaps.map(({ table, missing }) => ({ table, missing }))).toEqual([
    { table: "history", missing: ["history_json"] },
  ]);
});
