/** Events as they are recorded, with a clock that moves only when something waits. */
import { describe, expect, test } from "vitest";
import { EventRow } from "../../../src/api/events.ts";
import { parseEventInput } from "../../../src/services/triggers/events.ts";
import { followEvents } from "../../../src/services/triggers/follow-events.ts";
import { differences } from "../../support/answers.ts";
import { clockOf } from "../../support/following.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

async function told(app: MemoryApp, deeds: readonly (() => unknown)[], raw = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const { rows } of followEvents(app.opened, parseEventInput(raw, app.now).conditions, clockOf(deeds))) {
    expect(rows.flatMap((row) => differences(EventRow, row))).toEqual([]);
    found.push(...rows.map((row) => row.event_id));
  }
  return found;
}

const NAPS = Array.from({ length: 20 }, () => () => undefined);

describe("following events", () => {
  test("gives the events recorded from now on, oldest first", async () => {
    const app = memoryApp().event("old", { timestamp: at(0) });
    const found = await told(app, [
      () => app.event("b", { timestamp: at(2) }).event("c", { timestamp: at(3) }),
      () => undefined,
      () => app.event("d", { timestamp: at(4) }),
    ]);
    expect(found).toEqual(["b", "c", "d"]);
  });

  test("gives each event once, even if more are recorded than are read at a time", async () => {
    const app = memoryApp();
    const add = (from: number, count: number) => () => {
      for (let n = from; n < from + count; n++) app.event(`e${n}`, { timestamp: at(n) });
    };
    const found = await told(app, [add(0, 1_300), add(1_300, 1), add(1_301, 700)]);
    expect(found).toEqual(Array.from({ length: 2_001 }, (_, n) => `e${n}`));
  });

  test("finds an event recorded with an earlier time, and none from before it began", async () => {
    const app = memoryApp().event("old", { timestamp: at(900) });
    for (let n = 0; n < 600; n++) app.event(`b${n}`, { timestamp: at(950) });
    const late = () => app.event("late", { timestamp: at(901) });
    expect(await told(app, [late, ...NAPS])).toEqual(["late"]);
  });

  test("filters by event code", async () => {
    const app = memoryApp();
    const deed = () => app.event("a", { event_code: "x" }).event("b", { event_code: "y" });
    expect(await told(app, [deed], { event_code: ["y"] })).toEqual(["b"]);
  });

  test.each([{ from: ["1h"] }, { to: ["1m"] }, { matched: ["yes"] }, { triggered: ["no"] }])(
    "refuses the filter %j",
    async (raw) => {
      await expect(told(memoryApp(), [], raw)).rejects.toThrow(/--follow/);
    },
  );
});
