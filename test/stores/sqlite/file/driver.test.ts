/** What every SQLite library does the same behind the seam. Which libraries there are depends on the Node that runs this. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { Connection, SqliteDriver } from "../../../../src/stores/sqlite/file/connection.ts";
import { inImmediateTransaction, openDatabase, sqliteDriver } from "../../../../src/stores/sqlite/file/driver.ts";
import { betterSqlite3 } from "../../../../src/stores/sqlite/file/driver-better-sqlite3.ts";
import { nodeSqlite } from "../../../../src/stores/sqlite/file/driver-node.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const IS_ROOT = process.getuid?.() === 0;

function betterOrNull(): SqliteDriver | null {
  try {
    return betterSqlite3();
  } catch {
    return null;
  }
}

const DRIVERS = [
  { name: "node:sqlite", driver: nodeSqlite() },
  { name: "better-sqlite3", driver: betterOrNull() },
];

it("a library of SQLite is found on this Node", () => {
  expect(DRIVERS.filter(({ driver }) => driver !== null)).not.toEqual([]);
});

it("the library that Node includes is preferred", () => {
  expect(sqliteDriver().name).toBe(nodeSqlite() === null ? "better-sqlite3" : "node:sqlite");
});

for (const { name, driver } of DRIVERS) {
  describe.skipIf(driver === null)(`${name} on this Node`, () => {
    const library = driver as SqliteDriver;
    let folder: string;
    let path: string;
    const opened: Connection[] = [];

    function open(mode: "read" | "write" | "create", file = path, busyTimeoutMs = 0): Connection {
      const connection = library.open(file, { mode, busyTimeoutMs });
      opened.push(connection);
      return connection;
    }

    function failureOf(work: () => unknown): { name: string; code: string } {
      try {
        work();
      } catch (error) {
        const { name, code } = error as { name: string; code: string };
        return { name, code };
      }
      throw new Error("nothing was thrown");
    }

    const sqliteError = (code: string) => ({ name: "SqliteError", code });

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-driver-"));
      // Everything that means something in an address, a pattern or a shell.
      path = join(folder, "a b#c?d%20é.db");
      const db = open("create");
      db.pragma("journal_mode = WAL");
      db.exec("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'one'), (2, 'two')");
    });

    afterEach(() => {
      for (const connection of opened.splice(0)) connection.close();
      rmSync(folder, { recursive: true, force: true });
    });

    describe("rows", () => {
      it("are plain objects with the columns in order", () => {
        const rows = open("read").prepare("SELECT b, a FROM t ORDER BY a").all();
        expect(rows).toStrictEqual([
          { b: "one", a: 1 },
          { b: "two", a: 2 },
        ]);
        expect(Object.keys(rows[0] ?? {})).toEqual(["b", "a"]);
      });

      it("of a single query are the row, or undefined", () => {
        const one = open("read").prepare("SELECT a, b FROM t WHERE a = ?");
        expect(one.get(2)).toStrictEqual({ a: 2, b: "two" });
        expect(one.get(3)).toBeUndefined();
      });

      it("can be read as a column and as a single value", () => {
        const db = open("read");
        expect(db.prepare("SELECT a, b FROM t ORDER BY a").column()).toEqual([1, 2]);
        expect(db.prepare("SELECT b, a FROM t WHERE a = ?").value(2)).toBe("two");
        expect(db.prepare("SELECT b FROM t WHERE a = 9").value()).toBeUndefined();
        expect(db.prepare("SELECT NULL").value()).toBeNull();
      });

      it("are empty lists when nothing matches", () => {
        const none = open("read").prepare("SELECT a, b FROM t WHERE a > 9");
        expect([none.all(), none.column()]).toEqual([[], []]);
      });

      it("keep the last of two columns with the same name", () => {
        expect(open("read").prepare("SELECT 1 AS x, 2 AS y, 3 AS x").all()).toStrictEqual([{ x: 3, y: 2 }]);
      });

      it("have a column that the table got after the statement was prepared", () => {
        const reader = open("read");
        const all = reader.prepare("SELECT * FROM t WHERE a = 1");
        expect(all.get()).toStrictEqual({ a: 1, b: "one" });
        open("write").exec("ALTER TABLE t ADD COLUMN c DEFAULT 'new'");
        expect(all.get()).toStrictEqual({ a: 1, b: "one", c: "new" });
        expect(all.all()).toStrictEqual([{ a: 1, b: "one", c: "new" }]);
      });

      it("are read by a statement that failed before", () => {
        const db = open("read");
        const odd = db.prepare("SELECT json_extract(?, '$.x') AS x");
        expect(failureOf(() => odd.get("{"))).toEqual(sqliteError("SQLITE_ERROR"));
        expect(odd.get('{"x": 1}')).toStrictEqual({ x: 1 });
      });
    });

    describe("values", () => {
      it("are bound by position", () => {
        const db = open("read");
        expect(db.prepare("SELECT ? AS x, ? AS y").get("p", "q")).toStrictEqual({ x: "p", y: "q" });
      });

      it("keep their types", () => {
        const typed = open("read").prepare("SELECT typeof(?) AS x");
        expect([typed.value("1"), typed.value(1), typed.value(1.5), typed.value(1n), typed.value(null)]).toEqual([
          "text",
          "real",
          "real",
          "integer",
          "null",
        ]);
        expect(typed.value(new Uint8Array([1]))).toBe("blob");
      });

      it("of columns with INTEGER affinity are stored as integers", () => {
        const db = open("write");
        db.exec("CREATE TABLE i (n INTEGER, x)");
        expect(db.prepare("INSERT INTO i VALUES (?, ?)").run(3, 3)).toBe(1);
        expect(db.prepare("SELECT typeof(n) AS n, typeof(x) AS x FROM i").get()).toEqual({ n: "integer", x: "real" });
      });

      it("round integers beyond 2^53 to the nearest double", () => {
        const db = open("read");
        const big = db.prepare(
          "SELECT 9007199254740993 AS x, -9223372036854775808 AS y, 7 AS z, 1.5 AS f, 'é' AS t, x'ff' AS b",
        );
        const row = { x: 9007199254740992, y: -(2 ** 63), z: 7, f: 1.5, t: "é", b: "\ufffd" };
        expect(big.get()).toStrictEqual(row);
        expect(big.all()).toStrictEqual([row]);
        expect([big.value(), big.column()]).toEqual([9007199254740992, [9007199254740992]]);
        // The statement answers small ones as numbers afterwards.
        expect(db.prepare("SELECT a FROM t ORDER BY a").column()).toEqual([1, 2]);
        const either = db.prepare("SELECT CAST(? AS INTEGER) AS x");
        expect([either.value("9007199254740993"), either.value("5")]).toEqual([9007199254740992, 5]);
      });

      it("of blobs are text in every way of reading, also empty ones", () => {
        const db = open("read");
        const blobs = db.prepare("SELECT CAST('β😀' AS BLOB) AS x, x'' AS none, x'61ff62' AS broken");
        const row = { x: "β😀", none: "", broken: "a\ufffdb" };
        expect([blobs.all(), blobs.get()]).toEqual([[row], row]);
        expect([blobs.column(), blobs.value()]).toEqual([["β😀"], "β😀"]);
        expect(db.prepare("SELECT hex(?)").value(new Uint8Array([0, 255]))).toBe("00FF");
        expect(db.prepare("SELECT hex(?)").value(Buffer.from("xabcx").subarray(1, 4))).toBe("616263");
      });

      it("keep text outside the basic plane, and show invalid UTF-8 as a replacement character", () => {
        const db = open("read");
        expect(db.prepare("SELECT ?").value("β😀\u202e")).toBe("β😀\u202e");
        expect(db.prepare("SELECT CAST(x'61ff62' AS TEXT)").value()).toBe("a\ufffdb");
      });

      it("with NUL are bound whole", () => {
        expect(open("read").prepare("SELECT hex(?)").value("a\0b")).toBe("610062");
      });

      // Node 22 and 24.0 cut it there; pynenc writes no NUL (its JSON escapes it), so such a text is somebody else's.
      const cutsAtNul =
        name === "node:sqlite" &&
        library
          ?.open(":memory:", { mode: "create", busyTimeoutMs: 0 })
          .prepare("SELECT CAST(x'610062' AS TEXT)")
          .value() === "a";
      it.skipIf(cutsAtNul)("with NUL are read whole", () => {
        expect(open("read").prepare("SELECT CAST(x'610062' AS TEXT)").value()).toBe("a\0b");
      });

      it("that are infinite in SQLite are infinite", () => {
        expect(open("read").prepare("SELECT 1e999").value()).toBe(Number.POSITIVE_INFINITY);
      });
    });

    describe("changes", () => {
      it("are counted", () => {
        const db = open("write");
        expect(db.prepare("UPDATE t SET b = ?").run("x")).toBe(2);
        expect(db.prepare("DELETE FROM t WHERE a = ?").run(9)).toBe(0);
      });

      it("of a transaction are kept, or rolled back when an error is thrown", () => {
        const db = open("write");
        expect(inImmediateTransaction(db, () => db.prepare("DELETE FROM t WHERE a = 1").run())).toBe(1);
        const thrown = new Error("no");
        expect(() =>
          inImmediateTransaction(db, () => {
            db.exec("DELETE FROM t");
            throw thrown;
          }),
        ).toThrow(thrown);
        expect(db.inTransaction).toBe(false);
        expect(open("read").prepare("SELECT a FROM t").column()).toEqual([2]);
      });

      it("of a transaction that SQLite rolled back itself keep the original error", () => {
        const db = open("write");
        const failure = failureOf(() =>
          inImmediateTransaction(db, () => {
            db.exec("INSERT INTO t VALUES (3, 'three')");
            db.exec(
              "CREATE TABLE u (a UNIQUE ON CONFLICT ROLLBACK); INSERT INTO u VALUES (1); INSERT INTO u VALUES (1)",
            );
          }),
        );
        expect(failure).toEqual(sqliteError("SQLITE_CONSTRAINT_UNIQUE"));
        expect([db.inTransaction, db.prepare("SELECT count(*) FROM t").value()]).toEqual([false, 2]);
      });

      it("show in inTransaction", () => {
        const db = open("write");
        const seen = [db.inTransaction];
        for (const step of ["BEGIN", "SELECT 1", "COMMIT", "BEGIN IMMEDIATE", "ROLLBACK"]) {
          db.exec(step);
          seen.push(db.inTransaction);
        }
        expect(seen).toEqual([false, true, true, false, true, false]);
      });
    });

    describe("files", () => {
      it("are not created for reading or writing", () => {
        const missing = join(folder, "missing.db");
        expect(failureOf(() => open("read", missing))).toEqual(sqliteError("SQLITE_CANTOPEN"));
        expect(failureOf(() => open("write", missing))).toEqual(sqliteError("SQLITE_CANTOPEN"));
        expect(existsSync(missing)).toBe(false);
      });

      it("with any characters in their name are opened in every mode", () => {
        for (const mode of ["read", "write", "create"] as const) {
          expect(open(mode).prepare("SELECT count(*) FROM t").value()).toBe(2);
        }
        expect(existsSync(path)).toBe(true);
      });

      it("that are opened for reading cannot be written", () => {
        const db = open("read");
        expect(failureOf(() => db.exec("DELETE FROM t"))).toEqual(sqliteError("SQLITE_READONLY"));
        expect(failureOf(() => db.prepare("DELETE FROM t").run())).toEqual(sqliteError("SQLITE_READONLY"));
        db.exec("CREATE TEMP TABLE scratch (x)");
        expect(db.prepare("INSERT INTO temp.scratch VALUES (1)").run()).toBe(1);
      });

      it("are read with the changes in their WAL", () => {
        open("write").exec("INSERT INTO t VALUES (3, 'three')");
        expect(existsSync(`${path}-wal`)).toBe(true);
        expect(open("read").prepare("SELECT count(*) FROM t").value()).toBe(3);
      });

      it.skipIf(IS_ROOT)("in a folder without write permission fail with that reason", () => {
        const locked = join(folder, "locked");
        mkdirSync(locked);
        opened[0]?.close();
        copyFileSync(path, join(locked, "x.db"));
        chmodSync(locked, 0o500);
        const failure = failureOf(() => open("read", join(locked, "x.db")).pragma("schema_version"));
        expect(failure.code).toMatch(/^SQLITE_(CANTOPEN|READONLY_DIRECTORY)/);
      });

      it("that are not a database fail at the first read", () => {
        const other = join(folder, "other.db");
        writeFileSync(other, "not a database ".repeat(500));
        expect(failureOf(() => open("read", other).pragma("schema_version"))).toEqual(sqliteError("SQLITE_NOTADB"));
      });

      it("that are folders cannot be opened", () => {
        expect(failureOf(() => open("read", folder).pragma("schema_version")).code).toMatch(/^SQLITE_(CANTOPEN|IOERR)/);
      });

      it("in memory belong to one connection", () => {
        const db = open("create", ":memory:");
        db.exec("CREATE TABLE x (y)");
        expect(open("create", ":memory:").prepare("SELECT count(*) FROM sqlite_master").value()).toBe(0);
      });
    });

    describe("locks", () => {
      it("held by others are an error at once when the timeout is 0", () => {
        open("write").exec("BEGIN IMMEDIATE");
        expect(failureOf(() => open("write").exec("BEGIN IMMEDIATE"))).toEqual(sqliteError("SQLITE_BUSY"));
      });

      it("are waited for as long as the timeout says", () => {
        expect(open("write", path, 1234).pragma("busy_timeout")).toBe(1234);
        expect(open("read", path, 0).pragma("busy_timeout")).toBe(0);
      });

      it("leave an open snapshot unchanged while others write", () => {
        const reader = open("read");
        const count = reader.prepare("SELECT count(*) FROM t");
        reader.exec("BEGIN");
        const before = count.value();
        open("write").exec("INSERT INTO t VALUES (3, 'three')");
        expect([before, count.value()]).toEqual([2, 2]);
        reader.exec("COMMIT");
        expect(count.value()).toBe(3);
      });
    });

    describe("pragmas", () => {
      it("return their value, or nothing", () => {
        const db = open("write");
        expect(db.pragma("journal_mode")).toBe("wal");
        expect(db.pragma("cache_size = -1000")).toBeUndefined();
        expect(db.pragma("cache_size")).toBe(-1000);
      });

      it("show that another connection has committed", () => {
        const reader = open("read");
        const before = reader.pragma("data_version");
        expect(reader.pragma("data_version")).toBe(before);
        open("write").exec("INSERT INTO t VALUES (3, 'three')");
        expect(reader.pragma("data_version")).not.toBe(before);
      });
    });

    describe("closing a connection", () => {
      it("works with used statements, and twice", () => {
        const db = open("read");
        const statement = db.prepare("SELECT a FROM t");
        statement.get();
        expect(db.open).toBe(true);
        db.close();
        db.close();
        expect([db.open, db.inTransaction]).toEqual([false, false]);
        expect(() => statement.all()).toThrow();
        expect(() => db.prepare("SELECT 1")).toThrow();
        // The file is free.
        open("write").exec("DELETE FROM t");
      });

      it("rolls back an open transaction", () => {
        const db = open("write");
        db.exec("BEGIN IMMEDIATE; DELETE FROM t");
        db.close();
        expect(open("read").prepare("SELECT count(*) FROM t").value()).toBe(2);
      });
    });

    describe("errors", () => {
      it("have SQLite's codes", () => {
        const db = open("write");
        db.exec(
          "CREATE TABLE k (a PRIMARY KEY, b NOT NULL, CHECK (b <> 'no')) WITHOUT ROWID; INSERT INTO k VALUES (1, 1)",
        );
        const code = (sql: string) => failureOf(() => db.exec(sql)).code;
        expect(code("INSERT INTO k VALUES (1, 2)")).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
        expect(code("INSERT INTO k VALUES (2, NULL)")).toBe("SQLITE_CONSTRAINT_NOTNULL");
        expect(code("INSERT INTO k VALUES (2, 'no')")).toBe("SQLITE_CONSTRAINT_CHECK");
        expect(code("SELECT nothing FROM nowhere")).toBe("SQLITE_ERROR");
      });

      it("in statements are thrown when they are prepared, with SQLite's text", () => {
        const db = open("read");
        expect(failureOf(() => db.prepare("SELECT x FROM t"))).toEqual(sqliteError("SQLITE_ERROR"));
        expect(() => db.prepare("SELECT x FROM t")).toThrow(/no such column: x/);
      });

      it("of values that cannot be bound do not look like SQLite's", () => {
        const one = open("read").prepare("SELECT ?");
        const error = failureOf(() => one.get(Symbol("x") as never));
        expect(String(error.code)).not.toMatch(/^SQLITE_/);
      });
    });
  });
}

/** What a process that runs this module prints. */
function printedBy(module: string): { stdout: string; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-driver-"));
  try {
    const program = join(folder, "program.mjs");
    writeFileSync(program, module);
    return spawnSync(process.execPath, [program], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a process that opens a database prints nothing", () => {
  const driver = pathToFileURL(join(ROOT, "dist", "src", "stores", "sqlite", "file", "driver.js")).href;
  const { stdout, stderr } = printedBy(
    `import { Worker, isMainThread } from "node:worker_threads";
     import { openDatabase } from ${JSON.stringify(driver)};
     console.log(openDatabase(":memory:", { mode: "create" }).prepare("SELECT 42").value());
     if (isMainThread) new Worker(new URL(import.meta.url));`,
  );
  expect([stdout, stderr]).toEqual(["42\n42\n", ""]);
});

test("without any library of SQLite, the error says in one sentence what to do", () => {
  const driver = pathToFileURL(join(ROOT, "dist", "src", "stores", "sqlite", "file", "driver.js")).href;
  // As on Node 20 in a folder without better-sqlite3.
  const { stdout, stderr } = printedBy(
    `import Module from "node:module";
     process.getBuiltinModule = () => undefined;
     const resolve = Module._resolveFilename;
     Module._resolveFilename = (name, ...rest) => {
       if (name === "better-sqlite3") throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
       return resolve(name, ...rest);
     };
     const { openDatabase } = await import(${JSON.stringify(driver)});
     try { openDatabase(":memory:", { mode: "create" }); }
     catch (error) { console.log(error.name, error.message, error.hint); }`,
  );
  expect(stdout).toMatch(
    /^StoreUnreachableError Node [\d.]+ does not include SQLite, .* better-sqlite3 is not installed\. Run /,
  );
  expect(stdout).toContain("on Node 22.13 or a newer 22.x, or on 24 or newer, or install better-sqlite3@12");
  expect(stderr).toBe("");
});

it("openDatabase waits five seconds for a lock by default", () => {
  const db = openDatabase(":memory:", { mode: "create" });
  expect(db.pragma("busy_timeout")).toBe(5_000);
  db.close();
});
