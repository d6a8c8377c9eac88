/** Which recorded waits are current, and where they are shown. */
import { describe, expect, it } from "vitest";
import { orchestratorOverview } from "../../../src/services/components/orchestrator.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { isWaiting } from "../../../src/services/model/waiting-edges.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const DONE = [
  [at(0), "registered"],
  [at(1), "success", "r1"],
] as const;
const RUNS = [[at(0), "running", "r1"]] as const;

describe("a recorded wait", () => {
  it.each([
    ["running", "registered", true],
    ["paused", "pending", true],
    ["running", "a newer word", true],
    ["running", "success", false],
    ["failed", "running", false],
    ["success", "concurrency_controlled_final", false],
    ["running", undefined, false],
    [undefined, "registered", false],
  ])("of %s for %s is current: %s", (waiter, waited, holds) => {
    const side = (status: string | undefined) => (status === undefined ? undefined : { status });
    expect(isWaiting(side(waiter), side(waited))).toBe(holds);
  });
});

/** `waiter` waits for `waited`; the other waits are left over, each for another reason. */
const world = () =>
  memoryApp()
    .invocation("waiter", { history: RUNS })
    .invocation("waited", { history: RUNS })
    .invocation("done", { history: DONE })
    .invocation("done too", { history: DONE })
    .invocation("forgotten", { history: RUNS, status: null })
    .edge("waiter", "waited")
    .edge("done", "done too")
    .edge("waiter", "done")
    .edge("done", "waited")
    .edge("waiter", "forgotten");

describe("recorded waits", () => {
  it("are counted apart from leftover ones", async () => {
    const overview = await orchestratorOverview(world().opened);
    const ids = (pairs: typeof overview.blocking) =>
      pairs.map(({ waiter, waited }) => [waiter.invocation_id, waited.invocation_id]);
    expect(ids(overview.blocking)).toEqual([["waiter", "waited"]]);
    expect(ids(overview.stale_blocking)).toEqual([
      ["waiter", "forgotten"],
      ["done", "waited"],
      ["waiter", "done"],
      ["done", "done too"],
    ]);
    expect([overview.blocking_count, overview.stale_blocking_count, overview.blocking_complete]).toEqual([1, 4, true]);
  });

  it("are split into current and leftover ones on the page of an invocation too", async () => {
    const app = world();
    const ids = async (id: string) => {
      const detail = await invocationDetail(app.opened, id);
      return [detail.waits_for, detail.waited_by, detail.stale_waits_for, detail.stale_waited_by].map((rows) =>
        rows.map((row) => row.invocation_id).sort(),
      );
    };
    expect(await ids("waiter")).toEqual([["waited"], [], ["done", "forgotten"], []]);
    expect(await ids("waited")).toEqual([[], ["waiter"], [], ["done"]]);
    expect(await ids("done")).toEqual([[], [], ["done too", "waited"], ["waiter"]]);
  });

  it("are counted up to 1,000 and shown up to 50, and the count says if it is incomplete", async () => {
    const app = memoryApp().invocation("waiter", { history: RUNS });
    for (let n = 0; n < 1_000; n++) app.invocation(`i${n}`, { history: n < 40 ? RUNS : DONE }).edge("waiter", `i${n}`);
    const counts = async () => {
      const { blocking, blocking_count, stale_blocking, ...rest } = await orchestratorOverview(app.opened);
      return [
        blocking.length,
        blocking_count,
        stale_blocking.length,
        rest.stale_blocking_count,
        rest.blocking_complete,
      ];
    };
    expect(await counts()).toEqual([40, 40, 50, 960, true]);
    app.edge("waiter", "one more");
    expect(await counts()).toEqual([39, 39, 50, 961, false]);
  });
});
