/** `--follow` of invocations and events while another process writes: no row is lost or printed twice. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VerdictAlarm } from "../../src/api/verdicts.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { differences } from "../support/answers.ts";
import { watchForDefects } from "../support/defects.ts";
import { BIN, cleanEnvironment, monitor, ownCopy, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();

/** Rows written in all, in transactions of this many. */
const ROWS = 600;
const EACH = 7;

async function followed(db: string, args: readonly string[], write: (n: number) => void, ready: () => void) {
  const child = spawn(process.execPath, [BIN, "--db", db, "--app", "kitchen_sink", ...args], {
    env: cleanEnvironment(),
  });
  watchForDefects(child.stderr);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = () => text.split("\n").filter(Boolean);
  try {
    // What is written before it has begun is not told: one row after the other, until the first is.
    const told = () => {
      ready();
      return lines().length;
    };
    await expect.poll(told, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
    const before = lines().length;
    for (let n = 0; n < ROWS; n += EACH) {
      write(n);
      await new Promise((resolve) => setTimeout(resolve, n % 3));
    }
    await expect.poll(() => lines().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + ROWS);
    // Nothing comes twice either.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    child.kill("SIGINT");
    return { code: await ended, rows: lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
  } finally {
    child.kill();
  }
}

test.each([
  {
    name: "invocations",
    table: "kitchen_sink_13bd3995__state_backend_history",
    row: "?, ?, history_status, history_json",
    id: "invocation_id",
  },
  {
    name: "events",
    table: "kitchen_sink_13bd3995__trg_events",
    row: "?, event_code, ?, event_json, 0, 0, NULL, NULL, NULL",
    id: "event_id",
  },
])("monitor $name --follow prints each row once, in the order of writing", async ({ name, table, row, id }) => {
  const db = ownCopy("kitchen_sink.db", folder);
  const writer = openDatabase(db, { mode: "write" });
  const insert = writer.prepare(`INSERT INTO "${table}" SELECT ${row} FROM "${table}" LIMIT 1`);
  const start = Date.now() / 1_000;
  let tries = 0;
  const write = (n: number) => {
    writer.exec("BEGIN IMMEDIATE");
    for (let i = n; i < Math.min(ROWS, n + EACH); i++) insert.run(`new-${i}`, start + 100 + i / 100);
    writer.exec("COMMIT");
  };
  const ready = () => void insert.run(`try-${tries}`, start + tries++ / 10);
  const { code, rows } = await followed(db, [name, "--follow"], write, ready);
  writer.close();
  const ids = rows.map((one) => String(one[id]));
  const tried = ids.filter((one) => one.startsWith("try-")).length;
  expect(code).toBe(0);
  expect(ids.slice(tried)).toEqual(Array.from({ length: ROWS }, (_, n) => `new-${n}`));
  expect(ids.slice(0, tried)).toEqual(Array.from({ length: tried }, (_, n) => `try-${tries - tried + n}`));
});

test("monitor check --follow prints a line for each verdict that appeared since the record of alarms, and takes no limits", async () => {
  const db = ownCopy("kitchen_sink.db", folder);
  const state = join(folder, "state");
  mkdirSync(state);
  writeFileSync(
    join(state, "alarms.json"),
    JSON.stringify({ apps: [{ app_id: "kitchen_sink", location: db, known: [] }] }),
  );
  const args = ["--db", db, "--app", "kitchen_sink", "--state-dir", state, "check", "--follow"];
  const command = `"${process.execPath}" -e 0`;
  const child = spawn(process.execPath, [BIN, ...args, "--on-verdict", command], { env: cleanEnvironment() });
  watchForDefects(child.stderr);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  try {
    await expect.poll(() => text, { timeout: 60_000 }).toContain("running_on_dead_runner");
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  } finally {
    child.kill();
  }
  const alarms = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { schema_version: _, ...alarm } of alarms) expect(differences(VerdictAlarm, alarm)).toEqual([]);
  expect(alarms.map(({ change, url, verdict }) => [change, url, verdict.severity])).toEqual(
    alarms.map(() => ["appeared", null, "error"]),
  );
  const refused = await Promise.all([
    monitor([...args, "--max-queue-age", "5m"]),
    monitor([...args.slice(0, -1), "--on-verdict", command]),
  ]);
  expect(refused.map(({ code, stdout }) => [code, stdout])).toEqual([
    [2, ""],
    [2, ""],
  ]);
  expect(refused.map(({ stderr }) => stderr.split(":")[0])).toEqual(["--max-queue-age", "--on-verdict"]);
});
