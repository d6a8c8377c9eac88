/** How much of a write-ahead log is in use, read from logs that SQLite writes; and that a store's readers let a writer restart it. */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { onePath } from "../../../../src/stores/sqlite/file/component-paths.ts";
import type { Connection } from "../../../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../../../src/stores/sqlite/file/driver.ts";
import { usedLogBytes } from "../../../../src/stores/sqlite/file/log-file.ts";
import { LARGE_LOG_BYTES } from "../../../../src/stores/sqlite/file/log-gate.ts";
import { SqliteStore } from "../../../../src/stores/sqlite/store.ts";
import { temporaryFolder } from "../../../support/fixtures.ts";
import { runElsewhere } from "../processes.ts";
import { copies, withStore } from "../rows.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const copyOf = copies();

/** A connection with a log, and a table to write into. */
function writer(path: string, mode: "create" | "write"): Connection {
  const db = openDatabase(path, { mode });
  onTestFinished(() => db.close());
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = OFF");
  db.exec("CREATE TABLE IF NOT EXISTS filler (data BLOB)");
  return db;
}

function write(db: Connection, bytes: number): void {
  db.prepare("INSERT INTO filler VALUES (zeroblob(?))").run(bytes);
}

describe("the used bytes of a write-ahead log", () => {
  const sizeOf = (path: string) => statSync(`${path}-wal`).size;

  it.each([512, 4096, 65_536])("are all of a new log, and few of a restarted one (pages of %i)", (page) => {
    const path = join(folder.path, `pages-${page}.db`);
    const empty = openDatabase(path, { mode: "create" });
    empty.exec(`PRAGMA page_size = ${page}; VACUUM`);
    empty.close();
    const db = writer(path, "write");
    expect(db.pragma("page_size")).toBe(page);
    db.pragma("wal_autocheckpoint = 0");
    write(db, 1_000_000);
    expect(usedLogBytes(path, 0)).toBe(sizeOf(path));
    const size = sizeOf(path);
    db.pragma("wal_checkpoint(RESTART)");
    write(db, 1);
    expect(sizeOf(path)).toBe(size);
    const used = usedLogBytes(path, 0);
    expect(used).toBeGreaterThan(page);
    expect(used).toBeLessThan(size / 2);
    write(db, 1_500_000);
    expect(usedLogBytes(path, 0)).toBe(sizeOf(path));
  });

  it("are not counted for a small log, and are 0 for a missing one", () => {
    const path = join(folder.path, "small.db");
    expect(usedLogBytes(path, 0)).toBe(0);
    const db = writer(path, "create");
    db.pragma("wal_autocheckpoint = 0");
    write(db, 1_000_000);
    const size = sizeOf(path);
    db.pragma("wal_checkpoint(RESTART)");
    write(db, 1);
    expect(usedLogBytes(path, size + 1)).toBe(size);
    expect(usedLogBytes(path, size)).toBeLessThan(size);
  });

  it.each([
    ["nothing but zeroes", Buffer.alloc(100_000)],
    ["something else", Buffer.alloc(100_000, "text ")],
    ["half a header", Buffer.alloc(20, 1)],
    ["nothing", Buffer.alloc(0)],
  ])("are no error for a log of %s", (name, content) => {
    const path = join(folder.path, `${name}.db`);
    writeFileSync(`${path}-wal`, content);
    expect(usedLogBytes(path, 0)).toBeLessThanOrEqual(content.length + 32);
  });
});

it("another process cannot lock a database exclusively while the monitor has it open", async () => {
  const path = copyOf("kitchen_sink.db");
  // The last process of an app removes the log when it goes. Only the lock that it needs for that says that somebody else reads.
  const takeForItself = () => runElsewhere(path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
  await withStore(path, async (store) => {
    const app = store.app("kitchen_sink");
    const [file] = await app.read((reads) => reads.layout.files());
    expect(file?.journal_mode).toBe("wal");
    expect(await takeForItself()).toBe("SQLITE_BUSY");
  });
  expect(await takeForItself()).toBe("done");
});

it.each(["DELETE", "TRUNCATE", "PERSIST"])("a database in journal mode %s has no write-ahead log", async (mode) => {
  const path = copyOf("kitchen_sink.db");
  const db = openDatabase(path, { mode: "write" });
  onTestFinished(() => db.close());
  db.pragma(`journal_mode = ${mode}`);
  await withStore(path, async (store) => {
    const [file] = await store.app("kitchen_sink").read((reads) => reads.layout.files());
    expect(file).toMatchObject({ journal_mode: "rollback", log_bytes: null });
  });
});

describe("readers of a store with a large write-ahead log", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("make room for its writer: a snapshot waits until the log has been restarted", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const path = copyOf("kitchen_sink.db");
    const db = writer(path, "write");
    const store = new SqliteStore(onePath(path), { threads: 2, lockWait: 1, readOnly: true });
    onTestFinished(() => store.close());
    const app = store.app("kitchen_sink");
    const look = () => app.read((reads) => reads.broker.countMessages());
    await look();
    // Both threads are there and have read.
    await Promise.all([look(), look()]);
    vi.advanceTimersByTime(1_000);

    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    let turns: () => Promise<unknown> = async () => undefined;
    const first = app.read(async (reads) => {
      turns = () => reads.broker.countMessages();
      await turns();
      await held;
    });
    await vi.waitFor(async () => expect(await turns()).toEqual(expect.any(Number)), { timeout: 60_000 });
    // The open snapshot keeps what is written in the log.
    for (let i = 0; i < 12; i++) write(db, 1_000_000);
    expect(usedLogBytes(path, 0)).toBeGreaterThan(LARGE_LOG_BYTES);
    vi.advanceTimersByTime(1_000);

    let usedThen: number | null = null;
    const second = app.read(async (reads) => {
      await reads.broker.countMessages();
      usedThen = usedLogBytes(path, 0);
    });
    for (let i = 0; i < 50; i++) await turns();
    expect(usedThen).toBeNull();
    end();
    await first;
    for (let i = 0; i < 40 && usedThen === null; i++) {
      write(db, 10);
      vi.advanceTimersByTime(10);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    }
    await second;
    expect(usedThen).toBeLessThan(LARGE_LOG_BYTES);
  });
});
