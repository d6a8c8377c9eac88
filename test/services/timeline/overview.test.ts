/** The overview of everything that is stored, above a timeline of a small part of it. */
import { expect, test } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { overviewOf } from "../../../src/services/timeline/occupancy.ts";
import { readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { overviewGeometry } from "../../../src/timeline/occupancy.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** An invocation every ten minutes of four hours, each running for one. */
function busyApp(): MemoryApp {
  const app = memoryApp({ now: at(4 * 3_600) });
  for (let n = 0; n < 24; n++) {
    app.invocation(`i${n}`, {
      history: [
        [at(n * 600), "registered"],
        [at(n * 600 + 1), "running"],
        [at(n * 600 + 61), "success"],
      ],
    });
  }
  return app;
}

async function overview(app: MemoryApp, seconds: number, end = app.now) {
  const [from, to] = [end - seconds, end].map((one) => [isoFromEpoch(one)]);
  const loaded = await timeline(app.opened, await readTimelineInput(app.opened, { from, to }));
  return { loaded, found: await overviewOf(app.opened, loaded, loaded.options) };
}

test("a timeline of a small part of what is stored has an overview of all of it", async () => {
  const app = busyApp();
  const { loaded, found } = await overview(app, 1_800);
  expect(found?.totals.reduce<number>((sum, n) => sum + (n ?? 0), 0)).toBeGreaterThanOrEqual(24);
  const drawn = overviewGeometry(found, loaded, 1_000);
  expect(drawn?.overview?.start.slice(0, 16)).toBe(loaded.data_span?.first.slice(0, 16));
  // The window is the last half hour of nearly four hours.
  expect((drawn?.overview?.x ?? 0) + (drawn?.overview?.width ?? 0)).toBeCloseTo(1_000, 3);
  expect(drawn?.overview?.x).toBeGreaterThan(850);
  expect(drawn?.slices.length).toBeGreaterThan(5);
});

test("a timeline of most of what is stored has no overview", async () => {
  expect((await overview(busyApp(), 3 * 3_600)).found).toBeNull();
  expect((await overview(memoryApp(), 60)).found).toBeNull();
});

test("the window of an overview is wide enough to be seen, also at its end", async () => {
  for (const end of [at(4 * 3_600), at(2 * 3_600)]) {
    const { loaded, found } = await overview(busyApp(), 1, end);
    const { x = 0, width = 0 } = overviewGeometry(found, loaded, 1_000)?.overview ?? {};
    expect([x + width <= 1_000, width]).toEqual([true, 4]);
  }
});
