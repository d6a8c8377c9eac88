/** Whether an app is well: a yes or no for alarms. */
import { describe, expect, onTestFinished, test } from "vitest";
import { AppCheck } from "../../../src/api/health.ts";
import { InvalidInputError, RefusedError } from "../../../src/errors.ts";
import type { RollupReads } from "../../../src/rollups/reads.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { checkApp } from "../../../src/services/health/check.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { differences } from "../../support/answers.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { countStatements } from "../../support/statements.ts";

const HOUR = 3_600;

/** Three of four ended well in the last hour; one failed long ago. */
function shop(): MemoryApp {
  const ended = (begins: number, end: string) =>
    [
      [at(begins), "registered"],
      [at(begins + 1), "pending", "r1"],
      [at(begins + 2), "running", "r1"],
      [at(begins + 3), end, "r1"],
    ] as [number, string, string?][];
  return memoryApp({ now: at(2 * HOUR) })
    .invocation("p1", { history: ended(HOUR + 60, "success") })
    .invocation("p2", { history: ended(HOUR + 120, "success") })
    .invocation("p3", { history: ended(HOUR + 180, "failed") })
    .invocation("s1", { task: "shop.ship", history: ended(HOUR + 240, "success") })
    .invocation("s0", { task: "shop.ship", history: ended(60, "failed") });
}

async function parts(app: OpenedApp, raw: RawInput) {
  const found = await checkApp(app, raw);
  const answer = { ...found, verdicts: found.verdicts.map((verdict) => ({ ...verdict, next: [] })) };
  expect(differences(AppCheck, answer)).toEqual([]);
  return {
    ok: found.ok,
    parts: Object.fromEntries(found.checks.map(({ name, ok, sentence }) => [name, [ok, sentence]])),
  };
}

