import { addTo } from "../../pynenc/groups.ts";
import type { IdKind } from "../../pynenc/id-kinds.ts";
import type { ComponentName } from "../ports/common.ts";
import type { IdReads, KnownId, PartialId } from "../ports/ids.ts";
import type { Sync } from "./calls/sync.ts";
import { text } from "./tables/columns.ts";
import { idRange } from "./tables/id-range.ts";
import type { Queries } from "./tables/queries.ts";
import type { AppTables, TableOf } from "./tables/tables.ts";

/** File and tables of a component. */
interface ComponentSource {
  queries: Queries;
  tables: AppTables;
}

/** An indexed column of ids. */
interface Column {
  component: ComponentName;
  table: TableOf<ComponentName>;
  column: string;
}

/** Columns with the ids of each kind (storage-format.md 3.2 to 3.6); each is a primary key or indexed. */
const COLUMNS: Readonly<Record<IdKind, readonly Column[]>> = {
  invocation: [
    { component: "orchestrator", table: "invocations", column: "invocation_id" },
    { component: "state_backend", table: "invocations", column: "invocation_id" },
  ],
  workflow: [{ component: "state_backend", table: "workflows", column: "workflow_id" }],
  event: [{ component: "trigger", table: "events", column: "event_id" }],
  trigger_run: [{ component: "trigger", table: "trigger_runs", column: "trigger_run_id" }],
  trigger: [{ component: "trigger", table: "triggers", column: "trigger_id" }],
  condition: [{ component: "trigger", table: "conditions", column: "condition_id" }],
  valid_condition: [{ component: "trigger", table: "valid_conditions", column: "valid_condition_id" }],
  runner: [
    { component: "state_backend", table: "runner_contexts", column: "runner_id" },
    { component: "orchestrator", table: "runner_heartbeats", column: "runner_id" },
  ],
  atomic_service_run: [
    { component: "orchestrator", table: "atomic_service_executions", column: "atomic_service_run_id" },
  ],
  call: [{ component: "orchestrator", table: "invocations", column: "call_id_key" }],
  client_data: [{ component: "client_data_store", table: "data", column: "data_key" }],
};

/** Limit of ids with a matching prefix whose suffix is checked. */
const SCAN_LIMIT = 2_000;

/** Ids by the index of their column: full ids by one lookup each, partial ones by hopping from one distinct id to the next within the range of their prefix. */
export function idReads(sourceOf: (component: ComponentName) => ComponentSource): Sync<IdReads> {
  const columnsOf = (kind: IdKind) =>
    COLUMNS[kind].flatMap(({ component, table, column }) => {
      const { queries, tables } = sourceOf(component);
      return tables.has(component, table, column) ? [{ queries, table: tables.name(component, table), column }] : [];
    });

  /** Those of these ids that are stored, with one statement for each file. */
  function stored(ids: readonly KnownId[]): Set<string> {
    const byFile = new Map<Queries, { sql: string; ids: string }[]>();
    for (const kind of new Set(ids.map((one) => one.kind))) {
      const ofKind = JSON.stringify([...new Set(ids.flatMap((one) => (one.kind === kind ? [one.id] : [])))]);
      for (const { queries, table, column } of columnsOf(kind)) {
        const sql = `SELECT '${kind}' AS kind, j.value AS id FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM ${table} t WHERE t.${column} = j.value)`;
        addTo(byFile, queries, { sql, ids: ofKind });
      }
    }
    const rows = [...byFile].flatMap(([queries, parts]) =>
      queries.all(parts.map(({ sql }) => sql).join(" UNION ALL "), ...parts.map((part) => part.ids)),
    );
    return new Set(rows.map(({ kind, id }) => `${text(kind)} ${text(id)}`));
  }

  /** Hops over up to `SCAN_LIMIT` distinct ids of a column and returns those with the suffix. */
  function hops({ beginning, ending }: PartialId, { queries, table, column }: ReturnType<typeof columnsOf>[number]) {
    const { from, to } = idRange(beginning);
    return (enough: number): { ids: string[]; all: boolean } => {
      const rows = queries.all(
        `WITH RECURSIVE hop(id) AS (
           SELECT min(${column}) FROM ${table} WHERE ${column} >= ? AND ${column} < ?
           UNION ALL
           SELECT (SELECT min(${column}) FROM ${table} WHERE ${column} > hop.id AND ${column} < ?) FROM hop WHERE hop.id IS NOT NULL
         ) SELECT id FROM hop WHERE id IS NOT NULL LIMIT ?`,
        from,
        to,
        to,
        ending === "" ? enough : SCAN_LIMIT,
      );
      const ids = rows.map((row) => text(row.id));
      return {
        ids: ids.filter((id) => id.endsWith(ending) && id.length >= beginning.length + ending.length),
        all: ids.length < (ending === "" ? enough : SCAN_LIMIT),
      };
    };
  }

  /**
   * The parts with a beginning that some id has: one search for each in one statement, so that hops are only made where there is something. The
   * digits of a call follow the name of each task.
   */
  function begun(parts: readonly PartialId[]): Set<PartialId> {
    const found = new Set<PartialId>();
    for (const kind of new Set(parts.map((part) => part.kind))) {
      const ofKind = parts.filter((part) => part.kind === kind);
      const ranges = ofKind.map(({ beginning }) => idRange(beginning)).map(({ from, to }) => [from, to]);
      for (const { queries, table, column } of columnsOf(kind)) {
        const rows = queries.all<{ part: number }>(
          `SELECT j.key AS part FROM json_each(?) j
           WHERE EXISTS (SELECT 1 FROM ${table} t WHERE t.${column} >= j.value ->> 0 AND t.${column} < j.value ->> 1)`,
          JSON.stringify(ranges),
        );
        for (const { part } of rows) found.add(ofKind[part] as PartialId);
      }
    }
    return found;
  }

  return {
    known(ids) {
      const found = stored(ids);
      return ids.flatMap(({ kind, id }) => (found.has(`${kind} ${id}`) ? [{ kind, id }] : []));
    },

    matching(parts, limit) {
      const some = begun(parts);
      return parts.map((part) => {
        if (!some.has(part)) return { ids: [], complete: true };
        const found = columnsOf(part.kind).map((column) => hops(part, column)(limit + 1));
        const ids = inByteOrder(new Set(found.flatMap((one) => one.ids)));
        return { ids: ids.slice(0, limit), complete: ids.length <= limit && found.every((one) => one.all) };
      });
    },
  };
}

function inByteOrder(ids: Iterable<string>): string[] {
  return [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
