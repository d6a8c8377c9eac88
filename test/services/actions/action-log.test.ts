/** Who changed what: one line each for the log, and an entry in the record of the user. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AuditFile } from "../../../src/audit/audit-file.ts";
import { InvalidInputError, RefusedError, StoreUnreachableError } from "../../../src/errors.ts";
import { ActionLog } from "../../../src/services/actions/action-log.ts";
import { temporaryFolder } from "../../support/fixtures.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const shop = memoryApp({ app_id: "shop" }).opened;

const done = (message = "Done.", counters: Record<string, unknown> = {}) => ({
  success: true as const,
  action: "purge",
  app_id: "shop",
  message,
  ...counters,
});

function log(file: AuditFile | null = null, clock = () => at(0)) {
  const lines: string[] = [];
  const warnings: string[] = [];
  return {
    lines,
    warnings,
    log: new ActionLog({
      via: "server",
      file,
      write: (line) => lines.push(line),
      warn: (words) => warnings.push(words),
      clock,
    }),
  };
}

describe("an action", () => {
  it("in a demo whose clock is fixed is recorded at the instant of the demo", async () => {
    const demo = { ...shop, writes_at: at(60) };
    const { entry } = await log().log.record("127.0.0.1", "purge broker", demo, async () => done());
    expect(entry.at).toBe("2026-01-05T12:01:00.000000+00:00");
  });

  it("is logged with who did it, when and where, and its counts", async () => {
    const { lines, log: actions } = log();
    const { outcome, entry } = await actions.record("127.0.0.1", "purge broker", shop, async () =>
      done("Done.", { rows: 7 }),
    );
    expect(outcome).toEqual(done("Done.", { rows: 7 }));
    expect(entry).toEqual({
      id: expect.stringMatching(/^[\w-]{12}$/),
      at: "2026-01-05T12:00:00.000000+00:00",
      who: "127.0.0.1",
      via: "server",
      action: "purge broker",
      app_id: "shop",
      location: shop.store.location,
      outcome: "done",
      message: "Done.",
      counters: { rows: 7 },
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([entry]);
    expect(actions.entry(entry.id)).toEqual(entry);
    expect([actions.entry("another"), log().log.entry(entry.id)]).toEqual([undefined, undefined]);
  });

  it.each([
    ["refused", new RefusedError("Not now.", null, 409), "Not now."],
    ["failed", new StoreUnreachableError("busy", "It is locked."), "It is locked."],
    ["failed", new TypeError("secret is undefined"), "a bug in the monitor"],
  ])("that was %s is logged too, and its error is rethrown", async (outcome, error, message) => {
    const { lines, log: actions } = log();
    const act = () => Promise.reject(error);
    await expect(actions.record("me", "rerun", shop, act)).rejects.toBe(error);
    expect((await actions.recorded()).entries).toMatchObject([
      { outcome, message, counters: {}, action: "rerun", who: "me" },
    ]);
    expect(lines).toHaveLength(1);
    expect(lines.join("")).not.toContain("secret");
  });

  it("is logged with the first 32 members of a list, the number left out, and 2,000 characters of its message", async () => {
    const { log: actions } = log();
    const ids = Array.from({ length: 40 }, (_, n) => `i${n}`);
    const act = async () => done("m".repeat(2_001), { ids, few: ids.slice(0, 32) });
    const { entry, outcome } = await actions.record("me", "rerun", shop, act);
    expect(entry.counters).toEqual({ ids: ids.slice(0, 32), ids_left_out: 8, few: ids.slice(0, 32) });
    expect([entry.message.length, outcome.message.length]).toEqual([2_000, 2_001]);
  });
});

it("the log keeps the latest 200 actions of this process, newest first, with unique ids", async () => {
  const { lines, log: actions } = log();
  for (let n = 0; n < 203; n++) await actions.record("me", "purge", shop, async () => done(`number ${n}`));
  expect(lines).toHaveLength(203);
  const { entries, problem } = await actions.recorded();
  expect(problem).toBeNull();
  expect(entries.map((entry) => entry.message)).toEqual(Array.from({ length: 200 }, (_, n) => `number ${202 - n}`));
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(200);
});

it("the record lists the newest actions first, whatever became of each", async () => {
  let now = at(0);
  const { log: actions } = log(null, () => now++);
  const refused = () => actions.record("me", "rerun", shop, () => Promise.reject(new RefusedError("Not now.")));
  await actions.record("me", "purge", shop, async () => done("Purged."));
  await expect(refused()).rejects.toThrow("Not now.");
  await actions.record("me", "purge", shop, async () => done("Purged again."));
  const { entries } = await actions.recorded();
  expect(entries.map(({ message }) => message)).toEqual(["Purged again.", "Not now.", "Purged."]);
});

it("the log keeps done and failed actions, however many actions are refused afterwards", async () => {
  const { log: actions } = log();
  const throwing = (error: Error) => actions.record("me", "rerun", shop, () => Promise.reject(error)).catch(() => null);
  const { entry } = await actions.record("me", "purge", shop, async () => done("Purged."));
  await throwing(new StoreUnreachableError("busy", "It is locked."));
  for (let n = 0; n < 500; n++) await throwing(new RefusedError(`Not now ${n}.`));
  expect(actions.entry(entry.id)).toEqual(entry);
  const outcomes = (await actions.recorded()).entries.map((one) => one.outcome);
  expect([outcomes.length, outcomes.filter((one) => one !== "refused").sort()]).toEqual([202, ["done", "failed"]]);
});

it("the log counts malformed requests and writes nothing else about them", async () => {
  const { log: actions, lines } = log();
  const problem = new InvalidInputError([{ parameter: "limit", value: "x", accepted: "a number" }]);
  for (let n = 0; n < 3; n++)
    await expect(actions.record("me", "rerun", shop, () => Promise.reject(problem))).rejects.toBe(problem);
  expect([actions.malformed, lines, (await actions.recorded()).entries]).toEqual([3, [], []]);
});

describe("the user's audit file", () => {
  let temporary: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    temporary = temporaryFolder();
  });
  afterEach(() => temporary.remove());

  it("shows another process what this one did, each action once", async () => {
    const { log: actions, warnings } = log(new AuditFile(temporary.path));
    const { entry } = await actions.record("me", "purge", shop, async () => done());
    expect(await actions.recorded()).toEqual({ entries: [entry], problem: null });
    expect(await log(new AuditFile(temporary.path)).log.recorded()).toEqual({ entries: [entry], problem: null });
    expect([actions.path, warnings]).toEqual([join(temporary.path, "audit.jsonl"), []]);
  });

  it.each([
    ["a file in the place of its folder", "ENOTDIR", (folder: string) => writeFileSync(folder, "")],
    [
      "a folder in its place",
      "it is a folder",
      (folder: string) => mkdirSync(join(folder, "audit.jsonl"), { recursive: true }),
    ],
  ])("does not prevent an action if it is unusable: %s", async (_, code, spoil) => {
    const folder = join(temporary.path, "state");
    spoil(folder);
    const file = new AuditFile(folder);
    const { log: actions, warnings, lines } = log(file);
    const { outcome, entry } = await actions.record("me", "purge", shop, async () => done("Purged."));
    expect([outcome.message, lines.length]).toEqual(["Purged.", 1]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^The action is not in the record of actions: .+audit\.jsonl cannot be written \(E\w+\)\. Use --state-dir to name/,
    );
    expect(await actions.recorded()).toEqual({ entries: [entry], problem: code });
  });

  it("has a reason in its warning even if the error has no code", async () => {
    for (const thrown of [new Error("out of luck"), "out of luck"]) {
      const file = Object.assign(new AuditFile(temporary.path), {
        append: () => {
          throw thrown;
        },
      });
      const { log: actions, warnings } = log(file);
      await actions.record("me", "purge", shop, async () => done("Purged."));
      expect(warnings.join()).toContain("cannot be written (out of luck).");
    }
  });
});