describe("a check of an app", () => {
  test("passes if nothing is wrong, and checks no limits that were not requested", async () => {
    expect(await parts(memoryApp().opened, {})).toEqual({
      ok: true,
      parts: { verdicts: [true, "Nothing looks wrong in what was checked."] },
    });
  });

  test("does not read what only the status shows, such as the counts of events", async () => {
    const { opened } = shop();
    const statements = countStatements();
    onTestFinished(() => statements.stop());
    const methods = async (read: () => Promise<unknown>) => {
      await read();
      return [...statements.taken().keys()];
    };
    expect(await methods(() => checkApp(opened, {}))).not.toContain("trigger.eventCounters");
    expect(await methods(() => statusReport(opened))).toContain("trigger.eventCounters");
  });

  test.each([
    ["1", true, "1 of 4 finished invocations failed (25 %), within the limit of 1."],
    ["0", false, "1 of 4 finished invocations failed (25 %), over the limit of 0."],
    ["25%", true, "1 of 4 finished invocations failed (25 %), within the limit of 25 %."],
    ["24.9%", false, "1 of 4 finished invocations failed (25 %), over the limit of 24.9 %."],
  ])("compares the failures of the last hour with the limit %s", async (limit, ok, sentence) => {
    const found = await parts(shop().opened, { max_failed: [limit] });
    expect(found.parts.failures).toEqual([ok, sentence]);
    expect(found.ok).toBe(ok);
  });

  test("counts failures stamped later than now, and does not pass if others cannot be counted", async () => {
    const shifted = (ahead: number) => {
      const app = memoryApp({ now: at(2 * HOUR) });
      for (const [n, end] of ["success", "failed"].entries()) {
        const from = at(2 * HOUR) + ahead - 10;
        app.invocation(`i${n}`, {
          history: [
            [from, "registered"],
            [from + 1, "pending"],
            [from + 2, "running"],
            [from + 10, end],
          ],
        });
      }
      return parts(app.opened, { from: ["30m"], max_failed: ["5%"] });
    };
    expect((await shifted(120)).parts.failures?.[0]).toBe(false);
    const late = await shifted(2 * HOUR);
    expect(late.parts.failures?.[0]).toBeNull();
    expect(late.parts.failures?.[1]).toContain("are not counted");
  });

  test("fails for a share over the limit, also if something later than now cannot be counted", async () => {
    const app = shop();
    app.invocation("later", { history: [[at(99 * HOUR), "registered"]] });
    expect((await parts(app.opened, { max_failed: ["24%"] })).parts.failures?.[0]).toBe(false);
    expect((await parts(app.opened, { max_failed: ["25%"] })).parts.failures?.[0]).toBeNull();
  });

  test("counts the failures of the given task and time", async () => {
    const ship = { max_failed: ["0"], task_id: ["shop.ship"] };
    expect((await parts(shop().opened, ship)).parts.failures).toEqual([
      true,
      "0 of 1 finished invocation failed (0 %), within the limit of 0.",
    ]);
    expect((await parts(shop().opened, { ...ship, from: ["2h"] })).parts.failures?.[0]).toBe(false);
  });

  test("passes if nothing finished, also with a limit in percent", async () => {
    expect((await parts(memoryApp().opened, { max_failed: ["0%"] })).parts.failures).toEqual([
      true,
      "None finished, within the limit of 0 %.",
    ]);
  });

  test("does not pass while the history is being read, and fails if too many failures are already known", async () => {
    const { opened } = shop();
    const unread = <T extends object>(answer: T): T => ({ ...answer, complete: false });
    const rollups: RollupReads = Object.create(opened.rollups as RollupReads, {
      rows: {
        value: async (...args: Parameters<RollupReads["rows"]>) =>
          unread(await (opened.rollups as RollupReads).rows(...args)),
      },
    });
    const half = { ...opened, rollups };
    const few = await parts(half, { max_failed: ["3"] });
    expect([few.ok, few.parts.failures?.[0]]).toEqual([false, null]);
    expect(few.parts.failures?.[1]).toContain("still being read");
    expect((await parts(half, { max_failed: ["0"] })).parts.failures?.[0]).toBe(false);
    expect((await parts(half, { max_failed: ["1%"] })).parts.failures?.[0]).toBe(null);
  });

  test("gives how long the oldest message has waited", async () => {
    const app = memoryApp({ now: at(100) }).message("a", at(40));
    expect((await parts(app.opened, { max_queue_age: ["1m"] })).parts.queue_age).toEqual([
      true,
      "The oldest message has waited 1 min, within the limit of 1 min.",
    ]);
    expect((await parts(app.opened, { max_queue_age: ["59s"] })).parts.queue_age?.[0]).toBe(false);
    expect((await parts(memoryApp().opened, { max_queue_age: ["1s"] })).parts.queue_age).toEqual([
      true,
      "The queue is empty.",
    ]);
    const undated = memoryApp().message("a", null);
    const unknown = await parts(undated.opened, { max_queue_age: ["1s"] });
    expect(unknown.ok).toBe(false);
    expect(unknown.parts.queue_age).toEqual([null, "When messages were queued is not stored."]);
  });

  test("counts errors, and warnings only on request", async () => {
    // Nobody answers for the runner of this one.
    const dead = memoryApp({ now: at(2 * HOUR) })
      .invocation("a", {
        history: [
          [at(1), "registered"],
          [at(2), "pending", "r1"],
          [at(3), "running", "r1"],
        ],
      })
      .invocation("b", {
        history: [
          [at(1), "registered"],
          [at(2), "pending", "r1"],
        ],
      })
      .runner("r1", { last: at(4) });
    const found = await checkApp(dead.opened, {});
    const all = await checkApp(dead.opened, { fail_on: ["warning"] });
    expect([...new Set(found.verdicts.map(({ severity }) => severity))]).toEqual(["error"]);
    expect(all.verdicts.length).toBeGreaterThan(found.verdicts.length);
    expect([
      found.ok,
      found.checks[0]?.sentence === `${found.verdicts.map(({ sentence }) => sentence).join("; ")}.`,
    ]).toEqual([false, true]);
  });

  test("refuses parameters without effect, and invalid limits", async () => {
    const refused = (raw: RawInput) => expect(checkApp(shop().opened, raw)).rejects;
    await refused({ from: ["2h"] }).toThrow(InvalidInputError);
    await refused({ task_id: ["shop.pay"] }).toThrow(/max_failed/);
    for (const limit of ["-1", "101%", "5 percent", "1e3", "%"])
      await refused({ max_failed: [limit] }).toThrow(InvalidInputError);
    await refused({ max_queue_age: ["soon"] }).toThrow(InvalidInputError);
    await refused({ max_queue_age: ["custom"] }).toThrow(InvalidInputError);
    await refused({ fail_on: ["info"] }).toThrow(InvalidInputError);
    await expect(checkApp({ ...shop().opened, rollups: null }, { max_failed: ["1"] })).rejects.toThrow(RefusedError);
  });
});
