/** Definitions of invocations, their results and exceptions. */
import type { InvocationRecord } from "../../../pynenc/records.ts";
import type {
  DefinitionFilter,
  DefinitionReads,
  ListedId,
  OutcomeKind,
  StoredOutcome,
} from "../../ports/state-backend.ts";
import { PREVIEW_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { bounded, boundedText, number, text, textOrNull } from "../tables/columns.ts";
import type { Queries, Values } from "../tables/queries.ts";
import { limitedPerId } from "../tables/row-limit.ts";
import type { AppTables } from "../tables/tables.ts";
import type { RowidRange } from "../tables/time-window.ts";

export function definitionReads(handle: Queries, tables: AppTables): Sync<DefinitionReads> {
  const invocations = tables.readable("state_backend", "invocations");
  const invocationColumns = [
    "invocation_id",
    "call_id_key",
    "task_id_key",
    "arguments_id",
    "parent_invocation_id",
    ...(tables.has("state_backend", "invocations", "parent_event_id") ? ["parent_event_id"] : []),
    "workflow_id",
    "workflow_type_key",
    "parent_workflow_id",
  ].join(", ");

  const outcomes = {
    result: { ...tables.readable("state_backend", "results"), column: "result_data" },
    exception: { ...tables.readable("state_backend", "exceptions"), column: "exception_data" },
  };

  /** Only the parent is indexed; the other conditions check the definitions of the range one by one, newest first. */
  function definedRows(filter: DefinitionFilter, limit: number, offset: number, range?: RowidRange): ListedId[] {
    if (!invocations.exists) return [];
    const where: string[] = [];
    const values: Values = [];
    for (const column of ["parent_invocation_id", "workflow_id", "workflow_type_key"] as const) {
      const wanted = filter[column];
      if (wanted === undefined) continue;
      where.push(`${column} = ?`);
      values.push(wanted);
    }
    if (range !== undefined) {
      where.push("rowid BETWEEN ? AND ?");
      values.push(range.first, range.last);
    }
    return handle
      .all(
        `SELECT rowid AS cursor, invocation_id FROM ${invocations.sql}
         ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
        ...values,
        limit,
        offset,
      )
      .map((row) => ({ invocation_id: text(row.invocation_id), cursor: String(row.cursor) }));
  }

  return {
    invocationsByIds(invocationIds, argumentBytes = PREVIEW_BYTES) {
      if (!invocations.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${invocationColumns}, ${bounded("serialized_arguments", argumentBytes, "serialized_arguments")} FROM ${invocations.sql} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map(invocationRecord);
    },

    tasksOf(invocationIds) {
      if (!invocations.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT invocation_id, task_id_key FROM ${invocations.sql} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map((row) => ({ invocation_id: text(row.invocation_id), task_id_key: text(row.task_id_key) }));
    },

    listDefined: (filter, { limit, offset }) => definedRows(filter, limit, offset),

    scanDefined(filter, limit, scanLimit, after) {
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after);
      if (filter.parent_invocation_id !== undefined || (filter.workflow_id ?? filter.workflow_type_key) === undefined) {
        const rows = definedRows(filter, limit, 0, { first: 0, last: before - 1 });
        const last_cursor = rows.at(-1)?.cursor ?? after ?? null;
        return { rows, scanned: rows.length, exhausted: rows.length < limit, last_cursor };
      }
      const nothing = { rows: [], scanned: 0, exhausted: true, last_cursor: after ?? null };
      if (!invocations.exists) return nothing;
      const end = (order: "ASC" | "DESC") =>
        handle.get(
          `SELECT rowid AS id FROM ${invocations.sql} WHERE rowid < ? ORDER BY rowid ${order} LIMIT 1`,
          before,
        );
      const [oldest, newest] = [end("ASC"), end("DESC")];
      if (oldest === undefined || newest === undefined) return nothing;
      const last = number(newest.id);
      const first = Math.max(number(oldest.id), last - scanLimit + 1);
      const rows = definedRows(filter, limit, 0, { first, last });
      const reached = rows.length === limit ? Number(rows.at(-1)?.cursor) : first;
      return {
        rows,
        scanned: last - reached + 1,
        exhausted: reached <= number(oldest.id),
        last_cursor: String(reached),
      };
    },

    countDefined(parentId) {
      if (!invocations.exists) return 0;
      const count = `SELECT count(*) FROM ${invocations.sql}`;
      return parentId === undefined
        ? handle.number(count)
        : handle.number(`${count} WHERE parent_invocation_id = ?`, parentId);
    },

    childrenOf(parentIds, limit, kind = "invocation") {
      const column = kind === "invocation" ? "parent_invocation_id" : "parent_event_id";
      if (!tables.has("state_backend", "invocations", column) || parentIds.length === 0) return [];
      const found = limitedPerId({ table: invocations.sql, column, order: "k.rowid" }, limit);
      return handle
        .all(
          `SELECT i.invocation_id, i.${column} AS parent_id FROM json_each(?) j
           CROSS JOIN ${invocations.sql} i ON ${found.on("i")} ORDER BY i.rowid LIMIT ?`,
          JSON.stringify(parentIds),
          ...found.values,
        )
        .map((row) => ({ invocation_id: text(row.invocation_id), parent_id: text(row.parent_id) }));
    },

    outcomesOf(kinds, invocationIds, bytes = VALUE_BYTES) {
      const stored = kinds.filter((kind) => outcomes[kind].exists);
      if (stored.length === 0 || invocationIds.length === 0) return [];
      const selected = stored.map(
        (kind) =>
          `SELECT '${kind}' AS kind, invocation_id, ${bounded(outcomes[kind].column, bytes, "stored")} FROM ${outcomes[kind].sql}
           WHERE invocation_id IN (SELECT value FROM json_each(?))`,
      );
      const ids = JSON.stringify(invocationIds);
      return handle.all(selected.join(" UNION ALL "), ...stored.map(() => ids)).map((row): StoredOutcome => {
        const { text: value, ...mark } = boundedText(row, "stored");
        return { kind: row.kind as OutcomeKind, invocation_id: text(row.invocation_id), stored: value, ...mark };
      });
    },
  };
}

function invocationRecord(row: Row): InvocationRecord {
  const { text: serialized_arguments, ...mark } = boundedText(row, "serialized_arguments");
  return {
    invocation_id: text(row.invocation_id),
    call_id_key: text(row.call_id_key),
    task_id_key: text(row.task_id_key),
    arguments_id: text(row.arguments_id),
    serialized_arguments,
    ...mark,
    parent_invocation_id: textOrNull(row.parent_invocation_id),
    parent_event_id: textOrNull(row.parent_event_id),
    workflow_id: textOrNull(row.workflow_id),
    workflow_type_key: textOrNull(row.workflow_type_key),
    parent_workflow_id: textOrNull(row.parent_workflow_id),
  };
}
