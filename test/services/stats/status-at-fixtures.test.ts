/** Counts at instants of runs of real pynenc programs, against their rows. */
import { afterAll, describe, expect, test } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { rollupsHere } from "../../../src/services/rollups/rollup-source.ts";
import { statusAt } from "../../../src/services/stats/status-at.ts";
import { connectStore } from "../../../src/stores/connect.ts";
import { copyFixture, FACTS, FIXTURE_NAMES, factsOf, presentOf, temporaryFolder } from "../../support/fixtures.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const APPS = FIXTURE_NAMES.flatMap((fixture) => Object.keys(FACTS[fixture]).map((app_id) => ({ fixture, app_id })));
const INSTANTS = 60;

describe.each(APPS)("$app_id in $fixture", ({ fixture, app_id }) => {
  test("has at 60 instants the counts of a replay of its rows", async () => {
    const path = copyFixture(fixture, folder.path);
    const now = () => presentOf(fixture) + 60;
    const store = await connectStore(
      { kind: "sqlite", path, components: new Map() },
      { threads: 0, lockWait: 1, readOnly: true },
    );
    const app = openedApp(store.app(app_id), memoryApp().opened.settings, now, {
      rollups: rollupsHere(store.app(app_id), now, undefined, () => 0),
    });
    const entries = await app.store.read((reads) => reads.state_backend.historyBetween({}, 100_000, "earliest"));
    const ordered = [...entries].sort((a, b) => a.timestamp - b.timestamp);
    const [from, to] = factsOf(fixture, app_id).window;
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let n = 0; n < INSTANTS; n++) {
      const instant = Math.round((from - 2 + random() * (to - from + 4)) * 1e6) / 1e6;
      const last = new Map<string, string>();
      for (const entry of ordered) if (entry.timestamp <= instant) last.set(entry.invocation_id, entry.status);
      const counts: Record<string, number> = {};
      for (const status of last.values()) counts[status] = (counts[status] ?? 0) + 1;
      const { statuses } = await statusAt(app, { at: [isoFromEpoch(instant)] });
      const found = Object.fromEntries(Object.entries(statuses ?? {}).filter(([, count]) => count !== 0));
      expect(found).toEqual(counts);
    }
    await store.close();
  });
});
