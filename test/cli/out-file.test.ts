/** `-o`: what it must not replace, what it follows, what it writes through, and standard output. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { deviceIn, HAS_PIPES, makePipe } from "../support/special-files.ts";
import {
  BIN,
  cleanEnvironment,
  monitor,
  ownCopy,
  ownMonitor,
  presentOption,
  runProgram,
  sharedFolder,
} from "./monitor.ts";

const shared = sharedFolder();
let folder: string;
let db: string;
let store: string[];
beforeEach(() => {
  folder = mkdtempSync(join(shared, "out-"));
  db = ownCopy("kitchen_sink.db", folder);
  store = ["--db", db, "--app", "kitchen_sink", "--now", presentOption("kitchen_sink.db")];
});
const inFolder = (name: string) => join(folder, name);

/** Every command with `--out`, as far as it is the same for all of them. */
const WRITERS: [command: string, args: string[], content: RegExp][] = [
  ["export", ["export", "--format", "csv"], /^invocation_id,/],
  ["bundle", ["bundle", "status:failed"], /^<!doctype html>/],
  ["timeline", ["timeline", "--format", "json"], /^\{"schema_version":2,/],
];

describe.each(WRITERS)("the output file of monitor %s", (_, args, content) => {
  const written = (out: string, ...more: string[]) => monitor([...store, ...args, "-o", out, ...more], { cwd: folder });

  test("may not be the store nor a file that SQLite keeps beside it, whatever its name", async () => {
    // SQLite finds the files beside a database by the name that a link leads to.
    const real = db;
    symlinkSync(real, inFolder("link.db"));
    linkSync(real, inFolder("hard.db"));
    symlinkSync(`${real}-journal`, inFolder("dangling"));
    symlinkSync(".", inFolder("here"));
    for (const named of [real, inFolder("link.db")]) {
      store = ["--db", named, "--app", "kitchen_sink"];
      const names = [real, relative(folder, real), "link.db", "hard.db", `here/${relative(folder, real)}`];
      const beside = ["-wal", "-shm", "-journal"].flatMap((end) => [
        `${real}${end}`,
        `here/${relative(folder, real)}${end}`,
      ]);
      const before = readFileSync(real);
      for (const out of [...names, ...beside, "dangling"])
        for (const force of [[], ["--force"]]) {
          const { code, stdout, stderr } = await written(out, ...force);
          expect([out, code, stdout, stderr]).toEqual([
            out,
            2,
            "",
            expect.stringContaining("it is the store, which must not"),
          ]);
        }
      expect(readFileSync(real).equals(before)).toBe(true);
    }
  });

  test("may not be a configuration, a token, the record of actions or the list of mutes", async () => {
    mkdirSync(inFolder("state"));
    const kept = {
      "pynenc.toml": "a configuration file",
      "pyproject.toml": "a configuration file",
      token: "the file of the token",
      "state/audit.jsonl": "the record of actions",
      "state/audit.1.jsonl": "the record of actions",
      "state/mutes.json": "the file of muted verdicts",
    };
    for (const name of Object.keys(kept)) writeFileSync(inFolder(name), "");
    const env = {
      PYNENC_MONITOR_CONFIG: inFolder("pynenc.toml"),
      PYNENC_MONITOR_TOKEN_FILE: inFolder("token"),
      PYNENC_MONITOR_STATE_DIR: inFolder("state"),
    };
    for (const [name, what] of Object.entries(kept)) {
      const run = await monitor([...store, ...args, "-o", name, "--force"], { cwd: folder, env });
      expect([name, run.code, run.stderr]).toEqual([name, 2, expect.stringContaining(`it is ${what}, which must not`)]);
      expect(readFileSync(inFolder(name), "utf8")).toBe("");
    }
  });

  test("is written through links, which stay links, and keeps its permissions", async () => {
    mkdirSync(inFolder("elsewhere"));
    symlinkSync("elsewhere/new", inFolder("dangling"));
    expect((await written("dangling")).code).toBe(0);
    expect(readFileSync(inFolder("elsewhere/new"), "utf8")).toMatch(content);
    writeFileSync(inFolder("elsewhere/old"), "mine");
    chmodSync(inFolder("elsewhere/old"), 0o640);
    symlinkSync("elsewhere/old", inFolder("link"));
    expect((await written("link")).code).toBe(2);
    expect(readFileSync(inFolder("elsewhere/old"), "utf8")).toBe("mine");
    expect((await written("link", "--force")).code).toBe(0);
    expect(readFileSync(inFolder("elsewhere/old"), "utf8")).toMatch(content);
    if (process.platform !== "win32") expect(statSync(inFolder("elsewhere/old")).mode & 0o777).toBe(0o640);
    for (const name of ["dangling", "link"]) expect(lstatSync(inFolder(name)).isSymbolicLink()).toBe(true);
    expect(readdirSync(inFolder("elsewhere")).sort()).toEqual(["new", "old"]);
  });

  test("may not be a folder, or without a name", async () => {
    mkdirSync(inFolder("folder"));
    for (const [out, why] of [
      ["folder", "it is a folder"],
      ["", "it must not be empty"],
    ] as const) {
      const run = await written(out, "--force");
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(why)]);
    }
  });

  test.runIf(HAS_PIPES)("may be a pipe or a device, which is written to and not replaced", async () => {
    const pipe = makePipe(inFolder("pipe"));
    const reader = runProgram("cat", [pipe]);
    expect((await written(pipe)).code).toBe(0);
    expect((await reader).stdout).toMatch(content);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    const device = deviceIn(folder, "null");
    if (device !== null) {
      expect((await written(device)).code).toBe(0);
      expect(statSync(device).isCharacterDevice()).toBe(true);
    }
    expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  });

  test.runIf(HAS_PIPES)("may be a pipe whose reader leaves early", async () => {
    const pipe = makePipe(inFolder("left"));
    const reader = runProgram("sh", ["-c", `exec < '${pipe}'`]);
    const run = await ownMonitor([...store, ...args, "-o", pipe]);
    await reader;
    expect([run.code, run.stdout]).toEqual([0, ""]);
  });

  test("on a device without room ends with one line and exit code 1", async (context) => {
    const full = deviceIn(folder, "full");
    if (full === null) return context.skip("no device without room can be made here");
    const stderr = `${JSON.stringify(full)} could not be written: no space left on device (ENOSPC).\n`;
    for (const force of [[], ["--force"]])
      expect(await written(full, ...force)).toEqual({ code: 1, stdout: "", stderr });
    expect(statSync(full).isCharacterDevice()).toBe(true);
  });

  test("is standard output with -, which gets the data alone", async () => {
    const { code, stdout, stderr } = await written("-");
    expect([code, existsSync(inFolder("-"))]).toEqual([0, false]);
    expect(stdout).toMatch(content);
    expect(stderr).not.toContain("ritten to");
    expect((await written("same")).code).toBe(0);
    const file = readFileSync(inFolder("same"), "utf8");
    // JSON is the same to parsers: on standard output it has no characters that a terminal obeys.
    const plain = (text: string) => (text.startsWith("{") ? JSON.stringify(JSON.parse(text)) : text);
    expect(plain(stdout) === plain(file)).toBe(true);
  });
});

