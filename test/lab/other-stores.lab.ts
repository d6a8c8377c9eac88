/** Stores that the program does not read yet: real apps run on them here, so that it can learn to. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { environmentOf, findPython, type Lock } from "./python.ts";
import { APPS, RECOVERY_ONCE, storeClasses, World } from "./world.ts";

const run = promisify(execFile);

/** Not part of the short run, nor of one of the stores and releases that can be chosen. */
const chosen = ["LAB_CORE", "LAB_STORE", "LAB_RELEASE"].every((name) => (process.env[name] ?? "") === "");

const missing = chosen ? inject("missing") : "npm run lab without --core, --store and --release";

async function environment(lock: Lock): Promise<string> {
  return environmentOf(lock, findPython() ?? "");
}

/** The tests are skipped by name if something is missing. */
function describeWith(needs: string, name: string, tests: () => void): void {
  if (needs === "") describe(name, tests);
  else describe.skip(`${name} (needs ${needs})`, tests);
}

describeWith(missing, "an app with the components of pynenc-rustvello on SQLite", () => {
  let world: World;
  let id = "";

  beforeAll(async () => {
    const settings = { ...RECOVERY_ONCE, ...storeClasses("RustSqlite") };
    const program = await environment("rustvello");
    world = await World.start({ store: "sqlite", app: "work", app_id: "lab", settings, program });
    world.runner({ threads: 2 });
    id = await world.call("ok", { order: "ORD-1" });
    await world.untilStatus(id, "success");
  });

  afterAll(() => world?.close());

  it("a task that is called is executed once, with its arguments", () => {
    const { truth } = world;
    expect(truth.all({ what: "begins", task: "ok" })).toMatchObject([{ invocation: id, kwargs: { order: "ORD-1" } }]);
    expect(truth.all({ what: "returns", invocation: id })).toHaveLength(1);
  });

  it("the status of the call is in the file of the app, which has the app's id as its name", () => {
    expect(statusIn(join(world.folder, "app_lab.db"), id)).toBe("SUCCESS");
  });
});

describeWith(missing, "an app of Rustvello without pynenc on SQLite", () => {
  it("a task that is called is executed, and its status is in the file of the app", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-rustvello-"));
    try {
      const program = await environment("rustvello-alone");
      const script = [join(APPS, "rustvello_alone.py"), join(folder, "app.db")];
      const { stdout } = await run(program, script, { cwd: folder });
      const { id, result } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { id: string; result: number };
      expect(result).toBe(3);
      expect(statusIn(join(folder, "app_lab.db"), id)).toBe("SUCCESS");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function statusIn(path: string, id: string): unknown {
  const db = openDatabase(path, { mode: "read" });
  try {
    return db.prepare("SELECT status FROM status_records WHERE invocation_id = ?").column(id)[0];
  } finally {
    db.close();
  }
}
