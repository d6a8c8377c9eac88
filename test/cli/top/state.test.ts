/** What the keys of `monitor top` change. */
import type { Key } from "node:readline";
import { describe, expect, test } from "vitest";
import { INITIAL, keyPressed, type TopState } from "../../../src/cli/top/state.ts";

const KEYS = ["task a", "task b", "runner r"];
const START: TopState = { ...INITIAL, range: "1h" };

/** Names as readline gives them; one character is typed. */
function press(state: TopState, ...names: string[]) {
  let [now, effect] = [state, null as ReturnType<typeof keyPressed>[1]];
  for (const name of names) {
    const key: Key =
      name.length === 1 ? { name: /\w/.test(name) ? name : undefined, sequence: name } : { name, sequence: "" };
    [now, effect] = keyPressed(now, key, KEYS, 11);
  }
  return { state: now, effect };
}

describe("the keys of monitor top", () => {
  test.each([
    [["down"], "task a"],
    [["down", "down"], "task b"],
    [["down", "down", "down", "down"], "runner r"],
    [["up"], "task a"],
    [["j", "j", "k"], "task a"],
    [["pagedown"], "runner r"],
    [["pagedown", "pageup"], "task a"],
    [["down", "escape"], null],
  ])("%j select %s", (names, selected) => {
    expect(press(START, ...names).state.selected).toBe(selected);
  });

  test("select nothing when there are no rows", () => {
    expect(keyPressed(START, { name: "down" }, [], 11)[0].selected).toBeNull();
  });

  test("move from a selected row that is gone to the first row", () => {
    expect(press({ ...START, selected: "task gone" }, "down").state.selected).toBe("task a");
  });

  test.each([
    [["q"], "end"],
    [["return"], null],
    [["down", "return"], "open"],
    [["s"], "read"],
    [["r"], "read"],
    [["p"], null],
    [["p", "p"], "read"],
    [["x"], null],
  ])("%j have the effect %s", (names, effect) => {
    expect(press(START, ...names).effect).toBe(effect);
  });

  test("s and r go through all orders and ranges, and start again", () => {
    const sorts = Array.from({ length: 7 }, (_, n) => press(START, ...Array<string>(n).fill("s")).state.sort);
    expect(sorts).toEqual(["failed", "finished", "p95", "wait", "busy", "name", "failed"]);
    const ranges = Array.from({ length: 5 }, (_, n) => press(START, ...Array<string>(n).fill("r")).state.range);
    expect(ranges).toEqual(["1h", "6h", "24h", "15m", "1h"]);
    expect(press({ ...START, range: "40m" }, "r").state.range).toBe("15m");
  });

  test("type into the filter until Enter, even those that do something otherwise", () => {
    const typed = press(START, "/", "q", "s", " ", "ü", "x", "backspace").state;
    expect([typed.filter, typed.typing, typed.sort]).toEqual(["qs ü", true, "failed"]);
    expect(press(typed, "up").state.filter).toBe("qs ü");
    expect(press(typed, "return").state).toMatchObject({ filter: "qs ü", typing: false });
    expect(press(typed, "escape").state).toMatchObject({ filter: "", typing: false });
    expect(press(press(typed, "return").state, "escape").state.filter).toBe("");
  });

  test("scroll an opened row within its lines, and close it", () => {
    const opened = { ...START, selected: "task a", opened: { lines: Array.from({ length: 25 }, String), offset: 0 } };
    const offset = (...names: string[]) => press(opened, ...names).state.opened?.offset;
    expect(offset("down", "down", "up")).toBe(1);
    expect(offset("up")).toBe(0);
    expect(offset("pagedown")).toBe(10);
    expect(offset("pagedown", "pagedown")).toBe(15);
    expect(offset("end", "home")).toBe(0);
    expect(press(opened, "q")).toMatchObject({ state: { opened: null, selected: "task a" }, effect: null });
    expect(press(opened, "escape").state.opened).toBeNull();
  });
});
