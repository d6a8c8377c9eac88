import { describe, expect, test } from "vitest";
import { cacheFolder, stateFolder } from "../../src/config/user-folders.ts";

const HOME = () => "/home/β";
const NONE = () => null;

describe("the state folder", () => {
  test.each([
    ["linux", {}, "/home/β/.local/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "/var/state" }, "/var/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "state" }, "/home/β/.local/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "" }, "/home/β/.local/state/pynenc-monitor"],
    ["freebsd", {}, "/home/β/.local/state/pynenc-monitor"],
    ["darwin", { XDG_STATE_HOME: "/var/state" }, "/home/β/Library/Application Support/pynenc-monitor"],
    ["win32", { LOCALAPPDATA: "C:\\Users\\β\\AppData\\Local" }, "C:\\Users\\β\\AppData\\Local\\pynenc-monitor"],
  ] as const)("on %s with %j is %s", (platform, env, folder) => {
    expect(stateFolder(env, platform, HOME)).toBe(folder);
  });

  test("is in the home folder on Windows too, if no variable names it", () => {
    expect(stateFolder({}, "win32", () => "C:\\Users\\β")).toBe("C:\\Users\\β\\AppData\\Local\\pynenc-monitor");
  });

  test("is null for a user without a home, unless a variable names one", () => {
    expect((["linux", "darwin", "win32"] as const).map((platform) => stateFolder({}, platform, NONE))).toEqual([
      null,
      null,
      null,
    ]);
    expect(stateFolder({ XDG_STATE_HOME: "/var/state" }, "linux", NONE)).toBe("/var/state/pynenc-monitor");
  });
});

describe("the cache folder", () => {
  test.each([
    ["linux", {}, "/home/β/.cache/pynenc-monitor"],
    ["linux", { XDG_CACHE_HOME: "/var/cache", XDG_STATE_HOME: "/var/state" }, "/var/cache/pynenc-monitor"],
    ["linux", { XDG_CACHE_HOME: "cache" }, "/home/β/.cache/pynenc-monitor"],
    ["darwin", { XDG_CACHE_HOME: "/var/cache" }, "/home/β/Library/Caches/pynenc-monitor"],
    ["win32", { LOCALAPPDATA: "C:\\Users\\β\\AppData\\Local" }, "C:\\Users\\β\\AppData\\Local\\pynenc-monitor\\Cache"],
  ] as const)("on %s with %j is %s", (platform, env, folder) => {
    expect(cacheFolder(env, platform, HOME)).toBe(folder);
  });

  test("is null for a user without a home", () => {
    expect(cacheFolder({}, "linux", NONE)).toBeNull();
  });
});