test("a bundle does not replace a log that it reads, even from standard input", async () => {
  const log = inFolder("worker.log");
  writeFileSync(log, "a line\n");
  symlinkSync(log, inFolder("link.log"));
  const args = ["bundle", "status:failed", "--force", "-o", inFolder("link.log"), "--logs"];
  const named = await monitor([...store, ...args, log]);
  const env = { NODE: process.execPath, BIN, DB: db, LOG: log, OUT: inFolder("link.log") };
  const line = `"$NODE" "$BIN" --db "$DB" --app kitchen_sink bundle status:failed --force -o "$OUT" --logs - < "$LOG"`;
  const piped = HAS_PIPES ? await runProgram("sh", ["-c", line], { env }) : named;
  for (const { code, stderr } of [named, piped])
    expect([code, stderr]).toEqual([2, expect.stringContaining("it is a log that this command reads")]);
  expect(readFileSync(log, "utf8")).toBe("a line\n");
});

test("a file that another program creates meanwhile is not replaced without --force", async () => {
  const out = inFolder("raced.csv");
  const big = inFolder("big.db");
  expect((await ownMonitor(["demo", "--no-serve", "--size", "20000", "--db", big])).code).toBe(0);
  const args = ["--db", big, "--app", "demo-shop", "export", "--format", "csv", "-o", out];
  const child = spawn(process.execPath, [BIN, ...args], { env: cleanEnvironment(), stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("close", resolve));
  while (!readdirSync(folder).some((name) => name.endsWith(".part")))
    await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(out, "theirs");
  expect([await ended, readFileSync(out, "utf8")]).toEqual([2, "theirs"]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

describe("monitor timeline", () => {
  test("needs --format when the file has no known ending, and --format wins over the ending", async () => {
    const refused = await monitor([...store, "timeline", "-o", "-"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("add --format svg, trace or json")]);
    expect((await monitor([...store, "timeline", "--format", "pdf"])).stderr).toContain("svg, trace, json");
    expect((await monitor([...store, "timeline", "--format", "svg", "--json"])).code).toBe(2);
    expect((await monitor([...store, "timeline", "--format", "svg"])).stdout).toMatch(/^<\?xml[\s\S]*<\/svg>\n$/);
    await monitor([...store, "timeline", "--format", "svg", "-o", inFolder("drawing.xml")]);
    expect(readFileSync(inFolder("drawing.xml"), "utf8")).toMatch(/^<\?xml/);
  });
});

describe("monitor demo", () => {
  test.runIf(HAS_PIPES)("refuses to write into a folder, a pipe, a device or a journal of SQLite", async () => {
    makePipe(inFolder("pipe"));
    mkdirSync(inFolder("folder"));
    const refused = { pipe: "it is a pipe", folder: "it is a folder", "/dev/zero": "it is a device" };
    for (const [name, words] of [...Object.entries(refused), [`${db}-journal`, "SQLite keeps changes of"] as const]) {
      const run = await monitor(["demo", "--no-serve", "--db", name], { cwd: folder });
      expect([name, run.code, run.stderr]).toEqual([name, 2, expect.stringContaining(words)]);
    }
    expect(lstatSync(inFolder("pipe")).isFIFO()).toBe(true);
    expect(existsSync(`${db}-journal`)).toBe(false);
  });
});
