/** The description of an app's store. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { storeReport } from "../../../src/services/components/store.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the store report", () => {
  it("shows the row counts of all components, its layout and its time span", async () => {
    const app = memoryApp()
      .invocation("a", {
        history: [
          [at(1), "registered"],
          [at(5), "success"],
        ],
      })
      .message("b");
    const found = await storeReport(app.opened);
    expect(found).toMatchObject({
      app_id: "shop",
      oldest_entry: isoFromEpoch(at(1)),
      newest_entry: isoFromEpoch(at(5)),
      writes_refused: null,
    });
    expect(new Set(found.figures.map((figure) => figure.component)).size).toBeGreaterThan(1);
    expect(found.figures.find((figure) => figure.name === "history")?.rows).toBe(2);
    expect(found.components.map((row) => row.component)).toEqual([
      "broker",
      "orchestrator",
      "state_backend",
      "client_data_store",
      "trigger",
    ]);
    expect(found.settings.map((row) => row.field)).toContain("max_pending_seconds");
  });

  it("has no time span without history entries", async () => {
    const found = await storeReport(memoryApp().opened);
    expect([found.oldest_entry, found.newest_entry]).toEqual([null, null]);
  });
});
