/** However large stored values are, a list reads a bounded part of each, and says how large those are whose beginning it did not read. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { SqliteHandle } from "../../src/stores/sqlite/tables/handle.ts";
import { LIST_BYTES, UNREAD_BYTES, VALUE_BYTES } from "../../src/stores/value-limit.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const PREFIX = `${tablePrefix(APP)}__`;

/** A column that holds a text of any size. */
interface Field {
  table: string;
  column: string;
  /** It is the last one of its row: SQLite reads through a text to get at a column after it. */
  last?: true;
  /** A large text, from what is stored. */
  made: (large: string, stored: string) => string;
}

const FIELDS: readonly Field[] = [
  { table: "state_backend_invocations", column: "serialized_arguments", made: (large) => JSON.stringify({ large }) },
  { table: "state_backend_results", column: "result_data", last: true, made: (large) => JSON.stringify(large) },
  {
    table: "state_backend_exceptions",
    column: "exception_data",
    last: true,
    made: (large) => JSON.stringify({ error_name: "Boom", pynenc_error: false, error_data: large }),
  },
  { table: "state_backend_history", column: "history_json", last: true, made: withMember },
  { table: "state_backend_app_info", column: "app_info_json", last: true, made: withMember },
  { table: "state_backend_workflow_data", column: "data_value", last: true, made: (large) => JSON.stringify(large) },
  { table: "client_data", column: "data_value", made: (large) => JSON.stringify(large) },
  { table: "trg_conditions", column: "condition_json", made: withMember },
  { table: "trg_triggers", column: "argument_provider_json", last: true, made: withMember },
  {
    table: "trg_events",
    column: "event_json",
    made: (large, stored) => stored.replace('"payload": {', `"payload": {"large": "${large}", `),
  },
  { table: "trg_trigger_runs", column: "trigger_run_json", last: true, made: withMember },
  { table: "trg_valid_conditions", column: "valid_condition_json", last: true, made: withMember },
];

const PAGES = [
  "/",
  "/invocations/?limit=500",
  "/invocations/?status=failed&limit=500",
  "/invocations/?q=error%3Aboom",
  "/invocations/export?format=csv",
  "/invocations/export?format=jsonl",
  "/invocations/timeline",
  "/failures/",
  "/stats/",
  "/tasks/",
  "/broker/",
  "/broker/queue",
  "/orchestrator/",
  "/runners/?show=all",
  "/runners/atomic-service/timeline",
  "/workflows/",
  "/workflows/runs",
  "/events/",
  "/trigger-runs/",
  "/triggers/",
  "/client-data-store/",
  "/state-backend/",
  "/verdicts",
  "/metrics",
];

