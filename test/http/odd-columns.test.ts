/**
 * Columns that hold something else than pynenc writes there, or are gone: every page answers. The layout of a store is what its writer made of
 * it, and SQLite keeps any kind of value in any column.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { allRoutes } from "../../src/http/routes/all.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { SqliteHandle } from "../../src/stores/sqlite/tables/handle.ts";
import { addressOf, ID_OF } from "../support/addresses.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";

const APP = "kitchen_sink";
const FIXTURE = "kitchen_sink.db";
const PREFIX = `${tablePrefix(APP)}__`;

/** What becomes of a column `c`: an expression, or null for one that is gone. */
const CHANGES: Readonly<Record<string, ((c: string) => string) | null>> = {
  "its text as bytes": (c) => `CAST(CAST(${c} AS TEXT) AS BLOB)`,
  "bytes that are no text": () => "X'ff00c328'",
  "a number beyond every date": () => "-9e300",
  nothing: () => "NULL",
  gone: null,
};

/** All kinds of values side by side, for pages that read many rows. */
const MIXED = (c: string) => {
  const kinds = Object.values(CHANGES).flatMap((change) => change?.(c) ?? []);
  return `CASE rowid % ${kinds.length} ${kinds.map((kind, n) => `WHEN ${n} THEN ${kind}`).join(" ")} END`;
};

/** Tables with fewer rows have no room for all kinds at once. */
const FEW_ROWS = 8;

/** With queries that ask for more than the plain address does, or without which it is refused. */
const MORE = [
  "/invocations/?status=failed",
  "/invocations/?task_id=tasks.add&time_range=1h",
  // A quarter of the plain one.
  "/invocations/timeline?time_range=1m",
  "/invocations/timeline?time_range=15m&show_system=0&collapse_external=0",
  "/invocations/timeline?format=svg",
  "/events/?matched=yes&triggered=yes",
  "/events/api/markers?start=2026-11-21&end=2026-11-22",
  "/trigger-runs/?task=tasks.on_order&kind=event",
  "/trigger-runs/condition?condition_id=cron_*%20*%20*%20*%20*",
  "/trigger-runs/valid-condition?valid_condition_id=gone",
  "/runners/?show=all",
  "/invocations/rerun?status=failed",
  "/invocations/requeue?status=registered",
  "/invocations/export?format=jsonl",
  "/events/export?format=jsonl",
];

function addresses(): string[] {
  const gets = allRoutes({ dev: true }).filter(({ method, path }) => method === "GET" && !path.startsWith("/assets"));
  const plain = gets.map(({ path }) => addressOf(path));
  return [...new Set([...MORE, ...plain])];
}

/** Writes a table again with one column changed, without constraints and indexes, for the time of `work`. */
async function withChanged<T>(
  { path }: Monitor,
  table: string,
  column: string,
  change: ((c: string) => string) | null,
  work: () => Promise<T>,
): Promise<T> {
  const db = openDatabase(path, { mode: "write" });
  const name = PREFIX + table;
  try {
    const selected = columns.flatMap((one) => {
      if (one.table !== table) return [];
      if (one.column !== column) return [`"${one.column}"`];
      return change === null ? [] : [`${change(`"${column}"`)} AS "${column}"`];
    });
    db.exec(`ALTER TABLE "${name}" RENAME TO kept`);
    db.exec(`CREATE TABLE "${name}" AS SELECT ${selected.join(", ")} FROM kept ORDER BY rowid`);
    return await work();
  } finally {
    db.exec(`DROP TABLE "${name}"`);
    db.exec(`ALTER TABLE kept RENAME TO "${name}"`);
    db.close();
  }
}

const folder = temporaryFolder();
afterAll(folder.remove);
const options = { app: APP, now: presentOf(FIXTURE), dev: true };

const HTML = { headers: { accept: "text/html" } };

const path = copyFixture(FIXTURE, folder.path);
const columns = (() => {
  const db = openDatabase(path, { mode: "read" });
  try {
    return db
      .prepare(
        `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name GLOB ? ORDER BY 1, c.cid`,
      )
      .all<{ table: string; column: string }>(`${PREFIX}*`)
      .map(({ table, column }) => ({ table: table.slice(PREFIX.length), column }));
  } finally {
    db.close();
  }
})();
const tables = [...new Set(columns.map(({ table }) => table))];

function rowsOf(table: string): number {
  const db = openDatabase(path, { mode: "read" });
  try {
    return Number(db.prepare(`SELECT count(*) FROM "${PREFIX}${table}"`).value());
  } finally {
    db.close();
  }
}

let monitor: Monitor;
/** Statements by the address that leads to them. */
let statements: Map<string, Set<string>>;
/** By table and column: each is changed in several ways. */
const readers = new Map<string, string[]>();
beforeAll(async () => {
  monitor = await monitorAt(path, "in process", options);
  statements = new Map();
  let seen = new Set<string>();
  for (const method of ["all", "get", "number"] as const) {
    const real = SqliteHandle.prototype[method] as (sql: string, ...values: unknown[]) => never;
    vi.spyOn(SqliteHandle.prototype, method).mockImplementation(function (this: SqliteHandle, sql, ...values) {
      seen.add(sql);
      return real.call(this, sql, ...values);
    });
  }
  for (const address of addresses()) {
    seen = new Set();
    const response = await monitor.get(address, HTML);
    await response.text();
    expect([address, response.status < 500]).toEqual([address, true]);
    statements.set(address, seen);
  }
  vi.restoreAllMocks();
});
afterAll(() => monitor.close());

