/** Ids are found by the indexes of their columns, in every layout: no look-up reads a table or a whole index. */
import { expect, it } from "vitest";
import { ID_KINDS } from "../../../src/pynenc/id-kinds.ts";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import type { IdReads } from "../../../src/stores/ports/ids.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { idReads } from "../../../src/stores/sqlite/ids.ts";
import type { Queries } from "../../../src/stores/sqlite/tables/queries.ts";
import { readSchema } from "../../../src/stores/sqlite/tables/schema.ts";
import { AppTables } from "../../../src/stores/sqlite/tables/tables.ts";
import { FACTS, FIXTURE_NAMES } from "../../support/fixtures.ts";
import { change, copies, inspect } from "./rows.ts";

const copyOf = copies();

/** What SQLite says of each statement that `look` makes. */
function plansOf(path: string, appId: string, look: (reads: Sync<IdReads>) => void): string[] {
  return inspect(path, (db) => {
    const plans: string[] = [];
    const queries: Pick<Queries, "all"> = {
      all: (sql, ...values) => {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
        plans.push(...plan.map((row) => row.detail));
        return db.prepare(sql).all(...values) as never;
      },
    };
    const place = { queries: queries as Queries, tables: new AppTables(tablePrefix(appId), readSchema(db)) };
    look(idReads(() => place));
    return plans;
  });
}

/** Steps that read a table or an index from one end to the other: by `min()` also one that SQLite calls a search. */
const scans = (plans: readonly string[]) =>
  plans.filter((detail) => /^(SCAN|SEARCH) (?!j\b|hop\b|CONSTANT)/.test(detail) && !/ INDEX \S+ \(/.test(detail));

const APPS = FIXTURE_NAMES.flatMap((fixture) => Object.keys(FACTS[fixture]).map((app) => [fixture, app] as const));

it.each(APPS)("a search for ids in %s (%s) scans no table", (fixture, app) => {
  const plans = plansOf(copyOf(fixture), app, (reads) => {
    reads.known(ID_KINDS.map((kind) => ({ kind, id: "0123" })));
    reads.matching(
      // Every id begins with nothing: where there is one, it is also looked at.
      ID_KINDS.flatMap((kind) => [
        { kind, beginning: "0123", ending: "" },
        { kind, beginning: "", ending: "ef" },
      ]),
      10,
    );
  });
  expect(plans.filter((detail) => detail.startsWith("SEARCH")).length).toBeGreaterThan(20);
  expect(scans(plans)).toEqual([]);
});

it("the check for scans notices a table without its index", () => {
  const path = copyOf("kitchen_sink.db");
  const table = `${tablePrefix("kitchen_sink")}__orchestrator_invocations`;
  const indexes = inspect(path, (db) =>
    db
      .prepare("SELECT name FROM sqlite_master WHERE tbl_name = ? AND sql LIKE '%(call_id_key)%' AND type = 'index'")
      .all(table),
  ) as { name: string }[];
  expect(indexes).toHaveLength(1);
  change(path, ...indexes.map(({ name }) => `DROP INDEX "${name}"`));
  const plans = plansOf(path, "kitchen_sink", (reads) =>
    reads.matching([{ kind: "call", beginning: "0123", ending: "" }], 10),
  );
  expect(scans(plans)).not.toEqual([]);
});

it("an ending is searched among 2,000 ids with the same beginning, and the answer is marked as incomplete", () => {
  const path = copyOf("kitchen_sink.db");
  const table = `${tablePrefix("kitchen_sink")}__trg_triggers`;
  change(path, [
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
     INSERT INTO ${table} (trigger_id, task_id_key, logic_value) SELECT printf('same%05d', i), 't.f', 'or' FROM n`,
  ]);
  plansOf(path, "kitchen_sink", (reads) => {
    const found = reads.matching(
      ["01999", "02000"].map((ending) => ({ kind: "trigger", beginning: "same", ending })),
      10,
    );
    expect(found).toEqual([
      { ids: ["same01999"], complete: false },
      { ids: [], complete: false },
    ]);
  });
});
