/** Who changed what: kept for the page, and one line each for the log. */
import { describe, expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../src/errors.ts";
import { ActionLog } from "../../src/services/action-log.ts";

const done = (message = "Done.", counters: Record<string, unknown> = {}) => ({
  success: true as const,
  action: "purge",
  app_id: "shop",
  message,
  ...counters,
});

function log() {
  const lines: string[] = [];
  return {
    lines,
    log: new ActionLog(
      (line) => lines.push(line),
      () => 1_767_614_400,
    ),
  };
}

describe("an action", () => {
  it("is written down with who did it, when, and what was counted", async () => {
    const { lines, log: actions } = log();
    const { outcome, entry } = await actions.record("127.0.0.1", "purge", "shop", async () =>
      done("Done.", { rows: 7 }),
    );
    expect(outcome).toEqual(done("Done.", { rows: 7 }));
    expect(entry).toEqual({
      id: expect.stringMatching(/^[\w-]{12}$/),
      at: "2026-01-05T12:00:00.000000+00:00",
      who: "127.0.0.1",
      action: "purge",
      app_id: "shop",
      outcome: "done",
      message: "Done.",
      counters: { rows: 7 },
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([entry]);
    expect(actions.entry(entry.id)).toEqual(entry);
    expect(actions.entry("another")).toBeUndefined();
  });

  it.each([
    ["refused", new RefusedError("Not now.", null, 409), "Not now."],
    ["failed", new StoreUnreachableError("busy", "It is locked."), "It is locked."],
    ["failed", new TypeError("secret is undefined"), "a defect of the monitor"],
  ])("that was %s is written down too, and throws what it threw", async (outcome, error, message) => {
    const { lines, log: actions } = log();
    const act = () => Promise.reject(error);
    await expect(actions.record("me", "rerun", "shop", act)).rejects.toBe(error);
    expect(actions.entries).toMatchObject([{ outcome, message, counters: {}, action: "rerun", who: "me" }]);
    expect(lines).toHaveLength(1);
    expect(lines.join("")).not.toContain("secret");
  });

  it("keeps the first 32 members of a list, and says how many it left out", async () => {
    const { log: actions } = log();
    const ids = Array.from({ length: 40 }, (_, n) => `i${n}`);
    await actions.record("me", "rerun", "shop", async () => done("", { ids, few: ids.slice(0, 32) }));
    expect(actions.entries[0]?.counters).toEqual({
      ids: ids.slice(0, 32),
      ids_left_out: 8,
      few: ids.slice(0, 32),
    });
  });
});

it("keeps the latest 200, newest first, under ids that differ", async () => {
  const { lines, log: actions } = log();
  for (let n = 0; n < 203; n++) await actions.record("me", "purge", "shop", async () => done(`number ${n}`));
  expect(lines).toHaveLength(203);
  expect(actions.entries.map((entry) => entry.message)).toEqual(
    Array.from({ length: 200 }, (_, n) => `number ${202 - n}`),
  );
  expect(new Set(actions.entries.map((entry) => entry.id)).size).toBe(200);
});
