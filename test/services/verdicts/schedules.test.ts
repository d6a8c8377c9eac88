/** Schedules that are late, and conditions that were met and started nothing. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf, withRecovery } from "../../support/verdicts.ts";

/** Every ten minutes, last met at the start: due at 600 s, and late after three turns of five minutes. */
function nightly(app: MemoryApp, last: number | null = at(0)): MemoryApp {
  return app
    .condition("ten", { condition_type: "CronCondition", data: { cron_expression: "*/10 * * * *" } }, last)
    .trigger("report", { task_id_key: "shop.report", condition_ids: ["ten"] });
}

describe("a schedule", () => {
  it("is overdue if it was due more than three cycles ago and has not fired since", async () => {
    const [verdict, ...others] = await verdictsOf(nightly(healthyApp({ now: at(1_501) })));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "schedule_overdue",
      severity: "warning",
      sentence: "1 schedule overdue",
      since: isoFromEpoch(at(600)),
      evidence: [
        { kind: "condition", id: "ten", role: null },
        { kind: "task", id: "shop.report", role: "not started" },
      ],
    });
    expect(verdict?.detail).toContain("Every 10 minutes (shop.report): due 2026-01-05 12:10:00 UTC");
    expect(await codesOf(nightly(healthyApp({ now: at(1_500) })))).toEqual([]);
    expect(await codesOf(nightly(healthyApp({ now: at(1_501) }), at(600)))).toEqual([]);
  });

  it("is not overdue before its min_interval_seconds, and then not before its next scheduled minute", async () => {
    const ten = (seconds: number, data: Record<string, unknown>) =>
      codesOf(
        healthyApp({ now: at(seconds) })
          .condition(
            "ten",
            { condition_type: "CronCondition", data: { cron_expression: "*/10 * * * *", ...data } },
            at(590),
          )
          .trigger("report", { task_id_key: "shop.report", condition_ids: ["ten"] }),
      );
    // Due at 640 s by default: 50 s after it came true, in the minute of the time at 600 s.
    expect(await ten(1_540, {})).toEqual([]);
    expect(await ten(1_541, {})).toEqual(["schedule_overdue"]);
    expect(await ten(1_540, { min_interval_seconds: 0 })).toEqual(["schedule_overdue"]);
    // After the minute of the time at 600 s it waits for the one at 1,200 s.
    expect(await ten(2_100, { min_interval_seconds: 71 })).toEqual([]);
    expect(await ten(2_101, { min_interval_seconds: 71 })).toEqual(["schedule_overdue"]);
    expect(await ten(2_100, { strict_timing: true })).toEqual([]);
  });

  it("is not overdue if it has never fired, or needs another condition too", async () => {
    expect(await codesOf(nightly(healthyApp({ now: at(9_000) }), null))).toEqual([]);
    const both = healthyApp({ now: at(9_000) })
      .condition("ten", { condition_type: "CronCondition", data: { cron_expression: "*/10 * * * *" } }, at(0))
      .trigger("report", { logic_value: "and", condition_ids: ["ten", "other"] });
    expect(await codesOf(both)).toEqual([]);
  });

  it("is not overdue for the time without a runner in the atomic service", async () => {
    const now = at(9_000);
    const started = (created: number) => nightly(withRecovery(memoryApp({ now })).runner("r1", { created, last: now }));
    expect(await codesOf(started(at(8_100)))).toEqual([]);
    expect(await codesOf(started(at(8_099)))).toEqual(["schedule_overdue"]);
    expect(await codesOf(nightly(withRecovery(memoryApp({ now }))))).toEqual([]);
  });

  it("has no verdict of its own if a service run blocks all others", async () => {
    const app = nightly(healthyApp({ now: at(9_000) })).execution("blocking", {
      start_time: at(100),
      end_time: null,
      status: "running",
    });
    expect(await codesOf(app)).toEqual(["stuck_atomic_service"]);
  });
});

describe("a valid condition", () => {
  const EVENT = { condition_type: "EventCondition", data: { event_code: "paid", payload_filter: "" } };
  const ID = "event#paid#static_no_args";

  const metAt = (app: MemoryApp, seconds: number, timestamp = isoFromEpoch(at(seconds))) =>
    app.condition(ID, EVENT).validCondition(`valid_condition_${ID}_context_event_paid_e1`, {
      condition: JSON.stringify(EVENT),
      context: JSON.stringify({
        context_type: "EventContext",
        data: { event_id: "e1", event_code: "paid", payload: {} },
        timestamp,
      }),
    });

  const ship = (app: MemoryApp) => app.trigger("ship", { task_id_key: "shop.ship", condition_ids: [ID] });

  it("has a verdict if it did not start its trigger within three cycles of the atomic service", async () => {
    const [verdict, ...others] = await verdictsOf(ship(metAt(healthyApp({ now: at(1_001) }), 100)));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "condition_not_claimed",
      sentence: "1 trigger overdue",
      since: isoFromEpoch(at(100)),
    });
    expect(verdict?.evidence.map(({ kind }) => kind)).toEqual(["valid_condition", "trigger"]);
    expect(verdict?.detail).toContain(
      "1 condition is met, but not yet used to start shop.ship. 1 active runner takes turns",
    );
    expect(await codesOf(ship(metAt(healthyApp({ now: at(1_000) }), 100)))).toEqual([]);
  });

  it("has no verdict if its trigger waits for another condition, has run, or is not registered", async () => {
    const half = metAt(healthyApp({ now: at(9_000) }), 100)
      .condition("other", EVENT)
      .trigger("ship", { logic_value: "and", condition_ids: [ID, "other"] });
    expect(await codesOf(half)).toEqual([]);
    expect(await codesOf(metAt(healthyApp({ now: at(9_000) }), 100))).toEqual([]);
    const ran = ship(metAt(healthyApp({ now: at(9_000) }), 100)).triggerRun("run", {
      trigger_id: "ship",
      executed_at: at(200),
      participants: [
        { event_id: "e1", condition_id: ID, valid_condition_id: `valid_condition_${ID}_context_event_paid_e1` },
      ],
    });
    expect(await codesOf(ran)).toEqual([]);
  });

  it("has no verdict without a runner that takes turns, or with a time without a zone", async () => {
    expect(await codesOf(ship(metAt(withRecovery(memoryApp({ now: at(9_000) })), 100)))).toEqual([]);
    const local = ship(metAt(healthyApp({ now: at(9_000) }), 100, "2026-01-05T12:01:40.000000"));
    expect(await codesOf(local)).toEqual([]);
  });
});
