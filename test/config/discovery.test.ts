import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { databaseFileProblem, discoverStore, problemOfError } from "../../src/config/discovery.ts";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import type { Environment } from "../../src/config/setting-sources.ts";
import { StoreUnreachableError } from "../../src/errors.ts";
import { SQLITE_MAGIC, thrownBy, workspace } from "./workspace.ts";

const DB = `${SQLITE_MAGIC}rest`;

function discover(cwd: string, flags: OptionFlags = {}, env: Environment = {}) {
  const { options, settings } = resolveConfiguration({ flags, env, cwd });
  const found = discoverStore({ options, settings, cwd });
  if (found.kind !== "sqlite") throw new Error(`expected files, found ${found.kind}`);
  return found;
}

function refusal(cwd: string, flags: OptionFlags = {}, env: Environment = {}): StoreUnreachableError {
  const error = thrownBy(() => discover(cwd, flags, env));
  expect(error).toBeInstanceOf(StoreUnreachableError);
  return error as StoreUnreachableError;
}

describe("the search for a database", () => {
  const files = {
    "flag.db": DB,
    "variable.db": DB,
    "configured.db": DB,
    "pyproject.toml": '[tool.pynenc.sqlite]\nsqlite_db_path = "configured.db"\n',
  };

  it.each([
    ["--db", { db: "flag.db" }, { PYNENC_MONITOR_DB: "variable.db" }, "flag.db", "--db"],
    ["its variable", {}, { PYNENC_MONITOR_DB: "variable.db" }, "variable.db", "PYNENC_MONITOR_DB"],
    ["pynenc's settings", {}, {}, "configured.db", "pyproject.toml [tool.pynenc.sqlite]"],
  ])("uses the database named by %s", (_, flags, env, name, origin) => {
    const cwd = workspace(files);
    expect(discover(cwd, flags, env).db).toEqual({ path: join(cwd, name), origin });
  });

  it.each(["only.db", "only.sqlite", "only.SQLITE3"])("finds the only SQLite file, %s", (name) => {
    const cwd = workspace({ [name]: DB, "notes.db": "text", "empty.sqlite": "", "other.txt": DB });
    const found = discover(cwd);
    expect(found.db).toEqual({ path: join(cwd, name), origin: `the only SQLite file in ${cwd}` });
    expect(found.components).toBeNull();
    expect(found.tried).toContain("notes.db: this is not an SQLite file");
  });

  it("accepts a database that pynenc wrote", () => {
    const path = fileURLToPath(new URL("../fixtures/kitchen_sink.db", import.meta.url));
    expect(discover(workspace(), { db: path }).db).toEqual({ path, origin: "--db" });
  });
});

describe("components in different files", () => {
  const env = {
    PYNENC__CONFIGBROKERSQLITE__SQLITE_DB_PATH: "queue.db",
    PYNENC__CONFIGSTATEBACKENDSQLITE__SQLITE_DB_PATH: "state.db",
  };

  it("are each opened in its own file, and the state backend's file is the main one", () => {
    const cwd = workspace({ "queue.db": DB, "state.db": DB, "other.db": DB });
    const found = discover(cwd, {}, { ...env, PYNENC__SQLITE_DB_PATH: "other.db" });
    expect(found.db.path).toBe(join(cwd, "state.db"));
    expect(Object.fromEntries([...(found.components ?? [])].map(([name, file]) => [name, file.path]))).toEqual({
      broker: join(cwd, "queue.db"),
      state_backend: join(cwd, "state.db"),
      orchestrator: join(cwd, "other.db"),
      client_data_store: join(cwd, "other.db"),
      trigger: join(cwd, "other.db"),
    });
    expect(found.components?.get("broker")?.origin).toBe("PYNENC__CONFIGBROKERSQLITE__SQLITE_DB_PATH");
  });

  it("are opened without one whose file does not exist yet", () => {
    const cwd = workspace({ "state.db": DB });
    const found = discover(cwd, {}, env);
    expect(found.db.path).toBe(join(cwd, "state.db"));
    expect(found.tried).toContain("broker: the file does not exist yet");
  });

  it("are refused if one file is not a database", () => {
    const error = refusal(workspace({ "state.db": DB, "queue.db": "text" }), {}, env);
    expect(error.reason).toBe("not-a-database");
    expect(error.message).toContain("queue.db: this is not an SQLite file");
  });

  it("are one file if two paths are spellings of the same", () => {
    const cwd = workspace({ "a.db": DB });
    const found = discover(
      cwd,
      {},
      { PYNENC__SQLITE_DB_PATH: "a.db", PYNENC__CONFIGTRIGGERSQLITE__SQLITE_DB_PATH: "./a.db" },
    );
    expect(found.db.path).toBe(join(cwd, "a.db"));
    expect(found.components).toBeNull();
  });
});

