/** Exports, metrics and bundles of an app with a secret in every text contain no secret. */
import { parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { FILE_FORMATS } from "../../../src/api/words.ts";
import { MASK } from "../../../src/config/secret-names.ts";
import { metricsText } from "../../../src/presentation/metrics-text.ts";
import { logsAbout } from "../../../src/services/exports/bundle-logs.ts";
import { type ExportReport, exportFile } from "../../../src/services/exports/export.ts";
import { appMetrics, metricsOfNow } from "../../../src/services/health/metrics.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { secretApp } from "../../support/secret-app.ts";

const world = secretApp();

it.each(FILE_FORMATS)("an export as %s contains no secret", async (format) => {
  const report: ExportReport = { invocations: 0, notes: [] };
  const pieces: Uint8Array[] = [];
  const choice = { limit: null, noValues: false, version: "1" };
  for await (const piece of exportFile(world.app.opened, NO_FILTER, format, choice, report))
    pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  const bytes = Buffer.concat(pieces);
  const rows = format === "parquet" ? await parquetReadObjects({ file: new Uint8Array(bytes).buffer }) : [];
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  const text = format === "parquet" ? JSON.stringify(rows, plain) : bytes.toString("utf8");
  expect(report.invocations).toBeGreaterThan(100);
  expect(text).toContain(MASK);
  expect(text).toContain("shop.reset_password");
  expect(world.leaksIn(text)).toEqual([]);
});

it("metrics contain no secret in their labels, and each series once", async () => {
  for (const metrics of [await appMetrics(world.app.opened), await metricsOfNow(world.app.opened)]) {
    const text = metricsText(metrics, null);
    expect(text).toContain(MASK);
    expect(world.leaksIn(text)).toEqual([]);
    const series = text
      .split("\n")
      .flatMap((line) => (line.startsWith("#") || line === "" ? [] : [line.replace(/ \S+$/, "")]));
    expect(series.length).toBe(new Set(series).size);
  }
});

it("log lines in a bundle contain no secret, wherever they are cut", async () => {
  async function* pieces() {
    yield world.log;
  }
  const { entries } = await logsAbout(new Set([...world.failed, ...world.succeeded]), "worker.log", pieces());
  expect(entries.length).toBe(world.failed.length * 2);
  expect(world.leaksIn(entries.map(({ text }) => text).join("\n"))).toEqual([]);
});
