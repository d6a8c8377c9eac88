/** Stores that the program does not read yet: real apps run on them here, so that it can learn to. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { FERRET_NEEDS, type FerretServer, startFerret } from "../support/ferretdb-server.ts";
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

describeWith(missing || FERRET_NEEDS, "an app with the components of pynenc-mongo", () => {
  let ferret: FerretServer;
  let program = "";

  beforeAll(async () => {
    [ferret, program] = await Promise.all([startFerret(), environment("mongo")]);
  });

  afterAll(() => ferret?.close());

  /** What a Python program with the plugin's own driver prints about the server. */
  async function asked<Document>(expression: string): Promise<Document> {
    const code = `import json, pymongo, sys; client = pymongo.MongoClient(sys.argv[1]); print(json.dumps(${expression}, default=str))`;
    const { stdout } = await run(program, ["-c", code, ferret.url]);
    return JSON.parse(stdout) as Document;
  }

  it("FerretDB answers hello and ping to the plugin's driver, as a server that takes writes", async () => {
    expect(await asked("client.admin.command('hello')")).toMatchObject({ isWritablePrimary: true, ok: 1 });
    expect(await asked("client.admin.command('ping')")).toEqual({ ok: 1 });
  });

  describe("with a runner", () => {
    let world: World;
    let id = "";

    beforeAll(async () => {
      const settings = { ...RECOVERY_ONCE, ...storeClasses("Mongo"), PYNENC__MONGO_URL: ferret.url };
      world = await World.start({ store: "sqlite", app: "on_ferretdb", app_id: "lab", settings, program });
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

    it("all its data is in collections of the server, and none in a file of the app", async () => {
      const names = await asked<string[]>("client.pynenc.list_collection_names()");
      const own = names.map((name) => name.replace(/^lab_[0-9a-f]{8}_/, ""));
      expect(own).toEqual(
        expect.arrayContaining(["orchestrator_invocations", "state_backend_invocations", "state_backend_history"]),
      );
      const stored =
        "list(client.pynenc[[n for n in client.pynenc.list_collection_names() if n.endswith('orchestrator_invocations')][0]].find())";
      const rows = await asked<{ invocation_id: string; status: string }[]>(stored);
      expect(rows.find(({ invocation_id }) => invocation_id === id)?.status).toBe("success");
      expect(readdirSync(world.folder).filter((name) => name.endsWith(".db"))).toEqual([]);
    });
  });
});

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
