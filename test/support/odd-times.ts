/** Rows with times that cannot be. */
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { julianDayFromEpoch } from "../../src/pynenc/time.ts";
import type { Bind } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

/** As seconds, and as text. */
export const ODD_TIMES: readonly (readonly [seconds: number, iso: string])[] = [
  [253402300799, "9999-12-31T23:59:59.999999+00:00"],
  [-62135596800, "0001-01-01T00:00:00+00:00"],
  [0, "1970-01-01T00:00:00+00:00"],
  [-1, "1969-12-31T23:59:59+00:00"],
  [9e9, "2255-03-14T16:00:00+00:00"],
  [4e12, "+010000-01-01T00:00:00+00:00"],
  [1e300, "2026-13-45T99:99:99+00:00"],
  [-1e300, "not a time"],
  [Number.POSITIVE_INFINITY, ""],
];

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?/g;

/** Replaces times in all rows, wherever they are and however they are written. @param odd by the number of the time; null leaves it. */
export function replaceTimes(
  path: string,
  app: string,
  odd: (index: number) => (typeof ODD_TIMES)[number] | null,
): number {
  const db = openDatabase(path, { mode: "write" });
  let [index, replaced] = [0, 0];
  const made = <T>(was: T, make: (one: (typeof ODD_TIMES)[number]) => T): T => {
    const one = odd(index++);
    if (one === null) return was;
    replaced++;
    return make(one);
  };
  const changed = (value: unknown): unknown => {
    if (typeof value === "string") return value.replace(ISO, (was) => made(was, ([, iso]) => iso));
    if (typeof value !== "number") return value;
    // Seconds of these years, or Julian days.
    if (value > 1e9 && value < 2e9) return made(value, ([seconds]) => seconds);
    return value > 2.4e6 && value < 2.5e6 ? made(value, ([seconds]) => julianDayFromEpoch(seconds)) : value;
  };
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?")
    .all<{ name: string }>(`${tablePrefix(app)}__*`);
  for (const { name } of tables) {
    for (const { row, ...columns } of db.prepare(`SELECT rowid AS row, * FROM "${name}"`).all<Record<string, Bind>>()) {
      // Some are keys, of which no two may be the same. Ids of conditions contain times, and other rows refer to them.
      const times = Object.entries(columns).filter(([column]) => !column.endsWith("_id"));
      for (const [column, value] of times) {
        const other = changed(value) as Bind;
        if (other !== value)
          db.prepare(`UPDATE OR IGNORE "${name}" SET "${column}" = ? WHERE rowid = ?`).run(other, row ?? null);
      }
    }
  }
  db.close();
  return replaced;
}
