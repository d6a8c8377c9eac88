/** The parts that every preview of an action has. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { aliveRunners, refusalNow, total } from "../../../src/services/actions/action-preview.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

it("the total of a preview is the sum of its counts", () => {
  expect(total([{ rows: 2 }, { rows: 0 }, { rows: 40 }])).toBe(42);
  expect(total([])).toBe(0);
});

describe("the active runners in a preview", () => {
  const alive = (app: MemoryApp) => app.store.read((reads) => aliveRunners(app.opened, reads));

  it("are counted, and the latest five named, even without a context", async () => {
    const app = memoryApp({ now: at(600) })
      .runner("dead", { last: at(-1) })
      .heartbeat("nameless", { last_heartbeat: at(599) });
    for (let n = 0; n < 5; n++) app.runner(`r${n}`, { last: at(500 + n) });
    const found = await alive(app);
    expect(found.count).toBe(6);
    expect(found.runners.map((runner) => [runner.runner_id, runner.context_missing, runner.last_heartbeat])).toEqual([
      ["nameless", true, isoFromEpoch(at(599))],
      ["r4", false, isoFromEpoch(at(504))],
      ["r3", false, isoFromEpoch(at(503))],
      ["r2", false, isoFromEpoch(at(502))],
      ["r1", false, isoFromEpoch(at(501))],
    ]);
  });

  it("are zero if all runners are dead", async () => {
    const app = memoryApp({ now: at(6_000) }).runner("dead", { last: at(0) });
    expect(await alive(app)).toEqual({ takes_from: null, count: 0, runners: [] });
  });
});

describe("an action", () => {
  const refusal = (app: MemoryApp) => app.store.read((reads) => refusalNow(app.opened, reads));
  const file = { path: "/srv/shop.db", components: [], bytes: 1, log_bytes: null, journal_mode: null, modified: 0 };

  it("is allowed if nothing forbids it", async () => {
    const app = memoryApp().change((rows) => rows.files.push({ ...file, unwritable: null }));
    expect(await refusal(app)).toBeNull();
  });

  it("is refused by a read-only monitor, for an unknown layout, and for a file that is not writable", async () => {
    expect(await refusal(memoryApp({ readOnly: true }))).toMatch(/^This monitor is read-only/);
    const unknown = memoryApp({ capabilities: { writes_refused: "the table has new columns" } });
    expect(await refusal(unknown)).toBe("Actions are refused: the table has new columns.");
    const locked = memoryApp().change((rows) => rows.files.push({ ...file, unwritable: "/srv" }));
    expect(await refusal(locked)).toBe("This user may not write to /srv.");
  });
});
