/** Valid conditions that are still stored, and the state of their triggers. */
import { parse } from "node-html-parser";
import { describe, expect, test } from "vitest";
import type { TriggerDetail } from "../../../src/api/triggers.ts";
import { conditionDetail } from "../../../src/services/triggers/conditions.ts";
import { eventDetail } from "../../../src/services/triggers/event-detail.ts";
import { listTriggers, triggerDetail } from "../../../src/services/triggers/triggers.ts";
import { validConditionDetail } from "../../../src/services/triggers/valid-conditions.ts";
import { presentOf } from "../../support/fixtures.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { monitorOf, sharedMonitor, testMonitor } from "../../support/monitor.ts";

/** An EventCondition, its id and a valid condition of it. */
const condition = (code: string) => ({
  condition_type: "EventCondition",
  data: { event_code: code, payload_filter: "" },
});
const idOf = (code: string) => `event#${code}#static_no_args`;
const validId = (code: string, event: string) => `valid_condition_${idOf(code)}_context_event_${code}_${event}`;

function met(app: MemoryApp, code: string, event: string, seconds: number): MemoryApp {
  const context = {
    context_type: "EventContext",
    data: { event_id: event, event_code: code, payload: {} },
    timestamp: new Date(at(seconds) * 1000).toISOString().replace("Z", "+00:00"),
  };
  return app.validCondition(validId(code, event), {
    condition: JSON.stringify(condition(code)),
    context: JSON.stringify(context),
  });
}

/** Triggers: `both` needs left and right, `either` one of them, `one` only left. A runner takes turns. */
function app(): MemoryApp {
  return memoryApp()
    .runner("r1")
    .condition(idOf("left"), condition("left"))
    .condition(idOf("right"), condition("right"))
    .trigger("both", { task_id_key: "shop.both", logic_value: "and", condition_ids: [idOf("left"), idOf("right")] })
    .trigger("either", { task_id_key: "shop.either", logic_value: "or", condition_ids: [idOf("left"), idOf("right")] })
    .trigger("one", { task_id_key: "shop.one", logic_value: "and", condition_ids: [idOf("left")] });
}

function ran(of: MemoryApp, trigger: string, code: string, event: string, seconds: number): MemoryApp {
  const participants = [{ event_id: event, condition_id: idOf(code), valid_condition_id: validId(code, event) }];
  return of.triggerRun(`run of ${trigger} at ${seconds}`, {
    trigger_id: trigger,
    executed_at: at(seconds),
    participants,
  });
}

async function waiting(of: MemoryApp): Promise<Record<string, TriggerDetail["waiting"]>> {
  const list = await listTriggers(of.opened, {});
  return Object.fromEntries(
    list.tasks.flatMap((task) => task.triggers.map((trigger) => [trigger.trigger_id, trigger.waiting])),
  );
}

const RIGHT = { condition_id: idOf("right"), sentence: "event right" };

