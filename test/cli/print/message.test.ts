/** Messages on a terminal. */
import { describe, expect, test } from "vitest";
import { messageLines } from "../../../src/cli/print/message.ts";

describe("a message", () => {
  test("is wrapped to the width of the terminal and keeps its indentation", () => {
    expect(messageLines("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(messageLines("  one two three", 9)).toEqual(["  one two", "  three"]);
    expect(messageLines("one\ntwo three", 9)).toEqual(["one", "two three"]);
  });

  test("is left as it is where there is no terminal", () => {
    expect(messageLines("a long sentence", null)).toEqual(["a long sentence"]);
  });

  test.each(["monitor show 93041383 --app shop", "export PYNENC_MONITOR_DB=/a/b/c/d.db"])(
    "does not divide the command %s, which is copied",
    (command) => {
      expect(messageLines(`To see it there: ${command}`, 20)).toEqual(["To see it there:", `  ${command}`]);
      expect(messageLines(command, 20)).toEqual([command]);
      expect(messageLines(`See: ${command}`, 80)).toEqual([`See: ${command}`]);
    },
  );
});
