/** A file that is taken away, emptied or overwritten while it is served: pages and `/health` say so at once, and go on when it is back. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import type { Connection } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const APP = "kitchen_sink";
const PAGES = ["/", "/invocations/", "/tasks/", "/broker/", "/events/", "/workflows/", "/client-data-store/"];
const ends = ["", "-wal", "-shm"];

/** What happens to the file, and what the page says. */
const TROUBLES: Record<string, { done: (path: string) => void; said: string }> = {
  "is cut to nothing": { done: (path) => truncateSync(path, 0), said: "is empty" },
  "is replaced by an empty file": { done: (path) => replacedBy(path, ""), said: "is empty" },
  "is deleted": { done: (path) => rmSync(path), said: "does not exist" },
  "is replaced by text": {
    done: (path) => replacedBy(path, "garbage ".repeat(9_000)),
    said: "is not an SQLite database",
  },
  "is overwritten with a shorter text": {
    done: (path) => writeFileSync(path, "garbage ".repeat(9_000)),
    said: "is not an SQLite database",
  },
  "is overwritten with a text of the same length": {
    done: (path) => writeFileSync(path, "g".repeat(statSync(path).size)),
    said: "is not an SQLite database",
  },
  "is overwritten with a longer text": {
    done: (path) => writeFileSync(path, "g".repeat(statSync(path).size + 5_000)),
    said: "is not an SQLite database",
  },
};

function replacedBy(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

describe("a database file that is served", () => {
  let monitor: Monitor;
  let kept: string;
  beforeEach(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    kept = join(dirname(monitor.path), "kept.db");
    copyFileSync(monitor.path, kept);
    // Figures that could be reused are computed.
    for (const page of PAGES) expect((await monitor.get(page)).status).toBe(200);
    expect(await monitor.json("/health")).toMatchObject({ status: "ok", store: "ok" });
  });
  afterEach(() => monitor.close());

  /** In a turn of the event loop of its own, as a request over a socket: checks in the same turn are shared. */
  async function health(): Promise<unknown> {
    await new Promise((resolve) => setImmediate(resolve));
    return monitor.json("/health");
  }

  async function expectUnreachable(said: string): Promise<void> {
    for (let round = 0; round < 2; round++) {
      for (const page of PAGES) {
        const response = await monitor.get(page, { headers: { accept: "text/html" } });
        const again = ["refresh", "retry-after"].map((name) => response.headers.get(name));
        expect([page, response.status, ...again]).toEqual([page, 503, "3", "3"]);
        expect(await response.text()).toContain(said);
      }
      expect(await health()).toMatchObject({ status: "ok", app: null, store: "unreachable" });
    }
  }

  async function expectServed(total: number): Promise<void> {
    for (const page of PAGES) expect([page, (await monitor.get(page)).status]).toEqual([page, 200]);
    expect((await monitor.json<InvocationList>("/invocations/")).page.total).toBe(total);
    expect(await health()).toMatchObject({ app: APP, store: "ok" });
  }

  /** A writer whose changes are only in the log. */
  function withLog(): Connection {
    const db = openDatabase(monitor.path, { mode: "write" });
    db.pragma("journal_mode = WAL");
    db.pragma("wal_autocheckpoint = 0");
    db.prepare(`UPDATE ${tablePrefix(APP)}__state_backend_app_info SET app_id = app_id`).run();
    expect(statSync(`${monitor.path}-wal`).size).toBeGreaterThan(0);
    return db;
  }

  for (const [what, { done, said }] of Object.entries(TROUBLES)) {
    it(`and ${what} is reported as not reachable until it is back`, async () => {
      const { atime, mtime } = statSync(monitor.path);
      done(monitor.path);
      // As if it were within one tick of the clock of files.
      if (existsSync(monitor.path)) utimesSync(monitor.path, atime, mtime);
      await expectUnreachable(said);
      for (const end of ends) rmSync(monitor.path + end, { force: true });
      copyFileSync(kept, monitor.path);
      await expectServed(207);
    });
  }

  it.each(["is cut to nothing", "is replaced by an empty file", "is deleted"])(
    "and %s is reported as not reachable while a log with changes is left",
    async (what) => {
      const writer = withLog();
      await expectServed(207);
      TROUBLES[what]?.done(monitor.path);
      await expectUnreachable(TROUBLES[what]?.said ?? "");
      writer.close();
    },
  );

  it("and overwritten with a copy of another store shows the data of that store", async () => {
    const other = copyFixture("kitchen_sink_023.db", dirname(monitor.path));
    for (const end of ends.slice(1)) rmSync(monitor.path + end, { force: true });
    copyFileSync(other, monitor.path);
    await expectServed(openedTotal(other));
  });

  it.skipIf(process.getuid?.() === 0)(
    "and becomes unreadable is reported as not reachable until it is readable",
    async () => {
      chmodSync(monitor.path, 0o000);
      await expectUnreachable("cannot be read by this user");
      chmodSync(monitor.path, 0o644);
      await expectServed(207);
    },
  );
});

function openedTotal(path: string): number {
  const db = openDatabase(path, { mode: "read" });
  const total = db.prepare(`SELECT count(*) FROM ${tablePrefix(APP)}__orchestrator_invocations`).value();
  db.close();
  return Number(total);
}