describe("a trigger", () => {
  test("without a met condition is not waiting", async () => {
    expect(await waiting(app())).toEqual({ both: null, either: null, one: null });
    const detail = await triggerDetail(app().opened, "both");
    expect(detail).toMatchObject({ waiting: null, pending: { rows: [], total: 0, capped: false } });
    expect(detail.conditions.map((one) => one.met)).toEqual([false, false]);
  });

  test("of all conditions waits for the missing one; a trigger of any condition, or of a single one, is due", async () => {
    const left = met(app(), "left", "e1", 10);
    expect(await waiting(left)).toEqual({
      both: {
        state: "waiting",
        met: 1,
        of: 2,
        since: "2026-01-05T12:00:10.000000+00:00",
        missing: [RIGHT],
        missing_count: 1,
        sentence: "1 of its 2 conditions is met. It waits for: event right.",
      },
      either: expect.objectContaining({ state: "ready", met: 1, of: 2, missing: [] }),
      one: expect.objectContaining({ state: "ready", met: 1, of: 1, missing: [] }),
    });
    const detail = await triggerDetail(left.opened, "both");
    expect(detail.conditions.map((one) => [one.condition_id, one.met])).toEqual([
      [idOf("left"), true],
      [idOf("right"), false],
    ]);
    expect(detail.pending).toMatchObject({
      total: 1,
      rows: [
        {
          condition_id: idOf("left"),
          sentence: "event left",
          met_at: "2026-01-05T12:00:10.000000+00:00",
          cause: { kind: "event", event_id: "e1", event_code: "left" },
          triggers: [
            { trigger_id: "both", state: "waiting", missing: [RIGHT] },
            { trigger_id: "either", state: "ready", missing: [] },
            { trigger_id: "one", state: "ready", missing: [] },
          ],
        },
      ],
    });
  });

  test("is due with one met condition whether its logic is stored as OR or as or", async () => {
    const capital = app().trigger("capital", {
      task_id_key: "shop.capital",
      logic_value: "OR",
      condition_ids: [idOf("left"), idOf("right")],
    });
    const { either, capital: found } = await waiting(met(capital, "left", "e1", 10));
    expect(found).toEqual(either);
    expect(found?.state).toBe("ready");
  });

  test("is due once all its conditions are met, and says if no active runner takes turns in the atomic service", async () => {
    const whole = () => met(met(app(), "left", "e1", 10), "right", "e2", 20);
    const { both, either, one } = await waiting(whole());
    expect([both?.state, both?.met, both?.since]).toEqual(["ready", 2, "2026-01-05T12:00:10.000000+00:00"]);
    expect(both?.sentence).toBe(
      "Both of its conditions are met: it starts its task at the next run of the atomic service.",
    );
    expect(either?.sentence).toContain("2 of its 2 conditions are met, and one is enough: it starts its task");
    expect(one?.sentence).toBe("Its condition is met: it starts its task at the next run of the atomic service.");
    for (const change of [
      (of: MemoryApp) => of.change((rows) => void rows.heartbeats.splice(0)),
      (of: MemoryApp) =>
        of.change((rows) => Object.assign(rows.heartbeats[0] ?? {}, { allow_to_run_atomic_service: false })),
    ]) {
      expect((await waiting(change(whole()))).one?.sentence).toBe(
        "Its condition is met, but no active runner runs the atomic service, which would start it.",
      );
    }
  });

  test("that has run for a stored valid condition is not waiting for it any more, while other triggers still are", async () => {
    const left = ran(met(app(), "left", "e1", 10), "one", "left", "e1", 11);
    const { both, one } = await waiting(left);
    expect([both?.state, one]).toEqual(["waiting", null]);
    const detail = await triggerDetail(left.opened, "one");
    expect(detail.pending.rows[0]?.triggers.map(({ trigger_id, state }) => [trigger_id, state])).toEqual([
      ["both", "waiting"],
      ["either", "ready"],
      ["one", "ran"],
    ]);
  });

  test("is still due if its run is older than the condition, as that run was for an earlier failure with the same id", async () => {
    const early = ran(met(app(), "left", "e1", 10), "one", "left", "e1", 9);
    expect((await waiting(early)).one?.state).toBe("ready");
  });

  test("names the first five missing conditions, and how many more there are", async () => {
    const waiting = async (needed: number) => {
      const codes = Array.from({ length: needed }, (_, n) => `c${n}`);
      const many = memoryApp()
        .runner("r1")
        .trigger("all", { logic_value: "and", condition_ids: codes.map(idOf) });
      // The last of them is not registered.
      for (const code of codes.slice(0, -1)) many.condition(idOf(code), condition(code));
      return (await triggerDetail(met(many, "c0", "e", 1).opened, "all")).waiting;
    };
    const six = await waiting(6);
    expect(six).toMatchObject({ state: "waiting", met: 1, of: 6, missing_count: 5 });
    expect(six?.missing.map((one) => one.condition_id)).toEqual([1, 2, 3, 4, 5].map((n) => idOf(`c${n}`)));
    expect(six?.sentence).toMatch(
      /^1 of its 6 .*: event c1; event c2; event c3; event c4; event#c5#.* \(not registered\)\.$/,
    );
    const eight = await waiting(8);
    expect([eight?.missing.length, eight?.missing_count]).toEqual([5, 7]);
    expect(eight?.sentence).toMatch(/; event c5; 2 more\.$/);
  });

  test("gives the time since when it waits only if all of its pending conditions were read", async () => {
    const many = app();
    for (let n = 0; n < 3; n++) met(many, "left", `e${n}`, 30 - n);
    expect((await waiting(many)).one?.since).toBe("2026-01-05T12:00:28.000000+00:00");
    met(many, "left", "e3", 5);
    expect((await waiting(many)).one).toMatchObject({ state: "ready", since: null });
    const list = await listTriggers(many.opened, {});
    expect(list.pending).toMatchObject({ total: 4, capped: false });
    expect(list.pending.rows).toHaveLength(4);
    // The latest written first.
    expect(list.pending.rows[0]?.cause?.event_id).toBe("e3");
  });
});

