/** Verdicts from a part of the rows: their counts are lower bounds and say at least. */
import { expect, it } from "vitest";
import { furtherEvidence } from "../../../src/presentation/verdict-steps.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { FoundVerdict } from "../../../src/services/verdicts/verdicts.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(9_000);

async function verdictOf(app: MemoryApp, code: FoundVerdict["code"]): Promise<FoundVerdict | undefined> {
  return (await verdictsOf(app)).find((verdict) => verdict.code === code);
}

/** So many schedules that are late. */
function late(number: number): MemoryApp {
  const app = healthyApp({ now: NOW });
  for (let n = 0; n < number; n++) {
    const cron = { condition_type: "CronCondition", data: { cron_expression: "*/10 * * * *" } };
    app.condition(`ten${n}`, cron, at(0));
    app.trigger(`t${n}`, { task_id_key: `shop.t${n}`, condition_ids: [`ten${n}`] });
  }
  return app;
}

it("overdue schedules are looked for in the first two hundred triggers, and counted as at least so many if there are more", async () => {
  const some = await verdictOf(late(5), "schedule_overdue");
  expect(some?.sentence).toMatch(/^5 schedules overdue/);
  expect(some).not.toHaveProperty("count_capped");
  const many = await verdictOf(late(250), "schedule_overdue");
  expect(many?.sentence).toMatch(/^At least \d+ schedules overdue/);
  expect(many?.detail).toMatch(/And at least \d+ more schedules\./);
  expect(many?.count_capped).toBe(true);
});

/** So many conditions that were met, for which a trigger is ready. */
function met(number: number): MemoryApp {
  const app = healthyApp({ now: NOW });
  const condition = { condition_type: "EventCondition", data: { event_code: "paid", payload_filter: "" } };
  const id = "event#paid#static_no_args";
  app.condition(id, condition).trigger("ship", { task_id_key: "shop.ship", condition_ids: [id] });
  for (let n = 0; n < number; n++) {
    app.validCondition(`valid_condition_${id}_context_event_paid_e${n}`, {
      condition: JSON.stringify(condition),
      context: JSON.stringify({
        context_type: "EventContext",
        data: { event_id: `e${n}`, event_code: "paid", payload: {} },
        timestamp: isoFromEpoch(at(100)),
      }),
    });
  }
  return app;
}

it("conditions that started nothing are counted as at least fifty if there are more", async () => {
  const all = await verdictOf(met(50), "condition_not_claimed");
  expect([all?.sentence, all?.detail]).toEqual(["1 trigger overdue", expect.stringMatching(/^50 conditions are met/)]);
  const many = await verdictOf(met(51), "condition_not_claimed");
  expect(many).toMatchObject({ count: 50, count_capped: true });
  expect(many?.sentence).toBe("At least 1 trigger overdue");
  expect(many?.detail).toMatch(/^At least 50 conditions are met/);
});

/** So many messages without an invocation, in a queue with others. */
function stranded(number: number, others: number): MemoryApp {
  const app = memoryApp({ now: NOW });
  for (let n = 0; n < number; n++) app.message(`lost${n}`, at(0));
  for (let n = 0; n < others; n++) {
    app.invocation(`i${n}`, { history: [[at(1), "registered"]] }).message(`i${n}`, at(1));
  }
  return app;
}

it("messages without an invocation are counted as at least so many if a queue was not read to its end", async () => {
  const code = "message_without_invocation";
  expect((await verdictOf(stranded(2, 3), code))?.sentence).toMatch(/^2 messages in the queue/);
  expect((await verdictOf(stranded(2, 2_000), code))?.sentence).toMatch(/^At least 2 messages in the queue/);
});

it("invocations stuck in pending are counted as at least one hundred if there are more", async () => {
  const app = healthyApp({ now: NOW });
  const taken: readonly Step[] = [
    [at(0), "registered"],
    [at(1), "pending", "r1"],
  ];
  for (let n = 0; n < 120; n++) app.invocation(`p${n}`, { history: taken });
  const verdict = await verdictOf(app, "stuck_pending");
  expect(verdict).toMatchObject({ count: 100, count_capped: true });
  expect(verdict?.sentence).toMatch(/^At least 100 invocations picked up/);
  expect(verdict && furtherEvidence(verdict, 10)).toBe("and at least 90 more");
});

it("tasks that run much longer than before are counted as at least five if there are more", async () => {
  const slow = (tasks: number) => {
    const [day, hour] = [86_400, 3_600];
    const app = healthyApp({ now: at(2 * day) });
    const run = (id: string, task: string, begins: number, seconds: number) => {
      const history: readonly Step[] = [
        [begins, "registered"],
        [begins + 0.1, "pending", "r1"],
        [begins + 0.2, "running", "r1"],
        [begins + 0.2 + seconds, "success", "r1"],
      ];
      app.invocation(id, { task, history });
    };
    for (let task = 0; task < tasks; task++) {
      for (let n = 0; n < 60; n++) {
        run(`b${task}.${n}`, `shop.t${task}`, at(0) + n * 2_000, 2);
        run(`n${task}.${n}`, `shop.t${task}`, at(2 * day) - hour + 10 + n * 55, 14 + task);
      }
    }
    return app;
  };
  expect((await verdictOf(slow(5), "task_slower"))?.sentence).toMatch(
    /^5 tasks take several times as long as before: shop\.t4/,
  );
  const seven = await verdictOf(slow(7), "task_slower");
  expect(seven).toMatchObject({ count: 5, count_capped: true });
  // Those that have become slowest are examined.
  expect(seven?.sentence).toMatch(/^At least 5 tasks take several times as long as before: shop\.t6, shop\.t5/);
  expect(seven?.detail).toContain("And at least 2 more tasks.");
});
