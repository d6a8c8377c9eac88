/** The record of alarms, also when it is invalid. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { alarmPath, alarmRecord, type KnownVerdict } from "../../src/alarms/alarm-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const shop = { app_id: "shop", location: "a.db" };
const known = (key: string): KnownVerdict => ({
  key,
  verdict: {
    code: "stuck_pending",
    severity: "warning",
    sentence: "1 invocation is stuck.",
    detail: "",
    since: null,
    evidence: [],
    count: 1,
    muted_until: null,
  },
  not_looked_at: [],
});

describe("the record of alarms", () => {
  it("has nothing before the first write, and then what was written last, readable by the user alone", () => {
    const state = join(folder.path, "state");
    expect(alarmRecord(state, shop).read()).toBeNull();
    alarmRecord(state, shop).write([known("a"), known("b")]);
    alarmRecord(state, shop).write([known("b")]);
    expect(alarmRecord(state, shop).read()).toEqual([known("b")]);
    if (process.platform !== "win32") expect(statSync(alarmPath(state)).mode & 0o777).toBe(0o600);
  });

  it("keeps apps and stores apart, and at most 100 of them, the last written ones", () => {
    const others = [
      { ...shop, app_id: "billing" },
      { ...shop, location: "b.db" },
    ];
    const record = alarmRecord(folder.path, shop);
    record.write([known("a")]);
    for (const other of others) {
      expect(alarmRecord(folder.path, other).read()).toBeNull();
      alarmRecord(folder.path, other).write([]);
    }
    expect([record.read(), alarmRecord(folder.path, { ...shop, app_id: "billing" }).read()]).toEqual([
      [known("a")],
      [],
    ]);
    for (let n = 0; n < 98; n++) alarmRecord(folder.path, { app_id: `app ${n}`, location: "a.db" }).write([]);
    expect(record.read()).toBeNull();
    expect(alarmRecord(folder.path, { ...shop, app_id: "billing" }).read()).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["another document", JSON.stringify({ apps: 7 })],
    ["null", "null"],
    ["an incomplete verdict", JSON.stringify({ apps: [{ ...shop, known: [{ key: "a", verdict: { code: "x" } }] }] })],
    ["a verdict of nothing", JSON.stringify({ apps: [null, { ...shop, known: [null] }] })],
  ])("counts as empty with %s in it, and is replaced by the next write", (_, text) => {
    writeFileSync(alarmPath(folder.path), text);
    const record = alarmRecord(folder.path, shop);
    expect(record.read()).toBeNull();
    record.write([known("a")]);
    expect(record.read()).toEqual([known("a")]);
  });

  it("refuses to replace anything but a file", () => {
    mkdirSync(alarmPath(folder.path));
    const record = alarmRecord(folder.path, shop);
    expect(record.read()).toBeNull();
    expect(() => record.write([known("a")])).toThrow("it is a folder");
    expect(() => readFileSync(alarmPath(folder.path))).toThrow("EISDIR");
  });
});
