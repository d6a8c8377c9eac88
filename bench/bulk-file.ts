/** A file of bulk data for measurements, written once per size. */
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeBulk } from "../src/demo/bulk.ts";
import { NEWEST_LAYOUT } from "../src/demo/writer/schema.ts";
import { DemoWriter } from "../src/demo/writer/writer.ts";
import { packageRoot } from "../src/package-root.ts";
import { tablePrefix } from "../src/pynenc/identifiers.ts";
import { openDatabase } from "../src/stores/sqlite/file/driver.ts";

export const BULK_APP = "bench";
/** The present of the data. */
export const BULK_NOW = Date.UTC(2026, 10, 20, 12) / 1000;

/** Path of a copy in which the orchestrator has auto-purged the older half of them. */
export function halfPurgedFile(invocations: number): string {
  const whole = bulkFile(invocations);
  const target = whole.replace(/\.db$/, "-half-purged.db");
  if (existsSync(target)) return target;
  copyFileSync(whole, target);
  const db = openDatabase(target, { mode: "write" });
  const statuses = `"${tablePrefix(BULK_APP)}__orchestrator_invocations"`;
  db.exec(`DELETE FROM ${statuses} WHERE auto_purge_timestamp IS NOT NULL
    AND rowid <= (SELECT max(rowid) / 2 FROM ${statuses})`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return target;
}

/** Path of a database with this many invocations. */
export function bulkFile(invocations: number): string {
  const folder = join(packageRoot(), "bench", ".data");
  mkdirSync(folder, { recursive: true });
  const target = join(folder, `bulk-${NEWEST_LAYOUT}-${invocations}.db`);
  if (existsSync(target)) return target;
  console.error(`Writing ${invocations} invocations to ${target} ...`);
  const db = openDatabase(target, { mode: "create" });
  const started = performance.now();
  writeBulk(new DemoWriter(db, BULK_APP), { invocations, now: BULK_NOW, seed: 1 });
  db.close();
  console.error(`Written in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  return target;
}
