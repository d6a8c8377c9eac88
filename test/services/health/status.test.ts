/** The state of an app in one small document. */
import { describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { statusReport } from "../../../src/services/health/status.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const report = (app: MemoryApp) => statusReport(app.opened);

/** The same app while its broker is away. */
function withoutBroker(app: OpenedApp): OpenedApp {
  const away = () => Promise.reject(new StoreUnreachableError("timeout", "The broker is away."));
  const broker = { layout: away, countMessages: away, queues: away, peekMessages: async () => [] };
  const read = <T>(fn: (reads: AppReads) => Promise<T>) =>
    app.store.read((reads) => fn({ ...reads, broker: broker as unknown as AppReads["broker"] }));
  return { ...app, store: Object.create(app.store, { read: { value: read } }) as OpenedApp["store"] };
}

describe("the status of an app", () => {
  it("names its app, its store and its time", async () => {
    expect(await report(memoryApp({ app_id: "shop", now: at(90) }))).toMatchObject({
      app_id: "shop",
      location: "memory",
      layout: { label: "0.3.0 to 0.3.1", gaps: [] },
      as_of: "2026-01-05T12:01:30.000000+00:00",
    });
  });

  it("counts invocations by status: zeros and purged invocations too, unknown words last", async () => {
    const app = memoryApp()
      .invocation("a", { history: [[at(1), "failed"]] })
      .invocation("b", { status: null, history: [[at(1), "failed"]] })
      .invocation("c", { history: [[at(1), "napping"]] });
    const { invocations, forgotten_invocations, invocations_complete, statuses } = await report(app);
    expect([invocations, forgotten_invocations, invocations_complete]).toEqual([3, 1, true]);
    expect(statuses).toMatchObject({ registered: 0, success: 0, failed: 2, napping: 1 });
    expect(Object.keys(statuses)).toHaveLength(14);
    expect(Object.keys(statuses).at(-1)).toBe("napping");
  });

  it("gives the length of the queue, and since when its oldest message waits", async () => {
    const app = memoryApp({ now: at(60) })
      .message("a", at(20))
      .message("b", at(50));
    expect((await report(app)).queue).toEqual({
      messages: 2,
      waiting: 2,
      oldest_queued_at: "2026-01-05T12:00:20.000000+00:00",
      oldest_seconds: 40,
    });
    expect((await report(memoryApp())).queue).toEqual({
      messages: 0,
      waiting: 0,
      oldest_queued_at: null,
      oldest_seconds: null,
    });
    const undated = memoryApp().message("a", null);
    expect((await report(undated)).queue).toEqual({
      messages: 1,
      waiting: 1,
      oldest_queued_at: null,
      oldest_seconds: null,
    });
  });

  it("has everything else while the broker is unreachable", async () => {
    const app = memoryApp().invocation("a").runner("r1");
    expect(await statusReport(withoutBroker(app.opened))).toMatchObject({
      invocations: 1,
      queue: { messages: null, waiting: null, oldest_queued_at: null, oldest_seconds: null },
      runners: { active: 1 },
    });
  });

  it("counts runners, and events if the layout has them", async () => {
    const app = memoryApp()
      .runner("r1")
      .runner("dead", { last: at(-9_999) })
      .event("e", { matched_condition_ids: ["c"] });
    expect(await report(app)).toMatchObject({ runners: { active: 1, known: 2 }, events: { recorded: 1, matched: 1 } });
    expect((await report(memoryApp({ capabilities: { events: false } }))).events).toBeNull();
  });

  it("lists the verdicts", async () => {
    const app = memoryApp().invocation("a").message("a");
    expect((await report(app)).verdicts.map(({ code }) => code)).toEqual(["unconsumed_queue"]);
    expect((await report(memoryApp())).verdicts).toEqual([]);
  });
});

it("the status counts the messages of all queues, including those that are not listed", async () => {
  const app = memoryApp({ queue_layout: { named: true } });
  for (let n = 0; n < 300; n++) app.message(`m${n}`, at(0), { queue: `q${n}` });
  const { queue, queues, more_queues } = await report(app);
  expect([queue.waiting, queues.length, more_queues]).toEqual([300, 200, 101]);
});
