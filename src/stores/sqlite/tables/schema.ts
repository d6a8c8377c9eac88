import type { Connection } from "../file/connection.ts";
import type { Column, FileSchema } from "./tables.ts";

/** Tables and columns of a file. @param database schema name of an attached file; `main` is the connection's own file. */
export function readSchema(db: Connection, database = "main"): FileSchema {
  const rows = db
    .prepare(
      `SELECT m.name AS table_name, c.name, c."notnull" AS not_null, c.dflt_value IS NOT NULL AS has_default, c.pk
       FROM ${database}.sqlite_master m JOIN pragma_table_info(m.name, ?) c
       WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all(database) as { table_name: string; name: string; not_null: number; has_default: number; pk: number }[];
  const schema = new Map<string, Column[]>();
  for (const row of rows) {
    const columns = schema.get(row.table_name) ?? [];
    columns.push({
      name: row.name,
      not_null: row.not_null === 1,
      has_default: row.has_default === 1,
      primary_key: row.pk > 0,
    });
    schema.set(row.table_name, columns);
  }
  return schema;
}
