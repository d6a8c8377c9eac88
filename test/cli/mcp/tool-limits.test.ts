/** What the tools of assistants keep small. */
import { expect, test } from "vitest";
import { readLogLines } from "../../../src/cli/mcp/log-tool.ts";
import { secondsToWait } from "../../../src/cli/mcp/reading-tools.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

test("a tool waits 10 seconds unless another time is given, and never longer than 45", () => {
  expect([undefined, ["20s"], ["2h"]].map(secondsToWait)).toEqual([10, 20, 45]);
});

test("an assistant gets the last 500 of many log lines, and how many there are", async () => {
  const line = (n: number) => `2026-11-21 00:00:00.000+00:00 INFO pynenc line ${n}`;
  const pasted = Array.from({ length: 700 }, (_, n) => line(n)).join("\n");
  const { lines, matching } = await readLogLines(memoryApp().opened, null, pasted, {});
  expect([lines.length, matching, lines.at(-1)?.text.endsWith("line 699")]).toEqual([500, 700, true]);
});
