/** Names that belong to something other than a file. A test that waits for a pipe hangs, so each of these fails by its time limit. */
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { linkTarget, readRegularFile, replaceablePath, UnusableFileError } from "../src/regular-file.ts";
import { temporaryFolder } from "./support/fixtures.ts";
import { HAS_PIPES, makePipe } from "./support/special-files.ts";

const temporary = temporaryFolder();
afterAll(() => temporary.remove());
const folder = realpathSync(temporary.path);
const inFolder = (name: string) => join(folder, name);

describe("a regular file", () => {
  it.each([0, 1, 9_999, 10_000])("of %i bytes is read whole with a limit of 10,000", (length) => {
    writeFileSync(inFolder("file"), "x".repeat(length));
    expect(readRegularFile(inFolder("file"), 10_000).toString()).toBe("x".repeat(length));
  });

  it("that is longer than allowed is refused by its size", () => {
    writeFileSync(inFolder("long"), "x".repeat(10_001));
    expect(() => readRegularFile(inFolder("long"), 10_000)).toThrow(
      expect.objectContaining({ reason: "size", message: "it is longer than 10000 bytes" }),
    );
  });

  it("that does not exist gives the system's error", () => {
    expect(() => readRegularFile(inFolder("none"), 10)).toThrow("ENOENT");
  });

  it.runIf(process.platform === "linux")("of unknown size is read to its end, up to the limit", () => {
    expect(readRegularFile("/proc/self/status", 1_000_000).length).toBeGreaterThan(100);
    expect(() => readRegularFile("/proc/self/status", 100)).toThrow("it is longer than 100 bytes");
  });
});

describe("a path to something other than a regular file", () => {
  it("is refused by its kind, and is not replaced", () => {
    mkdirSync(inFolder("folder"));
    symlinkSync("folder", inFolder("link-to-folder"));
    for (const name of ["folder", "link-to-folder"])
      for (const act of [readRegularFile, replaceablePath])
        expect(() => act(inFolder(name), 10)).toThrow(new UnusableFileError("kind", "it is a folder"));
  });

  it.runIf(HAS_PIPES)("is refused at once when it is a pipe or a device, without waiting for data", () => {
    makePipe(inFolder("pipe"));
    for (const act of [readRegularFile, replaceablePath]) {
      expect(() => act(inFolder("pipe"), 10)).toThrow("it is a pipe");
      expect(() => act("/dev/zero", 10)).toThrow("it is a device");
    }
  });
});

describe.runIf(HAS_PIPES)("a pipe that is allowed", () => {
  it("is read to its end, also if its writer pauses", async () => {
    const path = makePipe(inFolder("allowed"));
    const writer = spawn("sh", ["-c", `{ sleep 0.2; printf abc; sleep 0.2; printf def; } > '${path}'`]);
    const ended = new Promise((resolve) => writer.on("close", resolve));
    expect(readRegularFile(path, 100, 60_000).toString()).toBe("abcdef");
    await ended;
  });

  it("is given up after its time limit, and refused above its size limit", () => {
    const path = makePipe(inFolder("silent"));
    expect(readRegularFile(path, 100, 50).toString()).toBe("");
    const writer = spawn("sh", ["-c", `yes > '${path}'`], { stdio: "ignore" });
    expect(() => readRegularFile(path, 100, 60_000)).toThrow("it is longer than 100 bytes");
    writer.kill();
  });
});

describe("the target of a file name", () => {
  it("is found through links of files and folders, even if it does not exist yet", () => {
    mkdirSync(inFolder("a/b"), { recursive: true });
    symlinkSync("a/b", inFolder("ab"));
    symlinkSync("../new", inFolder("a/b/dangling"));
    // `..` of a link is the folder above the one that it is in, not the one that its name mentions.
    expect(linkTarget(inFolder("ab/dangling"))).toBe(inFolder("a/new"));
    expect(linkTarget(inFolder("ab/plain"))).toBe(inFolder("a/b/plain"));
    expect(replaceablePath(inFolder("ab/dangling"))).toBe(inFolder("a/new"));
  });

  it("is an error in a cycle of links, and in a folder that does not exist", () => {
    symlinkSync("two", inFolder("one"));
    symlinkSync("one", inFolder("two"));
    expect(() => linkTarget(inFolder("one"))).toThrow(expect.objectContaining({ code: "ELOOP" }));
    expect(() => linkTarget(inFolder("missing/file"))).toThrow("ENOENT");
  });
});
