/** `monitor export`: files for other programs, from data that real pynenc runs wrote. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, test } from "vitest";
import { factsOf } from "../support/fixtures.ts";
import { readSpans } from "../support/otlp.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, ownMonitor, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const KITCHEN = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", KITCHEN);
const FINAL = ["success", "failed", "concurrency_controlled_final"];
let here: string[];
beforeAll(() => {
  here = ["--db", ownCopy("kitchen_sink.db", folder), "--app", KITCHEN, "export"];
});

interface Row {
  invocation_id: string;
  status: string;
  parent_invocation_id: string | null;
  registered_at: string;
  status_at: string;
}

async function rowsOf(...query: string[]): Promise<Row[]> {
  const { stdout } = await monitor([...here, "--format", "jsonl", ...query]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("monitor export --format otlp", () => {
  test("has a span for each finished invocation, with the times of its rows, below the span of its caller", async () => {
    const { stdout, stderr } = await monitor([...here, "--format", "otlp"]);
    const spans = readSpans(stdout);
    const whole = new Map(
      spans.flatMap((span) => {
        const id = span.attributes["messaging.message.id"];
        return id === undefined ? [] : [[String(id), span] as const];
      }),
    );
    const rows = await rowsOf();
    expect(rows.length).toBe(Object.values(facts.statuses).reduce((sum, n) => sum + n, 0));
    const ended = rows.filter((row) => FINAL.includes(row.status));
    expect([...whole.keys()].sort()).toEqual(ended.map((row) => row.invocation_id).sort());
    expect(stderr).toContain(`${rows.length - ended.length} invocations left out`);
    const micros = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n + BigInt(iso.slice(23, 26)) * 1_000n;
    for (const { invocation_id, parent_invocation_id, registered_at, status_at, status } of ended) {
      const span = whole.get(invocation_id);
      expect([span?.start, span?.end, span?.attributes["pynenc.status"]]).toEqual([
        micros(registered_at),
        micros(status_at),
        status,
      ]);
      const parent = parent_invocation_id === null ? undefined : whole.get(parent_invocation_id);
      if (parent !== undefined) expect([span?.trace, span?.parent]).toEqual([parent.trace, parent.id]);
      if (parent_invocation_id === null) expect(span?.parent).toBeNull();
      const stretches = spans.filter((one) => one.parent === span?.id && one.kind === "SPAN_KIND_INTERNAL");
      for (const { start, end } of stretches) {
        expect(start >= (span?.start ?? 0n) && end >= start && end <= (span?.end ?? 0n)).toBe(true);
      }
    }
    expect(spans.filter((span) => span.status?.code === "STATUS_CODE_ERROR").length).toBe(facts.statuses.failed);
    expect(spans.some((span) => span.links.length > 0)).toBe(true);
    // What links lead to are spans of the file.
    const ids = new Set(spans.map((span) => `${span.trace} ${span.id}`));
    const dangling = spans.flatMap((span) => span.links).filter((link) => !ids.has(`${link.trace} ${link.id}`));
    expect(dangling).toEqual([]);
  });

  test("accepts the search of a list, and reports errors by the names of flags", async () => {
    const { stdout } = await monitor([...here, "--format", "otlp", "status:failed", "--limit", "2"]);
    const failed = readSpans(stdout).filter((span) => span.status?.code === "STATUS_CODE_ERROR");
    expect(failed.length).toBe(2);
    expect((await monitor([...here, "--format", "csv", "stauts:failed"])).code).toBe(2);
  });
});

describe("the file of monitor export", () => {
  test("is written completely, and replaced only with --force", async () => {
    const path = join(folder, "all.parquet");
    const first = await monitor([...here, "--format", "parquet", "-o", path]);
    const count = (await rowsOf()).length;
    expect([first.code, first.stdout, first.stderr]).toEqual([0, "", `${count} invocations written to ${path}.\n`]);
    const file = new Uint8Array(readFileSync(path)).buffer;
    expect((await parquetReadObjects({ file })).length).toBe(count);
    const again = await monitor([...here, "--format", "csv", "-o", path]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("--force")]);
    expect((await monitor([...here, "--format", "csv", "-o", path, "--force"])).code).toBe(0);
    expect(readFileSync(path, "utf8")).toMatch(/^invocation_id,/);
    expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test("is not created by an export that fails, and an earlier file stays", async () => {
    const path = join(folder, "kept.csv");
    writeFileSync(path, "earlier");
    const broken = join(folder, "broken.db");
    writeFileSync(broken, "no database");
    const run = await monitor(["--db", broken, "export", "--format", "csv", "-o", path, "--force"]);
    expect([run.code, readFileSync(path, "utf8")]).toEqual([4, "earlier"]);
    const nowhere = await monitor([...here, "--format", "csv", "-o", join(folder, "none", "x.csv")]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining("ENOENT")]);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });
});

test.each([[[]], [["--format", "pdf"]], [["--format", "csv", "--json"]], [["--format", "csv", "--limit", "0"]]])(
  "monitor export exits with 2 for %j",
  async (args) => {
    const run = await ownMonitor([...here, ...args]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
  },
);

test("an interrupted monitor export leaves no part of a file behind", async () => {
  const place = join(folder, "interrupted");
  mkdirSync(place);
  const big = join(place, "big.db");
  expect((await ownMonitor(["demo", "--no-serve", "--size", "20000", "--db", big])).code).toBe(0);
  const args = ["--db", big, "--app", "demo-shop", "export", "--format", "otlp", "-o", join(place, "out.jsonl")];
  const child = spawn(process.execPath, [BIN, ...args], { env: cleanEnvironment(), stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])));
  const partial = () => readdirSync(place).filter((name) => name.endsWith(".part"));
  while (partial().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGINT");
  expect(await ended).toEqual([null, "SIGINT"]);
  expect([partial(), existsSync(join(place, "out.jsonl"))]).toEqual([[], false]);
});

test("monitor export ends quietly when its reader goes away, and waits for a slow reader", async () => {
  const child = spawn(process.execPath, [BIN, ...here, "--format", "otlp"], { env: cleanEnvironment() });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect([code, said.replace(/^\d+ invocations? .*\n/gm, "")]).toEqual([0, ""]);
});
