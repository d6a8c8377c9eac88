/** What a release of pynenc stores and defines, as facts that can be compared with another release and with the program's source. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSchema, LAYOUTS, type Layout } from "../../src/demo/writer/schema.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { SETTINGS, type SettingDefinition } from "../../src/pynenc/settings.ts";
import { STATUSES, type StatusInfo, statusInfo } from "../../src/pynenc/statuses.ts";
import { allowedFrom, allowedInHistory, canMove } from "../../src/pynenc/transitions.ts";
import type { Connection } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { APPS, storeClasses } from "./world.ts";

const run = promisify(execFile);

/** Value by name. The name of a part begins with that of its whole: `table client_data`, `table client_data: column data_key`. */
export type Facts = Readonly<Record<string, string>>;

const APP_ID = "lab";

/** What `apps/layout.py` prints. */
interface Printed {
  settings: Record<string, Record<string, unknown>>;
  statuses: Record<string, { attributes: (keyof StatusInfo)[]; next: string[] }>;
  redis_keys: string[];
}

/** What real pynenc makes and defines. @param program the Python that has it. */
export async function factsOfRelease(program: string): Promise<Facts> {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-layout-"));
  const database = join(folder, "app.db");
  try {
    const env = {
      ...storeClasses("SQLite"),
      PYNENC__APP_ID: APP_ID,
      PYNENC__SQLITE_DB_PATH: database,
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const { stdout } = await run(program, [join(APPS, "layout.py")], { cwd: folder, env });
    const { settings, statuses, redis_keys } = JSON.parse(stdout) as Printed;
    return sorted([
      ...tableFacts(openDatabase(database, { mode: "read" })),
      ...Object.entries(settings).flatMap(([name, fields]) =>
        Object.entries(fields).map(([field, value]) => settingFact(name, field, value)),
      ),
      ...Object.entries(statuses).flatMap(([name, { attributes, next }]) => statusFacts(name, attributes, next)),
      ...redis_keys.map((key): Fact => [`Redis key ${key}`, ""]),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same by the program, except for keys in Redis, of which it has no list. For a release it does not know: what it takes that for. */
export function factsOfProgram(version: string): Facts {
  const db = openDatabase(":memory:", { mode: "create" });
  createSchema(db, APP_ID, layoutOf(version));
  const before024 = compareVersions(version, "0.2.4") < 0;
  const known = [...STATUSES, ...(before024 ? [statusInfo("resumed")] : [])];
  const follows = before024 ? allowedInHistory : allowedFrom;
  const first = known.filter(({ name }) => canMove(null, name)).map(({ name }) => name);
  return sorted([
    ...tableFacts(db),
    ...SETTINGS.filter((setting) => exists(setting, version)).map((setting) =>
      settingFact(setting.config_class, setting.field, setting.default),
    ),
    ...statusFacts("none", [], first),
    ...known.flatMap((status) =>
      statusFacts(
        status.name,
        ATTRIBUTES.filter((attribute) => status[attribute] === true),
        follows(status.name),
      ),
    ),
  ]);
}

/** In the order of `apps/layout.py`. */
const ATTRIBUTES = [
  "final",
  "available",
  "requires_ownership",
  "acquires_ownership",
  "releases_ownership",
  "overrides_ownership",
] as const satisfies (keyof StatusInfo)[];

/**
 * One line for each difference: `+` only in `after`, `-` only in `before`, `~` another value. Parts of what is missing as a whole are left out.
 */
export function differences(before: Facts, after: Facts): string[] {
  return [
    ...onlyIn(after, before).map((name) => line("+", name, after[name])),
    ...onlyIn(before, after).map((name) => line("-", name, before[name])),
    ...Object.keys(after)
      .filter((name) => name in before && before[name] !== after[name])
      .map((name) => `~ ${name} = ${after[name] || "nothing"}, was ${before[name] || "nothing"}`),
  ];
}

function onlyIn(these: Facts, those: Facts): string[] {
  const names = Object.keys(these).filter((name) => !(name in those));
  const wholes = new Set(names);
  return names.filter((name) => !(name.includes(": ") && wholes.has(name.slice(0, name.indexOf(": ")))));
}

function line(sign: string, name: string, value = ""): string {
  return value === "" ? `${sign} ${name}` : `${sign} ${name} = ${value}`;
}

/** Negative if `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  const at = left.findIndex((number, index) => number !== (right[index] ?? 0));
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** The newest layout that the program knows up to this release. */
function layoutOf(version: string): Layout {
  return LAYOUTS.findLast((layout) => compareVersions(layout, version) <= 0) ?? LAYOUTS[0];
}

function exists({ since }: SettingDefinition, version: string): boolean {
  if (since === null) return true;
  const last = /^until (.+)$/.exec(since)?.[1];
  return last === undefined ? compareVersions(version, since) >= 0 : compareVersions(version, last) <= 0;
}

type Fact = readonly [name: string, value: string];

function sorted(facts: readonly Fact[]): Facts {
  return Object.fromEntries(facts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function settingFact(configClass: string, field: string, value: unknown): Fact {
  return [`setting ${configClass}.${field}`, JSON.stringify(value)];
}

function statusFacts(name: string, attributes: readonly string[], next: readonly string[]): Fact[] {
  return [
    [`status ${name}`, attributes.join(", ")],
    ...next.map((target): Fact => [`status ${name}: may become ${target}`, ""]),
  ];
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/** Tables, columns, keys and indexes of an app, without its prefix. Closes the database. */
function tableFacts(db: Connection): Fact[] {
  const prefix = `${tablePrefix(APP_ID)}__`;
  const own = db
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name LIKE ? || '%'")
    .all<{ type: string; name: string; tbl_name: string; sql: string }>(prefix);
  const facts = own.flatMap(({ type, name, tbl_name, sql }): Fact[] => {
    const table = `table ${tbl_name.slice(prefix.length)}`;
    if (type !== "table") {
      const unique = sql.startsWith("CREATE UNIQUE") ? "UNIQUE " : "";
      const on = sql.slice(sql.indexOf("(")).replaceAll(/\s+/g, " ").trim();
      return [[`${table}: index ${name.replace(`idx_${tbl_name}_`, "")}`, unique + on]];
    }
    const columns = db.prepare("SELECT * FROM pragma_table_info(?)").all<Column>(name);
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    return [
      [table, ""],
      ...(key.length > 0 ? [[`${table}: key`, key.map((column) => column.name).join(", ")] as const] : []),
      ...columns.map((column): Fact => [`${table}: column ${column.name}`, columnType(column)]),
    ];
  });
  db.close();
  return facts;
}

function columnType({ type, notnull, dflt_value }: Column): string {
  return [type, notnull === 1 ? "NOT NULL" : "", dflt_value === null ? "" : `DEFAULT ${dflt_value}`]
    .filter((part) => part !== "")
    .join(" ");
}
