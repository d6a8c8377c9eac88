/** The file of muted verdicts, also when it is invalid. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mute } from "../../src/api/verdicts.ts";
import { MuteFile, NO_MUTES } from "../../src/mutes/mute-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { HAS_PIPES, makePipe } from "../support/special-files.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const mute = (id: string | null, until = "2026-01-06T00:00:00.000000+00:00"): Mute => ({
  app_id: "shop",
  location: "memory",
  code: "stuck_pending",
  id,
  until,
  muted_at: "2026-01-05T00:00:00.000000+00:00",
});

describe("a file of mutes", () => {
  it("is created with the first mute, readable by the user alone, and read by others at once", () => {
    const own = join(folder.path, "state");
    const file = new MuteFile(own);
    const other = new MuteFile(own);
    expect([file.all(), existsSync(own)]).toEqual([[], false]);
    file.change(() => true, [mute("a")]);
    expect(other.all()).toEqual([mute("a")]);
    other.change(() => true, [mute("b")]);
    expect(
      file
        .all()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["a", "b"]);
    file.change(({ id }) => id !== "a", []);
    expect(other.all()).toEqual([mute("b")]);
    expect(readdirSync(own)).toEqual(["mutes.json"]);
    if (process.platform !== "win32") expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it("counts as empty if it is invalid, and invalid mutes in it are skipped", () => {
    const file = new MuteFile(folder.path);
    for (const text of ["", "{", "[]", "null", '{"mutes": 3}', `{"mutes": [1, null, {"code": "x"}]}`]) {
      writeFileSync(file.path, text);
      expect([text, file.all()]).toEqual([text, []]);
    }
    writeFileSync(file.path, JSON.stringify({ mutes: [mute("a"), { ...mute("b"), id: 3 }] }));
    expect(file.all()).toEqual([mute("a")]);
    writeFileSync(file.path, JSON.stringify({ mutes: [mute("x".repeat(1_100_000))] }));
    expect(file.all()).toEqual([]);
  });

  it.runIf(HAS_PIPES)("is not waited for if it is a pipe, and does not replace the pipe", () => {
    const file = new MuteFile(folder.path);
    makePipe(file.path);
    expect(file.all()).toEqual([]);
    expect(() => file.change(() => true, [mute("a")])).toThrow("it is a pipe");
    expect(lstatSync(file.path).isFIFO()).toBe(true);
    expect(readdirSync(folder.path)).toEqual(["mutes.json"]);
  });

  it("is written to the target of a symbolic link", () => {
    mkdirSync(join(folder.path, "elsewhere"));
    const file = new MuteFile(folder.path);
    symlinkSync("elsewhere/kept.json", file.path);
    file.change(() => true, [mute("a")]);
    expect(file.all()).toEqual([mute("a")]);
    expect(lstatSync(file.path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder.path, "elsewhere/kept.json"), "utf8")).toContain("stuck_pending");
  });

  it("keeps at most two thousand mutes, those that end last", () => {
    const file = new MuteFile(folder.path);
    const many = Array.from({ length: 2_001 }, (_, n) => mute(`${n}`, `2026-01-06T00:00:00.${100_000 + n}+00:00`));
    file.change(() => false, many);
    expect([file.all().length, file.all().some(({ id }) => id === "0")]).toEqual([2_000, false]);
  });
});

it("a user without a home folder has no mutes, and cannot add one", () => {
  expect([NO_MUTES.all(), NO_MUTES.path]).toEqual([[], null]);
  expect(() => NO_MUTES.change(() => true, [])).toThrow("no folder");
});
