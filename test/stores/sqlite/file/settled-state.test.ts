/** What shows, also to another process, that nobody has written to a database since it was looked at. */
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../../../src/stores/sqlite/file/driver.ts";
import { settledState } from "../../../../src/stores/sqlite/file/settled-state.ts";
import { copies, inspect, setJournal } from "../rows.ts";

const copyOf = copies();

describe("the state of a database file", () => {
  let path: string;
  let passed: number;

  beforeEach(() => {
    path = copyOf("kitchen_sink.db");
    passed = 60_000;
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now() + passed);
  });
  afterEach(() => void vi.restoreAllMocks());

  const write = () => {
    const db = openDatabase(path, { mode: "write" });
    db.exec("CREATE TABLE IF NOT EXISTS t (n)");
    db.exec("INSERT INTO t VALUES (1)");
    return db;
  };

  it("stays the same while the file is only read", () => {
    const state = settledState(path);
    expect(state).not.toBeNull();
    expect(inspect(path, (db) => db.prepare("SELECT count(*) FROM sqlite_schema").value())).toBeGreaterThan(1);
    expect(settledState(path)).toBe(state);
  });

  for (const journal of ["WAL", "DELETE"] as const) {
    it(`changes with each commit of an open connection in ${journal} mode`, () => {
      setJournal(path, journal);
      const states = new Set([settledState(path)]);
      const db = write();
      states.add(settledState(path));
      // A file system gives a write its time in steps.
      const { mtimeMs } = statSync(journal === "WAL" ? `${path}-wal` : path);
      while (Math.abs(Date.now() - passed - mtimeMs) < 20);
      db.exec("INSERT INTO t VALUES (2)");
      states.add(settledState(path));
      db.close();
      expect(states.size).toBe(3);
      expect(states.has(null)).toBe(false);
    });
  }

  it("changes with a write that leaves the size and the time of the file", () => {
    const time = new Date(1e12);
    utimesSync(path, time, time);
    const state = settledState(path);
    writeFileSync(path, readFileSync(path));
    utimesSync(path, time, time);
    expect(settledState(path)).not.toBe(state);
  });

  it("changes when another file with the same content takes its place", () => {
    const state = settledState(path);
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    expect(settledState(path)).not.toBe(state);
  });

  it("is not known within seconds of a write to the file or its log", () => {
    expect(settledState(path)).not.toBeNull();
    const db = write();
    expect(settledState(path)).not.toBeNull();
    passed = 4_000;
    expect(settledState(path)).toBeNull();
    db.close();
    expect(settledState(path)).toBeNull();
  });

  it("is not known of a file that is missing", () => {
    rmSync(path);
    expect(settledState(path)).toBeNull();
  });
});