describe("a search without result", () => {
  it("lists everything that was tried and the commands to type", () => {
    const cwd = workspace({ "notes.db": "text" });
    const error = refusal(cwd);
    expect(error.reason).toBe("missing");
    expect(error.message).toBe(
      [
        "No database was found. Tried:",
        "  --db, --url and their variables: not set",
        "  sqlite_db_path in pynenc's configuration (pyproject.toml, files, PYNENC__ variables): not set",
        `  *.db, *.sqlite, *.sqlite3 in ${cwd}: none`,
        "  notes.db: this is not an SQLite file",
      ].join("\n"),
    );
    expect(error.hint).toContain("--db path/to/app.db");
    expect(error.hint).toContain("monitor serve --url redis://host:6379/0");
    expect(error.hint).toContain("monitor demo");
  });

  it("lists the choices if there are several databases", () => {
    const error = refusal(workspace({ "b.db": DB, "a b.sqlite": DB }));
    expect(error.reason).toBe("missing");
    expect(error.message).toMatch(
      /^There are several databases in .*, and nothing says which one to open:\n {2}a b\.sqlite\n {2}b\.db$/,
    );
    expect(error.hint).toBe("Choose one, for example: --db './a b.sqlite'");
  });

  it("shortens a long list of choices", () => {
    const names = Array.from({ length: 25 }, (_, index) => [`f${String(index).padStart(2, "0")}.db`, DB]);
    const error = refusal(workspace(Object.fromEntries(names)));
    expect(error.message).toContain("f19.db");
    expect(error.message).not.toContain("f20.db");
    expect(error.message).toContain("… and 5 more");
  });

  it("reports a missing file that the settings name, instead of searching", () => {
    const cwd = workspace({ "other.db": DB });
    const error = refusal(cwd, {}, { PYNENC__SQLITE_DB_PATH: "gone.db" });
    expect(error.reason).toBe("missing");
    expect(error.message).toBe(`${join(cwd, "gone.db")}: this file does not exist (named by PYNENC__SQLITE_DB_PATH)`);
    expect(error.hint).toContain("--db ");
  });

  it("reports if the current directory is missing", () => {
    const cwd = join(workspace(), "gone");
    expect(refusal(cwd).message).toBe(`${cwd}: this file does not exist (named by current directory)`);
  });
});

describe("a named file that cannot be used", () => {
  it.each([
    ["missing.db", "missing", "this file does not exist"],
    ["text.db/below", "missing", "this file does not exist"],
    ["directory", "not-a-database", "this is a directory, not a database file"],
    ["empty.db", "not-a-database", "this file is empty; no pynenc process has written to it yet"],
    ["text.db", "not-a-database", "this is not an SQLite file"],
    ["short.db", "not-a-database", "this is not an SQLite file"],
    ["loop.db", "failed", "it cannot be opened (ELOOP)"],
  ])("is refused: %s: %s", (name, reason, message) => {
    const cwd = workspace({
      "empty.db": "",
      "text.db": "this is not a database",
      "short.db": SQLITE_MAGIC.slice(0, 9),
    });
    mkdirSync(join(cwd, "directory"));
    symlinkSync("loop.db", join(cwd, "loop.db"));
    const error = refusal(cwd, { db: name });
    expect(error.reason).toBe(reason);
    expect(error.message).toBe(`${join(cwd, name)}: ${message} (named by --db)`);
    expect(error.hint).not.toBeNull();
  });

  it("is not read if it is a device", () => {
    expect(databaseFileProblem("/dev/zero")).toMatchObject({ message: "this is not a regular file" });
  });

  it.each(["EACCES", "EPERM"])("is reported as a lack of permission for the error %s", (code) => {
    expect(problemOfError(Object.assign(new Error("denied"), { code }))).toMatchObject({
      reason: "no-permission",
      message: "there is no permission to read it",
    });
  });

  // Root may read everything.
  it.skipIf(process.getuid?.() === 0)("is reported as a lack of permission if the file is unreadable", () => {
    const cwd = workspace({ "closed.db": DB });
    chmodSync(join(cwd, "closed.db"), 0);
    expect(refusal(cwd, { db: "closed.db" }).reason).toBe("no-permission");
  });
});
