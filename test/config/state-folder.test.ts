import { describe, expect, test } from "vitest";
import { stateFolder } from "../../src/config/state-folder.ts";

const HOME = () => "/home/β";
const NONE = () => null;

describe("the folder for what outlives the program", () => {
  test.each([
    ["linux", {}, "/home/β/.local/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "/var/state" }, "/var/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "state" }, "/home/β/.local/state/pynenc-monitor"],
    ["linux", { XDG_STATE_HOME: "" }, "/home/β/.local/state/pynenc-monitor"],
    ["freebsd", {}, "/home/β/.local/state/pynenc-monitor"],
    ["darwin", { XDG_STATE_HOME: "/var/state" }, "/home/β/Library/Application Support/pynenc-monitor"],
    ["win32", { LOCALAPPDATA: "C:\\Users\\β\\AppData\\Local" }, "C:\\Users\\β\\AppData\\Local\\pynenc-monitor"],
  ] as const)("%s, %j: %s", (platform, env, folder) => {
    expect(stateFolder(env, platform, HOME)).toBe(folder);
  });

  test("is under the home on Windows too, where no variable names it", () => {
    expect(stateFolder({}, "win32", () => "C:\\Users\\β")).toBe("C:\\Users\\β\\AppData\\Local\\pynenc-monitor");
  });

  test("is none for a user without a home, unless a variable names one", () => {
    expect((["linux", "darwin", "win32"] as const).map((platform) => stateFolder({}, platform, NONE))).toEqual([
      null,
      null,
      null,
    ]);
    expect(stateFolder({ XDG_STATE_HOME: "/var/state" }, "linux", NONE)).toBe("/var/state/pynenc-monitor");
  });
});