describe("lists of values of any size", () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { alone: APP });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await monitor.close();
  });

  /** Pages about one thing with lists of others. */
  function pagesAbout(): string[] {
    const db = openDatabase(monitor.path, { mode: "read" });
    const id = (column: string, table: string) =>
      encodeURIComponent(
        String(db.prepare(`SELECT ${column} FROM ${PREFIX}${table} ORDER BY rowid DESC LIMIT 1`).value()),
      );
    const pages = [
      `/tasks/${id("task_id_key", "state_backend_invocations")}`,
      `/workflows/runs/${id("workflow_id", "state_backend_workflow_data")}`,
      `/triggers/${id("trigger_id", "trg_triggers")}`,
      `/trigger-runs/${id("trigger_run_id", "trg_trigger_runs")}`,
      `/trigger-runs/condition?condition_id=${id("condition_id", "trg_conditions")}`,
      `/trace/${id("event_id", "trg_events")}`,
      `/why?id=${id("invocation_id", "state_backend_exceptions")}`,
      `/invocations/${id("invocation_id", "state_backend_exceptions")}/family-tree`,
    ];
    db.close();
    return pages;
  }

  /** Makes the newest rows of a column large; false if the fixture has none. */
  function enlarge({ table, column, made }: Field, bytes: number, first = "rowid"): boolean {
    const db = openDatabase(monitor.path, { mode: "write" });
    const name = `${PREFIX}${table}`;
    if (table === "trg_valid_conditions")
      db.prepare(`INSERT INTO ${name} (valid_condition_id, valid_condition_json) VALUES ('planted', '{}')`).run();
    const rows = db
      .prepare(`SELECT rowid AS id, ${column} AS stored FROM ${name} ORDER BY ${first} DESC LIMIT 3`)
      .all();
    for (const { id, stored } of rows as { id: number; stored: string | null }[]) {
      const text = made("x".repeat(bytes), stored ?? "{}");
      db.prepare(`UPDATE ${name} SET ${column} = ? WHERE rowid = ?`).run(text, id);
    }
    db.close();
    return rows.length > 0;
  }

  /** Asks for these pages. @param each makes the result of every statement from a call that runs it. */
  async function watchStatements(paths: readonly string[], each: <Found>(run: () => Found, page: string) => Found) {
    let page = "";
    for (const method of ["all", "get"] as const) {
      const original = SqliteHandle.prototype[method] as (...given: unknown[]) => unknown;
      vi.spyOn(SqliteHandle.prototype, method).mockImplementation(function (this: SqliteHandle, ...given) {
        return each(() => original.apply(this, given), page) as never;
      });
    }
    for (const path of paths) {
      page = path;
      const response = await monitor.get(path, { headers: { accept: "text/html" } });
      await response.text();
      expect([path, response.status]).toEqual([path, 200]);
    }
    vi.restoreAllMocks();
  }

  /** The longest text that any read of these pages got from SQLite, with its page and column. */
  async function longestRead(paths: readonly string[]): Promise<{ length: number; column: string; page: string }> {
    let longest = { length: 0, column: "", page: "" };
    await watchStatements(paths, (run, page) => {
      const found = run();
      for (const row of [found].flat() as (object | undefined)[])
        for (const [column, value] of Object.entries(row ?? {}))
          if (typeof value === "string" && value.length > longest.length)
            longest = { length: value.length, column, page };
      return found;
    });
    return longest;
  }

  it("give the size of arguments that were not read", async () => {
    const [field] = FIELDS;
    if (field !== undefined) enlarge(field, UNREAD_BYTES + 1_000_000);
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=500");
    const lines = invocations.map(({ arguments: line }) => line).filter((line) => line?.endsWith(" bytes)"));
    expect(lines).toEqual(Array.from({ length: 3 }, () => "(5,000,012 bytes)"));
  });

  it("keep the conditions that an event met when its large record was not read", async () => {
    const db = openDatabase(monitor.path, { mode: "write" });
    const event = String(
      db.prepare(`SELECT event_id FROM ${PREFIX}trg_events ORDER BY matched_condition_count DESC LIMIT 1`).value(),
    );
    db.close();
    const before = await monitor.workspace.store.app(APP).read((reads) => reads.trigger.eventsByIds([event], 0));
    expect(before[0]?.matched_condition_ids.length).toBeGreaterThan(0);
    const large = FIELDS.find(({ table }) => table === "trg_events");
    if (large !== undefined) enlarge(large, UNREAD_BYTES + 1_000_000, "matched_condition_count");
    const after = await monitor.workspace.store.app(APP).read((reads) => reads.trigger.eventsByIds([event], 0));
    expect(after).toEqual(before.map((row) => ({ ...row, payload: null, whole_size: expect.any(Number) })));
  });

  // A value behind a reference is searched and shown up to 200,000 characters, of up to four bytes each.
  it.each([
    ["client data", FIELDS.filter(({ table }) => table === "client_data"), 4 * LIST_BYTES],
    ["all other tables", FIELDS.filter(({ table }) => table !== "client_data"), LIST_BYTES],
  ])("read a bounded part of each value in %s", async (_, fields, most) => {
    for (const field of fields) expect(enlarge(field, UNREAD_BYTES + 1_000_000)).toBe(true);
    expect(await longestRead(PAGES)).toMatchObject({ length: expect.toSatisfy((length) => length <= most) });
    expect(await longestRead(pagesAbout())).toMatchObject({
      length: expect.toSatisfy((length) => length <= VALUE_BYTES),
    });
  });

  it.runIf(process.platform === "linux")(
    "choose, sort and count rows without reading through their large values",
    async () => {
      for (const field of FIELDS.filter(({ last }) => last)) enlarge(field, UNREAD_BYTES + 1_000_000);
      /** Bytes that this thread has read from files. */
      const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync("/proc/thread-self/io", "utf8"))?.[1]);
      const through: string[] = [];
      await watchStatements(PAGES, (run, page) => {
        const before = bytesRead();
        const found = run();
        if (bytesRead() - before > UNREAD_BYTES) through.push(page);
        return found;
      });
      expect(bytesRead()).toBeGreaterThan(0);
      expect(through).toEqual([]);
    },
  );
});

function withMember(large: string, stored: string): string {
  return JSON.stringify({ ...JSON.parse(stored), large });
}
