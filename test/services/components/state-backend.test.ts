/** What the state backend holds, and what the app wrote about itself. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { stateBackendOverview, storageFigures } from "../../../src/services/components/state-backend.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the state backend", () => {
  it("shows its row counts, its time span, and how many invocations the orchestrator has purged", async () => {
    const app = memoryApp()
      .invocation("a", {
        status: null,
        history: [
          [at(1), "registered"],
          [at(2), "success"],
        ],
      })
      .invocation("b", { history: [[at(9), "registered"]] });
    const found = await stateBackendOverview(app.opened);
    expect(found).toMatchObject({
      present: true,
      oldest_entry: isoFromEpoch(at(1)),
      newest_entry: isoFromEpoch(at(9)),
      totals: { invocations: 2, defined: 2, with_status: 1, forgotten: 1, complete: true },
      app_info: null,
    });
    expect(new Set(found.figures.map((figure) => figure.component))).toEqual(new Set(["state_backend"]));
    expect(found.figures.find((figure) => figure.name === "history")?.rows).toBe(3);
    expect((await storageFigures(app.opened)).length).toBeGreaterThan(found.figures.length);
  });

  it("has no time span without history entries", async () => {
    const found = await stateBackendOverview(memoryApp().opened);
    expect([found.oldest_entry, found.newest_entry, found.totals.defined]).toEqual([null, null, 0]);
  });

  it("shows the info that the app wrote about itself, without secrets", async () => {
    const app = memoryApp().appInfo({ config_values: { redis_url: "redis://u:hunter2@h/0", broker_cls: "X" } });
    const { app_info } = await stateBackendOverview(app.opened);
    expect(app_info).toMatchObject({ app_id: "shop", module: "shop.app" });
    expect(JSON.stringify(app_info)).not.toContain("hunter2");
    expect(JSON.stringify(app_info)).toContain('"broker_cls":"X"');
  });
});
