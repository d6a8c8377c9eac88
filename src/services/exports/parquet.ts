/** Streams invocations as an Apache Parquet file, by row groups. */

import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { INVOCATION_FIELDS } from "../../api/words.ts";
import { epochFromIso, integerMicros } from "../../pynenc/time.ts";
import { type InvocationField, type TableRow, tableRow } from "../invocations/exports.ts";

/** Rows per group, held in memory: a few megabytes. Readers can skip groups. */
const ROW_GROUP = 20_000;

type ColumnType = Extract<BasicType, "STRING" | "INT32" | "DOUBLE" | "TIMESTAMP">;

/** Column types; text by default. Times are microseconds in UTC. */
const TYPES: Partial<Record<InvocationField, ColumnType>> = {
  retry_count: "INT32",
  duration_seconds: "DOUBLE",
  registered_at: "TIMESTAMP",
  status_at: "TIMESTAMP",
};

/** The bytes of one file, which is valid even without rows. */
export async function* parquetPieces(batches: AsyncIterable<readonly InvocationRow[]>): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const columns = INVOCATION_FIELDS.map((name) => ({ name, type: TYPES[name] ?? ("STRING" as const), nullable: true }));
  const schema = schemaFromColumnData({ columnData: columns.map((column) => ({ ...column, data: [] })) }).map(
    (element) => (element.converted_type === "TIMESTAMP_MILLIS" ? inMicroseconds(element) : element),
  );
  const file = new ParquetWriter({ writer, schema, createdBy: "pynenc-monitor" });
  const taken = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  const group = async (rows: readonly TableRow[]) => {
    const columnData = columns.map(({ name, type }) => ({ name, data: rows.map((row) => cell(row[name], type)) }));
    await file.write({ columnData, rowGroupSize: ROW_GROUP });
    return taken();
  };
  let held: TableRow[] = [];
  for await (const rows of batches) {
    held = held.concat(rows.map(tableRow));
    if (held.length < ROW_GROUP) continue;
    yield await group(held.slice(0, ROW_GROUP));
    held = held.slice(ROW_GROUP);
  }
  if (held.length > 0) yield await group(held);
  await file.finish();
  yield taken();
}

function inMicroseconds<Element extends object>(element: Element): Element {
  return { ...element, converted_type: "TIMESTAMP_MICROS" };
}

function cell(value: string | number | null | undefined, type: ColumnType): unknown {
  if (value === null || value === undefined) return null;
  if (type === "TIMESTAMP") {
    const at = epochFromIso(String(value));
    return at === null ? null : BigInt(integerMicros(at));
  }
  return value;
}
