/**
 * Runs statements as a process of the app does, and prints `done` or SQLite's name for what is in the way.
 *
 *   node statement.mjs <path> <sql>
 */
import { openDatabase } from "../../../dist/src/stores/sqlite/file/driver.js";

const [, , path, sql] = process.argv;
const db = openDatabase(path, { mode: "write", busyTimeoutMs: 0 });
try {
  db.exec(sql);
  process.stdout.write("done");
} catch (error) {
  process.stdout.write(String(error.code));
} finally {
  db.close();
}
