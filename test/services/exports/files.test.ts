/** The other formats: tables with secrets masked, Parquet read back, and a timeline of what matched. */
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { INVOCATION_FIELDS } from "../../../src/api/words.ts";
import { type ExportReport, exportFile, type FileFormat } from "../../../src/services/exports/export.ts";
import { parquetPieces } from "../../../src/services/exports/parquet.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { storedError } from "../../support/stored-error.ts";

async function exported(app: MemoryApp, format: FileFormat, noValues = false, filter = NO_FILTER) {
  const report: ExportReport = { invocations: 0, notes: [] };
  const pieces: Uint8Array[] = [];
  const choice = { limit: null, noValues, version: "1" };
  for await (const piece of exportFile(app.opened, filter, format, choice, report))
    pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  const bytes = Buffer.concat(pieces);
  return { bytes, text: bytes.toString("utf8"), report };
}

function arrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

const app = memoryApp()
  .invocation("a", {
    arguments: { api_key: '"k1"', n: "1" },
    history: [
      [at(0), "registered"],
      [at(0.5), "running"],
      [at(1.123456), "failed"],
    ],
    exception: storedError("ValueError", "password: 'p1' refused"),
  })
  .invocation("b", { task: "shop.ship", history: [[at(2), "registered"]] });

describe("CSV and JSON lines", () => {
  it("contain all rows, with secrets masked or without values", async () => {
    const jsonl = await exported(app, "jsonl");
    const rows = jsonl.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map((row) => [row.invocation_id, row.arguments, row.exception?.message])).toEqual([
      ["b", "", undefined],
      ["a", 'api_key="••••••", n=1', "password: '••••••' refused"],
    ]);
    expect(jsonl.report.invocations).toBe(2);
    const csv = await exported(app, "csv");
    expect(csv.text.split("\r\n")[0]).toBe(INVOCATION_FIELDS.join(","));
    expect(csv.text).toContain('"api_key=""••••••"", n=1"');
    for (const format of ["jsonl", "csv"] as const) {
      const { text } = await exported(app, format, true);
      expect(text).toContain("ValueError");
      expect(text).not.toMatch(/n=1|refused/);
    }
  });
});

describe("a Parquet export", () => {
  it("has the same rows when it is read back, with times in microseconds and typed numbers", async () => {
    const { bytes } = await exported(app, "parquet");
    const file = arrayBuffer(bytes);
    const types = Object.fromEntries(
      parquetMetadata(file)
        .schema.slice(1)
        .map(({ name, type, converted_type }) => [name, converted_type ?? type]),
    );
    expect(Object.keys(types)).toEqual([...INVOCATION_FIELDS]);
    expect(types).toMatchObject({
      registered_at: "TIMESTAMP_MICROS",
      status_at: "TIMESTAMP_MICROS",
      duration_seconds: "DOUBLE",
      retry_count: "INT32",
      invocation_id: "UTF8",
    });
    const microseconds = { parsers: { timestampFromMicroseconds: (micros: bigint) => micros } } as object;
    const rows = await parquetReadObjects({ file, ...microseconds });
    expect(rows).toMatchObject([
      { invocation_id: "b", status: "registered", duration_seconds: null, exception_type: null },
      {
        invocation_id: "a",
        task_id_key: "shop.pay",
        status: "failed",
        retry_count: 0,
        status_at: BigInt(Math.round(at(1.123456) * 1e6)),
        arguments: 'api_key="••••••", n=1',
        exception_type: "ValueError",
        exception_message: "password: '••••••' refused",
      },
    ]);
    expect(rows[1]?.duration_seconds).toBeCloseTo(1.123456, 6);
  });

  it("is valid without rows, and has several row groups for many", async () => {
    const empty = arrayBuffer((await exported(memoryApp(), "parquet")).bytes);
    expect(await parquetReadObjects({ file: empty })).toEqual([]);
    const [row] = (await app.opened.store.read(async (reads) =>
      (await import("../../../src/services/model/invocation-rows.ts")).invocationRows(reads, ["a"]),
    )) as [never];
    const pieces: Uint8Array[] = [];
    const batches = (async function* () {
      for (const length of [5_000, 17_000, 500]) yield Array.from({ length }, () => row);
    })();
    for await (const piece of parquetPieces(batches)) pieces.push(piece);
    const metadata = parquetMetadata(arrayBuffer(Buffer.concat(pieces)));
    expect(metadata.row_groups.map((group) => Number(group.num_rows))).toEqual([20_000, 2_500]);
    expect(pieces.length).toBe(3);
  });
});

describe("a Perfetto export", () => {
  it("is the timeline of the matches, and valid without any", async () => {
    const { text, report } = await exported(app, "perfetto");
    const { traceEvents } = JSON.parse(text);
    const ids = traceEvents.flatMap((event: { args?: { invocation_id?: string } }) => event.args?.invocation_id ?? []);
    expect(new Set(ids)).toEqual(new Set(["a", "b"]));
    expect(report.invocations).toBe(2);
    expect(JSON.parse((await exported(memoryApp(), "perfetto")).text).traceEvents).toEqual([]);
    const one = await exported(app, "perfetto", false, { ...NO_FILTER, task_id_key: "shop.pay" });
    expect([one.report.invocations, one.text.includes('"b"')]).toEqual([1, false]);
    const busy = memoryApp()
      .runner("r1")
      .context("client")
      .invocations(1_300, (n) => ({
        history: [
          [at(n), "registered"],
          ...Array.from({ length: 12 }, (_, turn) => [at(n + 1 + turn), turn % 2 ? "retry" : "running"] as const),
          [at(n + 20), "success"],
        ],
      }));
    const all = await exported(busy, "perfetto");
    expect(all.report).toEqual({ invocations: 1_300, notes: [] });
  });
});
