/** What is refused, in which words, with which exit code; stdout stays empty. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { monitor, ownCopy, ownMonitor, type Run, type RunOptions, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
let db: string;
let here: string[];
beforeAll(() => {
  db = ownCopy("kitchen_sink.db", folder);
  here = ["--db", db, "--app", "kitchen_sink"];
});

async function refusal(code: number, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return refused(code, await monitor(args, options));
}

function refused(code: number, run: Run): string {
  expect(run.stdout).toBe("");
  expect({ code: run.code, stderr: run.code === code ? "" : run.stderr }).toEqual({ code, stderr: "" });
  return run.stderr;
}

test.each([
  [2, ["--limit", "3"], "unknown option '--limit'"],
  [3, ["--app", "nope"], 'No app "nope" in this store.'],
  [4, ["--db", "missing.db"], "this file does not exist"],
])("a spawned process exits with %i like the same command in this process", async (code, args, words) => {
  expect(refused(code, await ownMonitor(["status", "--db", db, ...args]))).toContain(words);
});

test("--at of a command without a past names the commands that have one", async () => {
  const words = "error: unknown option '--at'\nstatus --at and timeline --at show the past.\n";
  expect(await refusal(2, [...here, "tasks", "--at", "1h"])).toContain(words);
});

describe("the problem document of a failure under --json", () => {
  const problem = async (code: number, args: readonly string[], options: RunOptions = {}) => {
    const document = JSON.parse(await refusal(code, args, options));
    expect(document).toMatchObject({ type: "about:blank", exit_code: code });
    return document;
  };

  test("is printed for a command line that is not understood", async () => {
    expect(await problem(2, ["statuss", "--json"])).toEqual({
      schema_version: 2,
      type: "about:blank",
      title: "Bad request",
      status: 400,
      detail: "unknown command 'statuss'",
      hint: "(Did you mean status?) Run monitor --help to list the commands.",
      exit_code: 2,
    });
    expect((await problem(2, ["--json", "invocation"])).detail).toBe("missing required argument 'id'");
  });

  test("lists refused values, each with what is accepted", async () => {
    const { status, errors } = await problem(2, [...here, "invocations", "--json", "--limit", "0", "--page", "x"]);
    expect(status).toBe(400);
    expect(errors.map(({ parameter, value }: { parameter: string; value: string }) => [parameter, value])).toEqual([
      ["--page", "x"],
      ["--limit", "0"],
    ]);
  });

  test("is printed for unknown ids and for unreachable stores", async () => {
    expect(await problem(3, [...here, "--json", "event", "nobody"])).toMatchObject({
      title: "Not found",
      status: 404,
      detail: 'No event "nobody" in this store.',
    });
    expect(await problem(4, ["tasks", "--json", "--db", "missing.db"])).toMatchObject({
      status: 503,
      detail: expect.stringContaining("this file does not exist"),
    });
  });

  test("is printed when the environment asks for JSON, and not when the environment says no", async () => {
    expect(await problem(2, ["statuss"], { env: { PYNENC_MONITOR_JSON: "yes" } })).toMatchObject({ status: 400 });
    expect(await refusal(2, ["statuss"], { env: { PYNENC_MONITOR_JSON: "0" } })).toMatch(/^error: unknown command/);
    // What says neither is refused by every command; the refusal is text.
    expect(await refusal(2, ["status", "--db", db], { env: { PYNENC_MONITOR_JSON: "maybe" } })).toMatch(
      /^PYNENC_MONITOR_JSON: "maybe" is not accepted/,
    );
  });

  test("is not printed for --help", async () => {
    expect(await monitor(["--json", "status", "--help"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("wrong usage (exit code 2)", () => {
  test("of commands, options and arguments is answered with a suggestion", async () => {
    expect(await refusal(2, ["statuss"])).toMatch(/unknown command 'statuss'\n\(Did you mean status\?\)/);
    expect(await refusal(2, ["invocations", "--staus", "failed"])).toMatch(
      /unknown option '--staus'\n\(Did you mean --status\?\)/,
    );
    expect(await refusal(2, ["status", "more"])).toContain("Run monitor status --help");
    expect(await refusal(2, ["invocation"])).toContain("missing required argument 'id'");
  });

  test("reports all refused values at once, by the names of their flags", async () => {
    const told = await refusal(2, [...here, "invocations", "--since", "soon", "--limit", "0", "--status-mode", "x"]);
    expect(told).toContain('--since: "soon" is not accepted; expected how long ago (90m');
    expect(told).toContain('--limit: "0" is not accepted');
    expect(told).toContain('--status-mode: "x" is not accepted');
    const order = await refusal(2, [...here, "invocations", "--since", "2026-02-02", "--until", "2026-02-01"]);
    expect(order).toBe(
      '--since: "2026-02-02" is not accepted; it is later than the end, "2026-02-01"; were the two swapped?\n',
    );
    expect(await refusal(2, [...here, "invocations", "--status", "bogus"])).toContain(
      '--status: "bogus" is not accepted; one or more of registered, ',
    );
  });

  test.each([
    [["invocations", "--task", ""], "--task: it must not be empty"],
    [["invocations", "--format", "xml"], "expected one of table, csv, jsonl"],
    [["invocations", "--format", "csv", "--json"], "--json prints one document"],
    [["invocations", "--format", "csv", "--page", "3"], "--format csv prints every matching row"],
    [["events", "--format", "csv", "--limit", "3"], "--format csv prints every matching row"],
    [["workflows", "--page", "2"], "use it with --runs or --type"],
  ])("of %j is answered with what is accepted", async (args, words) => {
    expect(await refusal(2, [...here, ...args])).toContain(words);
  });

  test("of an ambiguous beginning of an id lists the ids", async () => {
    const run = await monitor([...here, "invocations", "--format", "jsonl"]);
    const ids = run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { invocation_id: string }).invocation_id);
    expect(await refusal(3, [...here, "invocation", (ids[0] ?? "").slice(0, 3)])).toContain(
      "its first 4 characters or more",
    );
    // Real ids hardly share four digits, so two are made to.
    const path = ownCopy("kitchen_sink.db", folder);
    const file = openDatabase(path, { mode: "write" });
    const rename = file.prepare(
      "UPDATE kitchen_sink_13bd3995__orchestrator_invocations SET invocation_id = ? WHERE invocation_id = ?",
    );
    rename.run("twin-1", ids[0] ?? "");
    rename.run("twin-2", ids[1] ?? "");
    file.close();
    const told = await refusal(2, ["--db", path, "--app", "kitchen_sink", "invocation", "twin"]);
    expect(told).toContain('<id>: "twin" is not accepted; it fits 2 ids:');
    expect(told).toMatch(/^ {2}invocation {2}twin-1 {2}tasks\./m);
    expect(told).toMatch(/^ {2}invocation {2}twin-2 {2}tasks\./m);
  });

  test("of a change without --app names the apps of a store with several", async () => {
    const told = await refusal(2, ["--db", db, "purge", "broker", "--yes"]);
    expect(told).toContain("This store holds 2 apps: kitchen-sink.two/β, kitchen_sink. Choose one.");
  });
});

describe("not found (exit code 3)", () => {
  test.each([
    [["invocation", "ffffffff-0000"], 'No invocation "ffffffff-0000" in this store.'],
    [["workflows", "--type", "no.such"], 'No workflow type "no.such" in this store.'],
    [["workflows", "--type", "nodots"], 'No workflow type "nodots" in this store.'],
  ])("is the answer to %j", async (args, words) => {
    expect(await refusal(3, [...here, ...args])).toContain(words);
  });

  test("is the answer to an unknown app, with the known ones", async () => {
    expect(await refusal(3, ["status", "--db", db, "--app", "nope"])).toBe(
      'No app "nope" in this store.\nApps here: kitchen-sink.two/β, kitchen_sink\n',
    );
  });
});

describe("store unreachable (exit code 4)", () => {
  const place = (name: string) => join(folder, name);

  beforeAll(() => {
    for (const name of ["nothing", "several"]) mkdirSync(place(name));
    for (const name of ["a.db", "b.db"]) cpSync(db, join(place("several"), name));
    writeFileSync(place("empty.db"), "");
    writeFileSync(place("junk.db"), "not a database, but long enough to have a header of sixteen bytes");
  });

  test("says where it looked when nothing is configured", async () => {
    const told = await refusal(4, ["status"], { cwd: place("nothing") });
    expect(told).toContain("No database was found. Tried:\n");
    expect(told).toContain("monitor demo");
  });

  test("lists the files when several could be meant", async () => {
    const told = await refusal(4, ["status"], { cwd: place("several") });
    expect(told).toContain("nothing says which one to open:\n  a.db\n  b.db\n");
  });

  test.each([
    ["missing.db", "this file does not exist (named by --db)"],
    ["nothing", "this is a directory, not a database file"],
    ["empty.db", "this file is empty; no pynenc process has written to it yet"],
    ["junk.db", "this is not an SQLite file"],
  ])("says why %s cannot be opened", async (name, words) => {
    expect(await refusal(4, ["tasks", "--json", "--db", place(name)])).toContain(words);
  });

  test("says that a database holds no app", async () => {
    const file = openDatabase(place("other.db"), { mode: "create" });
    file.exec("CREATE TABLE unrelated (id)");
    file.close();
    expect(await refusal(4, ["status", "--db", place("other.db")])).toContain("holds no pynenc app");
    const apps = await monitor(["apps", "--db", place("other.db")]);
    expect(apps).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("No pynenc app is registered") });
  });
});
