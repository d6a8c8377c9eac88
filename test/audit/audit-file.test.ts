/** The audit file: whole lines, limited in size, readable by the user alone, with several writers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../src/api/audit.ts";
import { AuditFile } from "../../src/audit/audit-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { HAS_PIPES, makePipe } from "../support/special-files.ts";

function entry(id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id,
    at: "2026-07-04T10:00:00.000000+00:00",
    app_id: "shop",
    location: "/data/app.db",
    action: "purge broker",
    via: "cli",
    who: "anna",
    outcome: "done",
    message: "Purged the broker queue.",
    counters: { deleted: 3 },
    ...more,
  };
}

describe("the audit file", () => {
  let temporary: ReturnType<typeof temporaryFolder>;
  let folder: string;
  beforeEach(() => {
    temporary = temporaryFolder();
    folder = join(temporary.path, "state", "pynenc-monitor");
  });
  afterEach(() => temporary.remove());
  const ids = async (file: AuditFile) => (await file.entries()).map((one) => one.id);

  it("is created with the first entry, readable by the user alone, and read newest first", async () => {
    const file = new AuditFile(folder);
    expect(await file.entries()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    const entries = [entry("a"), entry("b", { message: 'two\nlines, "quoted", β\u2028', counters: {} }), entry("c")];
    for (const one of entries) file.append(one);
    expect(await new AuditFile(folder).entries()).toEqual([...entries].reverse());
    expect(readFileSync(file.path, "utf8").trimEnd().split("\n")).toHaveLength(3);
    expect(file.path).toBe(join(folder, "audit.jsonl"));
    expect((statSync(file.path).mode & 0o777).toString(8)).toBe("600");
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
  });

  it("keeps the newest entries, in at most two files", async () => {
    const most = 4_000;
    const file = new AuditFile(folder, most);
    const lineBytes = Buffer.byteLength(`${JSON.stringify(entry("000"))}\n`);
    const written = Array.from({ length: 200 }, (_, i) => String(i).padStart(3, "0"));
    for (const id of written) file.append(entry(id));
    const left = await ids(file);
    expect(left).toEqual(written.slice(-left.length).reverse());
    expect(left.length).toBeGreaterThan(most / lineBytes - 1);
    expect(readdirSync(folder).sort()).toEqual(["audit.1.jsonl", "audit.jsonl"]);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThan(most + 2 * lineBytes);
    }
  });

  it.each(["cli", "server", "agent"] as const)("has how an action was requested: %s", async (via) => {
    const file = new AuditFile(folder);
    file.append(entry("a", { via }));
    expect(await file.entries()).toEqual([entry("a", { via })]);
  });

  it("keeps done and failed actions however many are refused, with a limited size", async () => {
    const most = 4_000;
    const file = new AuditFile(folder, most);
    const time = (n: number) => `2026-07-04T10:00:00.${String(n).padStart(6, "0")}+00:00`;
    file.append(entry("d", { at: time(0) }));
    file.append(entry("f", { at: time(1), outcome: "failed" }));
    for (let n = 2; n < 1_000; n++) file.append(entry(`r${n}`, { at: time(n), outcome: "refused" }));
    file.append(entry("last", { at: time(1_000) }));
    const left = await ids(new AuditFile(folder, most));
    expect(left.slice(0, 2)).toEqual(["last", "r999"]);
    expect(left.slice(-2)).toEqual(["f", "d"]);
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes).toHaveLength(4);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(3 * most);
  });

  it("shows refusals that an earlier version wrote among other entries", async () => {
    mkdirSync(folder, { recursive: true });
    const lines = [entry("a"), entry("b", { outcome: "refused" }), entry("c", { outcome: "failed" })];
    writeFileSync(join(folder, "audit.jsonl"), lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
    expect(await ids(new AuditFile(folder))).toEqual(["c", "b", "a"]);
  });

  it("skips invalid lines, and a torn line does not destroy the next one", async () => {
    const file = new AuditFile(folder);
    file.append(entry("a"));
    const foreign = ["", "null", "[]", "{}", "no json", JSON.stringify({ ...entry("x"), outcome: "odd" })];
    const wrong = [
      { ...entry("x"), via: "door" },
      { ...entry("x"), via: "toString" },
      { ...entry("x"), counters: [] },
      { ...entry("x"), who: 1 },
    ];
    appendFileSync(file.path, `${[...foreign, ...wrong.map((one) => JSON.stringify(one))].join("\n")}\n`);
    appendFileSync(file.path, '{"id": "torn", "at');
    file.append(entry("b"));
    file.append(entry("c"));
    expect(await ids(file)).toEqual(["c", "b", "a"]);
  });

  it("is only read from its end if it is very long", async () => {
    const file = new AuditFile(folder, 1_000);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "audit.1.jsonl"), `${JSON.stringify(entry("first"))}\n`.repeat(1_000));
    const read = await ids(file);
    expect(read.length).toBeGreaterThan(2);
    expect(read.length).toBeLessThan(20);
  });

  it("is renamed by one program at a time, and by the next if that one died meanwhile", async () => {
    const file = new AuditFile(folder, 1_500);
    const lock = join(folder, "audit.lock");
    mkdirSync(folder, { recursive: true });
    writeFileSync(lock, "");
    for (let i = 0; i < 10; i++) file.append(entry(String(i)));
    expect(readdirSync(folder).sort()).toEqual(["audit.jsonl", "audit.lock"]);
    expect(await ids(file)).toHaveLength(10);
    utimesSync(lock, 0, 0);
    file.append(entry("10"));
    file.append(entry("11"));
    expect(readdirSync(folder).sort()).toEqual(["audit.1.jsonl"]);
    expect(await ids(file)).toHaveLength(12);
    file.append(entry("12"));
    expect(readdirSync(folder).sort()).toEqual(["audit.1.jsonl", "audit.jsonl"]);
  });

  it("accepts whole lines from several programs at the same time", async () => {
    const script = fileURLToPath(new URL("append.mjs", import.meta.url));
    const module = join(temporary.path, "audit-file.js");
    const source = fileURLToPath(new URL("../../src/audit/audit-file.ts", import.meta.url));
    await (await rolldown({ input: source, platform: "node" })).write({ file: module, format: "esm" });
    const names = ["a", "b", "c", "d"];
    const [lines, mostBytes] = [150, 30_000];
    await Promise.all(
      names.map(async (name) => {
        const args = [script, module, folder, String(mostBytes), name, String(lines)];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
        const [code] = (await once(child, "exit")) as [number];
        expect(code).toBe(0);
      }),
    );
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    // Who sees a line that another program is just writing ends it once more; readers skip the empty line.
    const found = texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
    const broken = found.filter((line) => !/^\{"id".*\}$/.test(line));
    expect(broken).toEqual([]);
    const read = await new AuditFile(folder, mostBytes).entries();
    expect(read.length).toBeGreaterThan(50);
    for (const name of names) {
      const own = read.filter((one) => one.who === name).map((one) => Number(one.id.split("-")[1]));
      expect(own).toEqual([...own].sort((x, y) => y - x));
    }
  });

  it.skipIf(process.getuid?.() === 0)("throws an error if it cannot be written or read (not as root)", async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "audit.jsonl"), "");
    chmodSync(join(folder, "audit.jsonl"), 0);
    const file = new AuditFile(folder);
    expect(() => file.append(entry("a"))).toThrow("EACCES");
    await expect(file.entries()).rejects.toThrow("EACCES");
  });

  it("throws an error if its folder cannot be created, or its name is that of a folder", async () => {
    writeFileSync(join(temporary.path, "state"), "a file");
    expect(() => new AuditFile(folder).append(entry("a"))).toThrow(/ENOTDIR|EEXIST/);
    const taken = join(temporary.path, "taken");
    mkdirSync(join(taken, "audit.jsonl"), { recursive: true });
    expect(() => new AuditFile(taken).append(entry("a"))).toThrow("EISDIR");
    await expect(new AuditFile(taken).entries()).rejects.toThrow("it is a folder");
  });

  it.runIf(HAS_PIPES)("throws an error at once if it is a pipe, and does not replace it", async () => {
    mkdirSync(folder, { recursive: true });
    const file = new AuditFile(folder, 1_000);
    makePipe(file.path);
    expect(() => file.append(entry("a"))).toThrow("it is a pipe");
    await expect(file.entries()).rejects.toThrow("it is a pipe");
    rmSync(file.path);
    const [older = ""] = file.files;
    makePipe(older);
    for (let i = 0; i < 10; i++) file.append(entry(String(i)));
    expect(lstatSync(older).isFIFO()).toBe(true);
    await expect(file.entries()).rejects.toThrow("it is a pipe");
  });
});
