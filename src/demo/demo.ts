import { existsSync, statSync } from "node:fs";
import { quote, RefusedError } from "../errors.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { Connection } from "../stores/sqlite/file/connection.ts";
import { inImmediateTransaction, openDatabase } from "../stores/sqlite/file/driver.ts";
import { writeBulk } from "./bulk.ts";
import { DEMO_APP_ID, SECOND_APP_ID, writeDemoStory } from "./story/story.ts";
import { type Layout, tableName } from "./writer/schema.ts";
import { DemoWriter } from "./writer/writer.ts";

export interface DemoOptions {
  readonly path: string;
  /** Current time of the demo, epoch seconds. */
  readonly now: EpochSeconds;
  readonly seed: number;
  /** Write this many generated invocations instead of the story. */
  readonly size?: number;
  readonly layout?: Layout;
}

/**
 * Writes a demo into a SQLite file: the story, or with `size` that many generated invocations. A file of an earlier demo is overwritten; any other
 * file that is not empty is left alone.
 *
 * @returns the writer, to continue the demo; close it.
 * @throws RefusedError if the file contains something that the demo did not write
 */
export function openDemo({ path, now, seed, size, layout }: DemoOptions): DemoWriter {
  const exists = existsSync(path) && statSync(path).size > 0;
  if (exists) refuseForeign(path);
  const db = openDatabase(path, { mode: "create" });
  try {
    // pynenc leaves its files in WAL mode (storage-format.md 3.7).
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    if (exists) dropEverything(db);
    const writer = new DemoWriter(db, DEMO_APP_ID, layout);
    if (size === undefined) writeDemoStory(writer, { now, seed });
    else writeBulk(writer, { invocations: size, now, seed });
    return writer;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A file of the demo contains the demo's app, described in its app_info row, and no tables except those of its two apps. */
function refuseForeign(path: string): void {
  if (!isOwnFile(path)) {
    throw new RefusedError(
      `${quote(path)} exists and was not created by the demo; it was not changed.`,
      "Give the path of a new file.",
      409,
    );
  }
}

function isOwnFile(path: string): boolean {
  let db: Connection;
  try {
    db = openDatabase(path, { mode: "read" });
  } catch {
    return false;
  }
  try {
    const info = db.prepare(`SELECT 1 FROM ${tableName(DEMO_APP_ID, "state_backend_app_info")} WHERE app_id = ?`);
    return info.get(DEMO_APP_ID) !== undefined && tableNames(db).every(isOwnTable);
  } catch {
    // Not a database, or the table is missing.
    return false;
  } finally {
    db.close();
  }
}

function isOwnTable(name: string): boolean {
  const prefixes = [DEMO_APP_ID, SECOND_APP_ID].map((appId) =>
    tableName(appId, "client_data").replace(/client_data$/, ""),
  );
  return prefixes.some((prefix) => name.startsWith(prefix));
}

function tableNames(db: Connection): string[] {
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return names.column() as string[];
}

/** Keeps the file itself, so that a monitor that has it open sees the new content. */
function dropEverything(db: Connection): void {
  inImmediateTransaction(db, () => {
    for (const name of tableNames(db)) db.exec(`DROP TABLE ${name}`);
  });
}
