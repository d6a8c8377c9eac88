/** Where the token of a server comes from, and that it is never shown. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type OptionFlags, resolveConfiguration } from "../../src/config/options.ts";
import { serverToken } from "../../src/config/token.ts";
import { InvalidInputError } from "../../src/errors.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { HAS_PIPES, makePipe } from "../support/special-files.ts";
import { thrownBy } from "./workspace.ts";

const SECRET = "correct-horse-battery";
const folder = temporaryFolder();
afterAll(folder.remove);
const cwd = folder.path;
const file = join(cwd, "token");
writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
writeFileSync(join(cwd, "empty"), "\n");
writeFileSync(join(cwd, "short"), "swordfish\n");
writeFileSync(join(cwd, "two"), `${SECRET}\n${SECRET}\n`);

const warnings: string[] = [];

function tokenOf(flags: OptionFlags, env: Record<string, string> = {}): string | null {
  warnings.length = 0;
  return serverToken(resolveConfiguration({ flags, env, cwd }).options, env, (words) => warnings.push(words));
}

describe("the token of a server", () => {
  it("is null unless it is requested", () => {
    expect(tokenOf({})).toBeNull();
    expect(tokenOf({ token: false })).toBeNull();
    expect(tokenOf({}, { PYNENC_MONITOR_TOKEN: " " })).toBeNull();
  });

  it("is new and hard to guess each time with auto", () => {
    const tokens = [tokenOf({ token: "auto" }), tokenOf({}, { PYNENC_MONITOR_TOKEN: "auto" })];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
  });

  it.each<[OptionFlags, Record<string, string>]>([
    [{}, { PYNENC_MONITOR_TOKEN: SECRET }],
    [{}, { PYNENC_MONITOR_TOKEN: ` ${SECRET}\n` }],
    [{ tokenFile: "token" }, {}],
    [{}, { PYNENC_MONITOR_TOKEN_FILE: file }],
    // A file says more than a variable, and a flag more than both.
    [{ tokenFile: "token" }, { PYNENC_MONITOR_TOKEN: "another-token-of-mine" }],
  ])("is the given one with %j %j", (flags, env) => {
    expect(tokenOf(flags, env)).toBe(SECRET);
  });

  it("from a variable is overridden by a flag", () => {
    expect(tokenOf({ token: false }, { PYNENC_MONITOR_TOKEN: SECRET })).toBeNull();
    expect(tokenOf({ token: false }, { PYNENC_MONITOR_TOKEN_FILE: file })).toBeNull();
    expect(tokenOf({ token: "auto" }, { PYNENC_MONITOR_TOKEN: SECRET })).not.toBe(SECRET);
    expect(tokenOf({ token: "auto" }, { PYNENC_MONITOR_TOKEN_FILE: file })).not.toBe(SECRET);
  });

  it.each<[OptionFlags, Record<string, string>, string]>([
    [{ token: SECRET }, {}, "command lines"],
    [{ token: "" }, {}, "command lines"],
    [{}, { PYNENC_MONITOR_TOKEN: "swordfish" }, "16 to 512"],
    [{}, { PYNENC_MONITOR_TOKEN: "one two three four five" }, "16 to 512"],
    [{ tokenFile: "short" }, {}, "16 to 512"],
    [{ tokenFile: "two" }, {}, "16 to 512"],
    [{ tokenFile: "nowhere" }, {}, "cannot be read"],
    [{ tokenFile: "empty" }, {}, "is empty"],
  ])("is refused with %j %j, without being repeated", (flags, env, words) => {
    const error = thrownBy(() => tokenOf(flags, env)) as InvalidInputError;
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(words);
    expect(JSON.stringify([error.message, error.problems, error.hint])).not.toMatch(/horse|swordfish|three/);
  });

  it.skipIf(process.platform === "win32")("has a warning if other users may read its file", () => {
    for (const [mode, warned] of [
      [0o600, false],
      [0o400, false],
      [0o640, true],
      [0o604, true],
      [0o620, true],
    ] as const) {
      chmodSync(file, mode);
      expect(tokenOf({ tokenFile: "token" })).toBe(SECRET);
      expect([mode, warnings]).toEqual([
        mode,
        warned ? [`Other users may read ${file}, which holds the token: chmod 600 it.`] : [],
      ]);
    }
    chmodSync(file, 0o600);
  });

  it.runIf(HAS_PIPES)("is read from a pipe, as shells pass the output of a program", async () => {
    const pipe = makePipe(join(cwd, "pipe"));
    const writer = spawn("sh", ["-c", `echo ${SECRET} > '${pipe}'`]);
    const ended = new Promise((resolve) => writer.on("close", resolve));
    expect(tokenOf({ tokenFile: "pipe" })).toBe(SECRET);
    await ended;
  });

  it("is not read from a folder, a device or a very long file", () => {
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "long"), "x".repeat(100_000));
    expect(thrownBy(() => tokenOf({ tokenFile: "folder" }))).toMatchObject({
      message: expect.stringContaining("it is a folder"),
    });
    expect(thrownBy(() => tokenOf({ tokenFile: "long" }))).toMatchObject({
      message: expect.stringContaining("it is longer than"),
    });
    if (HAS_PIPES)
      expect(thrownBy(() => tokenOf({ tokenFile: "/dev/zero" }))).toMatchObject({
        message: expect.stringContaining("it is a device"),
      });
  });

  it("is in no option, so that no report of options can show it", () => {
    const options = resolveConfiguration({ flags: {}, env: { PYNENC_MONITOR_TOKEN: SECRET }, cwd }).options;
    expect(JSON.stringify(options)).not.toContain(SECRET);
    expect(options.token).toEqual({ value: "variable", origin: "PYNENC_MONITOR_TOKEN" });
  });
});
