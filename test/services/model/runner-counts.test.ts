/** How many runners there are: one count for every page, whatever part of the data is gone. */
import { describe, expect, it } from "vitest";
import { orchestratorOverview } from "../../../src/services/components/orchestrator.ts";
import { dashboard } from "../../../src/services/health/dashboard.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import { listRunners } from "../../../src/services/runners/runners.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** As each place tells them. */
async function told(app: MemoryApp): Promise<unknown[]> {
  const [{ overview }, { runners }, status, list] = await Promise.all([
    dashboard(app.opened),
    orchestratorOverview(app.opened),
    statusReport(app.opened),
    listRunners(app.opened, {}),
  ]);
  return [
    [overview.active_runners, overview.known_runners, overview.known_runners_capped],
    [runners.active, runners.known, runners.known_capped],
    [status.runners.active, status.runners.known, status.runners.known_capped],
    [list.active, list.known, list.known_capped],
  ];
}

const everywhere = (...counts: [active: number, known: number, capped: boolean]) => [counts, counts, counts, counts];

describe("known runners", () => {
  it("have a context, a heartbeat, or both, and count once", async () => {
    const app = memoryApp().context("client").runner("both").heartbeat("without a context").heartbeat("another");
    expect(await told(app)).toEqual(everywhere(3, 4, false));
    const list = await listRunners(app.opened, { show: ["all"] });
    expect(list.runners).toHaveLength(list.known);
  });

  it("do not include programs that only call tasks, however many there are", async () => {
    const app = memoryApp().runner("worker").context("stopped before its first heartbeat");
    for (const n of [1, 2, 3]) app.context(`ExternalRunner@web-${n}`, { runner_cls: "ExternalRunner" });
    expect(await told(app)).toEqual(everywhere(1, 2, false));
    expect((await listRunners(app.opened, {})).callers).toBe(3);
  });

  it("are those with a heartbeat if the contexts are gone, and never fewer than the active ones", async () => {
    const app = memoryApp();
    for (let n = 0; n < 7; n++) app.heartbeat(`r${n}`);
    app.heartbeat("dead", { last_heartbeat: at(-9_999) });
    expect(await told(app)).toEqual(everywhere(7, 8, false));
  });

  it("are those with a context if the heartbeats are gone", async () => {
    expect(await told(memoryApp().context("a").context("b"))).toEqual(everywhere(0, 2, false));
    expect(await told(memoryApp())).toEqual(everywhere(0, 0, false));
  });

  it("are counted as at least so many if there are too many heartbeats to compare", async () => {
    const app = memoryApp().context("client").context("r0");
    for (let n = 0; n < 2_000; n++) app.heartbeat(`r${n}`, { last_heartbeat: at(60 - n / 1_000) });
    expect(await told(app)).toEqual(everywhere(2_000, 2_001, false));
    app.heartbeat("one more", { last_heartbeat: at(-9_999) });
    expect(await told(app)).toEqual(everywhere(2_000, 2_001, true));
  });
});
