/**
 * How many SQL statements a page and a command take. What holds for a state of the store is kept, so a page costs most right after a change. Figures
 * that are counted in the background or over time are left out: a slow machine reuses them, and reads them later.
 * With PAGE_COSTS=1 the figures are printed.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/program.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt } from "../support/monitor.ts";
import { countStatements, type Statements } from "../support/statements.ts";

const APP = "kitchen_sink";
const NOW = presentOf("kitchen_sink.db");

/** Reads of figures by `memo`, of the inventory, and of counts over time. */
const BACKGROUND = [
  ...["registry.apps", "forgotten.", "orchestrator.countByStatus", "orchestrator.countByTaskAndStatus"],
  ...["orchestrator.taskKeys", "state_backend.countDefined", "state_backend.workflowTypes"],
  ...["state_backend.historyFrom", "state_backend.historySpan ", "state_backend.historyEnd", "state_backend.appInfo"],
  ...["trigger.eventCounters", "trigger.triggeredTasks", "trigger.eventCodes", "orchestrator.countExecutions"],
];

const folder = temporaryFolder();
const path = copyFixture("kitchen_sink.db", folder.path);
let statements: Statements;
let monitor: Monitor;
let present = NOW;

/** Statements since the last call. */
function taken(): number {
  const counts = [...statements.taken()].filter(
    ([method]) => !BACKGROUND.some((start) => `${method} `.startsWith(start)),
  );
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

beforeAll(async () => {
  // The clock goes on between two looks.
  vi.spyOn(Date, "now").mockImplementation(() => {
    present += 1e-4;
    return present * 1000;
  });
  monitor = await monitorAt(path, "in process", { app: APP }, folder.remove);
  statements = countStatements();
});

afterAll(async () => {
  statements.stop();
  vi.restoreAllMocks();
  await monitor.close();
});

let changes = 0;
let clients = 0;

/** A change of the file that changes no row. */
function change(): void {
  const db = openDatabase(path, { mode: "write" });
  db.exec(`PRAGMA user_version = ${++changes}`);
  db.close();
}

/** An invocation with the status, unless the text is empty. */
async function idOf(status: string): Promise<string> {
  if (status === "") return "";
  const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
    `/invocations/?status=${status}`,
  );
  return invocations[0]?.invocation_id ?? "";
}

describe("a page takes few statements after a change of the store, and fewer while it is unchanged", () => {
  it.each([
    ["/", "", 22, 3],
    ["/invocations/?limit=50", "", 7, 6],
    ["/invocations/ID", "success", 33, 17],
    ["/invocations/ID", "failed", 47, 26],
    ["/invocations/ID", "registered", 33, 12],
    ["/invocations/ID", "running", 41, 16],
    ["/invocations/ID", "paused", 33, 12],
    ["/why", "", 22, 0],
    ["/why?id=ID", "success", 17, 6],
    ["/why?id=ID", "failed", 19, 7],
    ["/why?id=ID", "registered", 23, 5],
    ["/why?id=ID", "running", 26, 6],
    ["/why?id=ID", "paused", 23, 5],
    ["/broker/queue", "", 18, 3],
    ["/broker/", "", 17, 3],
    ["/events/", "", 8, 8],
    ["/failures/", "", 3, 3],
    ["/workflows/runs", "", 12, 10],
    ["/tasks/", "", 3, 3],
    ["/runners/", "", 23, 3],
  ])("%s of an invocation that is %s", async (address, status, changed, unchanged) => {
    const page = address.replace("ID", await idOf(status));
    const ask = async () => {
      // Another client each time, so that no answer is remembered for it.
      const answer = await monitor.get(page, { headers: { accept: "text/html", "if-none-match": `"${++clients}"` } });
      expect(answer.status).toBe(200);
      await answer.text();
      return taken();
    };
    await ask();
    change();
    const [first, again] = [await ask(), await ask()];
    if (process.env.PAGE_COSTS) process.stdout.write(`${address} ${status}: ${first}, then ${again} statements\n`);
    expect(first).toBeLessThanOrEqual(changed);
    expect(again).toBeLessThanOrEqual(unchanged);
  });
});

describe("a command takes few statements", () => {
  const printed = vi.spyOn(process.stdout, "write");
  afterEach(() => void printed.mockReset());

  it.each([
    ["why", "", 26],
    ["why", "success", 21],
    ["why", "failed", 23],
    ["why", "registered", 26],
    ["why", "running", 30],
    ["status", "", 29],
    ["check", "", 24],
    ["show", "success", 24],
    ["show", "failed", 24],
    ["show", "registered", 29],
    ["show", "running", 33],
    ["invocations", "", 6],
  ])("monitor %s of an invocation that is %s", async (command, status, most) => {
    const id = await idOf(status);
    const given = id === "" ? [] : [id];
    taken();
    printed.mockImplementation(() => true);
    await main(["--db", path, "--app", APP, "--now", isoFromEpoch(NOW), command, ...given, "--json"]);
    printed.mockRestore();
    const statements = taken();
    if (process.env.PAGE_COSTS) process.stdout.write(`monitor ${command} ${status}: ${statements} statements\n`);
    expect(statements).toBeGreaterThan(3);
    expect(statements).toBeLessThanOrEqual(most);
  });
});
