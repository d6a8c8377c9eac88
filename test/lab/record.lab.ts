/** What `npm run lab:record` keeps: it opens in the program as the live app does, and names nothing of this machine. */
import { readdirSync, readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { StatusReport } from "../../src/api/health.ts";
import type { InvocationList } from "../../src/api/invocations.ts";
import { packageRoot } from "../../src/package-root.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { recordedContent, writeContent } from "../support/mongodb-content.ts";
import { type MongoServer, startMongo } from "../support/mongodb-server.ts";
import { startRedis } from "../support/redis-server.ts";
import { detail, why } from "./asked.ts";
import { Monitor } from "./monitor.ts";
import { MONGO_DATABASE } from "./record.ts";
import { scenario } from "./scenario.ts";
import type { Fact } from "./truth.ts";
import { RECOVERY_ONCE } from "./world.ts";

scenario(
  {
    story: "A failed family and a run that hangs are recorded while the runner works on",
    settings: RECOVERY_ONCE,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let failed = "";
    let held = "";
    let files: string[] = [];
    let recorded: Monitor;
    let server: { url: string; close(): Promise<void> } | null = null;

    beforeAll(async () => {
      const { truth, folder, env } = world();
      world().runner({ threads: 4 });
      await world().recovered();
      failed = await world().call("sells", { order: "ORD-1" });
      await world().untilStatus(failed, "failed");
      held = await world().call("held", { name: "order" });
      await truth.until({ what: "waits", invocation: held });
      files = await world().record(join(folder, "recorded"), "kept", "A failed family");
      truth.open("order");
      await world().untilStatus(held, "success");
      const [store = ""] = files;
      if (store.endsWith(".rdb")) server = await startRedis({ rdb: store });
      if (store.endsWith(".ejson")) server = await mongoWith(store);
      // Without the settings of the app: a fixture is opened by itself.
      const { PATH = "", HOME = "" } = env;
      recorded = new Monitor(server === null ? ["--db", store] : ["--url", server.url], {
        cwd: join(folder, "recorded"),
        env: { PATH, HOME },
      });
    });

    afterAll(async () => {
      await recorded?.close();
      await server?.close();
    });

    it("the record has the invocations that the lab saw, as they were at its instant", async () => {
      const began = world().truth.all({ what: "begins" });
      const { invocations } = await recorded.json<InvocationList>("invocations", "task:work.*");
      expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(
        began.map(({ invocation }) => String(invocation)).sort(),
      );
      expect((await detail(recorded, held)).status).toBe("running");
      expect((await detail(world().monitor, held)).status).toBe("success");
    });

    it("monitor why finds the same chain of failures in the record as in the live app", async () => {
      const [kept, live] = await Promise.all([why(recorded, failed), why(world().monitor, failed)]);
      expect(kept.verdict?.code).toBe("failed_below");
      expect(kept.chain).toEqual(live.chain);
      expect(kept.verdict?.sentence).toBe(live.verdict?.sentence);
      expect(JSON.stringify(kept)).toContain("card of ORD-1 was declined");
    });

    it("monitor status counts in the record what the lab saw end and run", async () => {
      const { statuses } = await recorded.json<StatusReport>("status");
      const raised = world().truth.all({ what: "raises" });
      expect(statuses).toMatchObject({ failed: raised.length, running: 1, registered: 0 });
    });

    it("facts.json has what the lab saw until then, with the instants", () => {
      const path = files.find((file) => file.endsWith(".facts.json")) ?? "";
      const { story, facts } = JSON.parse(readFileSync(path, "utf8")) as { story: string; facts: Fact[] };
      const { truth } = world();
      expect(story).toBe("A failed family");
      // What the lab saw later is not in it.
      expect(facts.at(-1)).toMatchObject({ what: "waits", invocation: held });
      expect(facts.map(({ what, at, invocation }) => ({ what, at, invocation }))).toEqual(
        truth.facts.slice(0, facts.length).map(({ what, at, invocation }) => ({ what, at, invocation })),
      );
    });

    it("the log of the runner opens beside the store, and its lines belong to the recorded invocations", async () => {
      const path = files.find((file) => file.endsWith(".log")) ?? "";
      expect(readFileSync(path, "utf8")).toMatch(/^# ---- lab-runner0\.log\n/);
      const { code, stdout } = await recorded.run(["logs", path]);
      expect(code).toBe(0);
      expect(stdout).toContain(failed.slice(0, 8));
    });

    it("no file names a folder, the user or the host of this machine", () => {
      const program = Object.values(inject("environments") ?? {}).map((one) => dirname(dirname(one)));
      const places = [world().folder, packageRoot(), `${homedir()}/`, `@${hostname()}-`, ...program];
      for (const file of files) {
        const text = readFileSync(file, "latin1");
        expect({ file, names: places.filter((place) => text.includes(place)) }).toEqual({ file, names: [] });
      }
    });

    it("a record that would still name a folder of this machine is refused, and no file is left", async ({ skip }) => {
      const { folder, database, redis, mongo } = world();
      skip(redis !== null || mongo !== null, "on a server everything that is stored is cleaned");
      const db = openDatabase(database, { mode: "write" });
      db.exec(`CREATE TABLE left_over (place TEXT DEFAULT '${folder}')`);
      db.close();
      const to = join(folder, "refused");
      await expect(world().record(to, "kept", "A failed family")).rejects.toThrow("would still name");
      expect(readdirSync(to)).toEqual([]);
    });
  },
);

async function mongoWith(path: string): Promise<MongoServer> {
  const server = await startMongo();
  const client = await MongoClient.connect(server.url);
  await writeContent(client.db(MONGO_DATABASE), recordedContent(path));
  await client.close();
  return server;
}