describe("a valid condition", () => {
  test("without a trigger, or with an unreadable id, is shown as far as it is known", async () => {
    const odd = memoryApp()
      .condition(idOf("left"), condition("left"))
      .validCondition(validId("left", "e1"), "not what pynenc writes")
      .validCondition("nothing of ours");
    const { pending } = await listTriggers(odd.opened, {});
    expect(pending.rows).toMatchObject([
      {
        valid_condition_id: "nothing of ours",
        condition_id: null,
        sentence: null,
        met_at: null,
        cause: null,
        triggers: [],
      },
      { condition_id: idOf("left"), sentence: "event left", met_at: null, cause: null, triggers: [] },
    ]);
  });

  test("is found under its own condition, not under one whose id begins with the same text", async () => {
    const code = "left_context_event_left";
    const alike = app()
      .condition(idOf(code), condition(code))
      .trigger("alike", { task_id_key: "shop.alike", condition_ids: [idOf(code)] });
    const { pending } = await listTriggers(met(alike, code, "e9", 1).opened, {});
    expect(pending.rows).toMatchObject([{ condition_id: idOf(code), triggers: [{ trigger_id: "alike" }] }]);
  });

  test("lists at most ten of its triggers, and says if there are more", async () => {
    const shown = async (triggers: number) => {
      const many = memoryApp().condition(idOf("left"), condition("left"));
      for (let n = 0; n < triggers; n++) many.trigger(`t${n}`, { condition_ids: [idOf("left")] });
      const raw = { valid_condition_id: [validId("left", "e")] };
      const detail = await validConditionDetail(met(many, "left", "e", 1).opened, raw);
      return [detail.triggers.length, detail.triggers_truncated];
    };
    expect(await shown(10)).toEqual([10, false]);
    expect(await shown(11)).toEqual([10, true]);
  });

  test("has a page with the state of each of its triggers, and is listed on the page of its condition", async () => {
    const left = met(app(), "left", "e1", 10).event("e1", { event_code: "left" });
    const detail = await validConditionDetail(left.opened, { valid_condition_id: [validId("left", "e1")] });
    expect(detail).toMatchObject({ condition: { condition_id: idOf("left"), registered: true }, event_stored: true });
    expect(detail.triggers.map(({ trigger_id, state }) => [trigger_id, state])).toEqual([
      ["both", "waiting"],
      ["either", "ready"],
      ["one", "ready"],
    ]);
    const ofCondition = await conditionDetail(left.opened, { condition_id: [idOf("left")] });
    expect(ofCondition.pending).toMatchObject({ total: 1, rows: [{ cause: { event_id: "e1" } }] });
    expect((await conditionDetail(left.opened, { condition_id: [idOf("right")] })).pending.rows).toEqual([]);
  });

  test("is listed on the page of the event that met it", async () => {
    const left = met(app(), "left", "e1", 10).event("e1", {
      event_code: "left",
      matched_condition_ids: [idOf("left"), idOf("right")],
      valid_condition_ids: [validId("left", "e1"), "gone"],
    });
    const { pending, conditions, triggered } = await eventDetail(left.opened, "e1");
    expect(triggered).toBe(false);
    expect(pending.map((row) => row.valid_condition_id)).toEqual([validId("left", "e1")]);
    expect(conditions.map((row) => row.valid_condition_retained)).toEqual([true, false]);
  });
});

describe("while the store is still being searched for pending conditions", () => {
  /** As a Redis server that has just been opened. */
  function looking(): MemoryApp {
    const left = met(app(), "left", "e1", 10);
    const read = left.store.read.bind(left.store);
    left.store.read = (fn) =>
      read((reads) => {
        const nothing = async () => null;
        const trigger = Object.assign(Object.create(reads.trigger), {
          listValidConditions: nothing,
          validConditionsOf: nothing,
          countValidConditionsOf: nothing,
        });
        return fn({ ...reads, trigger });
      });
    return left;
  }

  test("no condition is reported as met or unmet", async () => {
    const list = await listTriggers(looking().opened, {});
    expect(list.pending).toEqual({ rows: [], total: null, capped: false });
    const detail = await triggerDetail(looking().opened, "both");
    expect([detail.waiting, detail.conditions.map((one) => one.met)]).toEqual([null, [null, null]]);
    const valid = await validConditionDetail(looking().opened, { valid_condition_id: [validId("left", "e1")] });
    expect(valid.triggers.map(({ trigger_id, state }) => [trigger_id, state])).toEqual([
      ["both", "unknown"],
      ["either", "ready"],
      ["one", "ready"],
    ]);
  });
});