/** A few addresses that together lead to every statement which reads the column; of those that lead to as many the first. */
function readersOf(table: string, column: string): string[] {
  const place = `${table}.${column}`;
  const known = readers.get(place);
  if (known !== undefined) return known;
  const reads = (sql: string) => sql.includes(`__${table}"`) && (sql.includes(column) || /SELECT (\w\.)?\*/.test(sql));
  const left = new Set([...statements.values()].flatMap((some) => [...some]).filter(reads));
  const chosen: string[] = [];
  while (left.size > 0) {
    const gain = (address: string) => [...(statements.get(address) ?? [])].filter((one) => left.has(one)).length;
    const best = [...statements.keys()].reduce((a, b) => (gain(b) > gain(a) ? b : a));
    chosen.push(best);
    for (const statement of statements.get(best) ?? []) left.delete(statement);
  }
  readers.set(place, chosen);
  return chosen;
}

it("the addresses of this test read every column that the monitor reads", () => {
  const unread = columns.filter(({ table, column }) => readersOf(table, column).length === 0);
  expect(unread.map(({ table, column }) => `${table}.${column}`)).toEqual([
    // Looked up or written when a call is registered again.
    "orchestrator_invocation_args.arg_key",
    "orchestrator_invocation_args.arg_value",
    "trg_event_conditions.condition_id",
    "trg_event_conditions.valid_condition_id",
    "trg_events.triggered_invocation_count",
    "trg_execution_claims.claim_key",
    "trg_execution_claims.expiration",
    "trg_source_task_conditions.condition_id",
    "trg_trigger_run_claims.trigger_run_id",
    "trg_trigger_run_claims.expiration",
  ]);
});

/** Addresses of one thing read one row of its table: it has to be of each kind in turn. */
const OF_ONE_THING = new Set(
  allRoutes({ dev: true }).flatMap(({ path }) => (path.includes(":") ? addressOf(path) : [])),
);

describe.each(tables)("%s", (table) => {
  it.each([...Object.entries(CHANGES), ["values of every kind", MIXED] as const])(
    "pages answer when any column has %s",
    async (_, change) => {
      const failed: string[] = [];
      const mixes = rowsOf(table) >= FEW_ROWS;
      for (const { column } of columns.filter((one) => one.table === table)) {
        const asked = readersOf(table, column).filter((address) =>
          mixes && change !== null ? (change === MIXED) !== OF_ONE_THING.has(address) : change !== MIXED,
        );
        if (asked.length === 0) continue;
        await withChanged(monitor, table, column, change, async () => {
          for (const address of asked) {
            const response = await monitor.get(address, HTML);
            const text = await response.text().catch((error) => `cut off: ${error}`);
            if (response.status >= 500 || /^cut off|>NaN\b|>undefined</.test(text)) {
              failed.push(`${column}: ${response.status} ${address}`);
            }
          }
        });
      }
      expect(failed).toEqual([]);
    },
  );
});

describe("a layout without a column", () => {
  it("is shown, and every page says which column is missing", async () => {
    await withChanged(monitor, "orchestrator_invocations", "retry_count", null, async () => {
      const said =
        "The table invocations of the orchestrator has no column retry_count, so these values are left empty.";
      for (const address of ["/", "/invocations/", "/tasks/tasks.add"]) {
        const page = await monitor.text(address);
        expect([address, page.includes(said), page.includes("<h1")]).toEqual([address, true, true]);
      }
      const { layout } = await monitor.json<{ layout: { gaps: string[] } }>("/");
      expect(layout.gaps).toEqual([said]);
      const { page } = await monitor.json<{ page: { total: number } }>("/invocations/");
      expect(page.total).toBe(207);
    });
  });

  it("is shown without the table whose rows would mean nothing, and says so", async () => {
    await withChanged(monitor, "orchestrator_invocations", "status", null, async () => {
      const page = await monitor.text("/invocations/");
      expect(page).toContain(
        "The table invocations of the orchestrator has no column status, so the table is not shown.",
      );
      // On a busy machine counting takes so long that what was counted before is used a little longer.
      await vi.waitFor(async () => {
        const list = await monitor.json<{ invocations: { status_source: string }[] }>("/invocations/?limit=5");
        expect(list.invocations.map((row) => row.status_source)).toEqual(Array(5).fill("history"));
      }, 60_000);
    });
  });

  it("is answered with 503 and SQLite's message when SQLite cannot read the table", async () => {
    const db = openDatabase(path, { mode: "write" });
    const name = `${PREFIX}broker_message_queue`;
    db.exec(`ALTER TABLE "${name}" RENAME TO kept`);
    db.exec(`CREATE TABLE "${name}" (id INTEGER PRIMARY KEY, invocation_id, created_at) WITHOUT ROWID`);
    const response = await monitor.get("/broker/purge", { headers: { accept: "application/json" } });
    const queue = await monitor.get("/broker/queue", HTML);
    db.exec(`DROP TABLE "${name}"`);
    db.exec(`ALTER TABLE kept RENAME TO "${name}"`);
    db.close();
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("no such column: rowid")]);
    expect(queue.status).toBe(200);
  });

  it("is refused as a target of actions", async () => {
    await withChanged(monitor, "state_backend_history", "history_json", null, async () => {
      const response = await monitor.post("/broker/purge");
      expect([response.status, await response.text()]).toEqual([
        409,
        expect.stringContaining("the table history of the state backend has no column history_json"),
      ]);
      expect(await monitor.json("/broker/")).toMatchObject({ messages: 7 });
    });
  });
});

it("text that is stored as bytes is shown like text", async () => {
  const address = `/invocations/${ID_OF.invocations}`;
  const before = await monitor.json(address);
  for (const column of ["serialized_arguments", "task_id_key", "workflow_id"]) {
    await withChanged(monitor, "state_backend_invocations", column, CHANGES["its text as bytes"] ?? null, async () => {
      expect(await monitor.json(address)).toEqual(before);
    });
  }
});
