/** Trigger runs: lists, and what is said where what took part is gone. */
import { describe, expect, it } from "vitest";
import { listTriggerRuns } from "../../src/services/trigger-runs.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

describe("the total of a list of trigger runs", () => {
  it("is exact without a filter; with one it is a lower bound where counting stopped, and exact below that", async () => {
    const app = memoryApp();
    for (let n = 0; n < 9_999; n++) app.triggerRun(`run ${n}`, { executed_at: at(n) });
    const page = async (raw: Record<string, string[]>) => (await listTriggerRuns(app.opened, raw)).page;
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 9_999, total_capped: false });
    app.triggerRun("one").triggerRun("two");
    expect(await page({ trigger: ["t1"] })).toMatchObject({ total: 10_000, total_capped: true });
    expect(await page({})).toMatchObject({ total: 10_001, total_capped: false });
    expect(await page({ trigger: ["t2"] })).toMatchObject({ total: 0, total_capped: false });
  });

  it("is not known where the layout records no runs", async () => {
    const app = memoryApp({ capabilities: { events: false } });
    const list = await listTriggerRuns(app.opened, {});
    expect([list.events_recorded, list.page.total, list.trigger_runs]).toEqual([false, null, []]);
  });
});