describe("pending_triggers.db", () => {
  const BOTH = "c5bb887f87d3834375b2997853254e7ffbbcce82c31ae3ada4dba0f6461ff161";
  const LEFT_EVENT = "5fff5280-fd36-4e16-8c16-bfa912993cb2";
  const BIG_ORDER = "6dc197b4-a55e-4bc6-9bbf-616c09d81171";
  const monitor = sharedMonitor(() => monitorOf("pending_triggers.db"));

  test("has three pending conditions: half of a pair, and two whose triggers are due", async () => {
    const list = await listTriggers(await monitor.workspace.open(), {});
    expect(list.pending.total).toBe(3);
    expect(
      list.pending.rows
        .map(({ sentence, cause, triggers }) => [
          sentence,
          cause?.event_id,
          triggers.map((trigger) => [
            trigger.task_id_key,
            trigger.state,
            ...trigger.missing.map((one) => one.sentence),
          ]),
        ])
        .sort(),
    ).toEqual([
      ["event and.left", LEFT_EVENT, [["tasks.on_both", "waiting", "event and.right"]]],
      ["event order.created accepted by tasks._is_big", BIG_ORDER, [["tasks.on_big_order", "ready"]]],
      ["event order.created", BIG_ORDER, [["tasks.on_order", "ready"]]],
    ]);
  });

  test("shows for the trigger of both conditions which one is met, since when and by which event", async () => {
    const opened = await monitor.workspace.open();
    const detail = await triggerDetail(opened, BOTH);
    expect(detail.waiting).toMatchObject({
      state: "waiting",
      met: 1,
      of: 2,
      since: "2026-11-21T00:46:51.595783+00:00",
      sentence: "1 of its 2 conditions is met. It waits for: event and.right.",
    });
    expect(detail.conditions.map((one) => [one.sentence, one.met])).toEqual([
      ["event and.left", true],
      ["event and.right", false],
    ]);
    const page = await monitor.text(`/triggers/${BOTH}`);
    expect(page).toContain("1 of its 2 conditions is met. It waits for: event and.right.");
    expect(page).toContain(`href="/events/${LEFT_EVENT}"`);
    expect(page).not.toContain("not met yet");
  });

  test("shows on the event that a trigger is waiting, and not on an event whose triggers ran", async () => {
    const left = await monitor.text(`/events/${LEFT_EVENT}`);
    expect(left).toContain("It met a condition of a trigger that has not run yet");
    expect(left).toContain("a trigger is waiting");
    const big = parse(await monitor.text(`/events/${BIG_ORDER}`)).querySelector("main")?.text;
    expect(big?.match(/starts at the next run of the atomic service/g)).toHaveLength(2);
    const handled = await monitor.text("/events/f732fa60-7269-4726-ad50-65f427ca06a6");
    expect(handled).not.toMatch(/a trigger is waiting|Nothing yet/);
    const nobody = await monitor.text("/events/6c439178-f28d-4e08-89fb-7393f8076a3c");
    expect(nobody).toContain("No registered trigger listens to ");
  });

  test("shows a day later, when its runner is gone, that no active runner would run the due triggers", async () => {
    const later = await testMonitor(
      monitorOf("pending_triggers.db", "in process", {
        now: presentOf("pending_triggers.db") + 86_400,
      }),
    );
    const { tasks } = await listTriggers(await later.workspace.open(), {});
    const order = tasks.find((task) => task.task_id_key === "tasks.on_order")?.triggers[0];
    expect(order?.waiting?.sentence).toContain("but no active runner runs the atomic service");
  });

  test("links from the list of triggers to the pending conditions, and marks the triggers", async () => {
    const page = await monitor.text("/triggers/");
    expect(page).toContain("Waiting (3)");
    expect(page).toContain("1 of 2 met");
    expect(page).toContain(">due<");
    expect(page).not.toMatch(/1 of 1 met|Valid condition/);
    const condition = await monitor.text(
      `/trigger-runs/condition?condition_id=${encodeURIComponent(idOf("and.left"))}`,
    );
    expect(condition).toContain("Met conditions still stored (1)");
  });
});
