/** What waited at instants of the past, against a replay of all rows. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { WAITING_STATUSES } from "../../../src/pynenc/statuses.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { queuePage } from "../../../src/services/components/broker.ts";
import { statusAt } from "../../../src/services/stats/status-at.ts";
import { cases } from "../../support/cases.ts";
import { live, lives } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const SPAN = 3_600;

const asked = (instant: number) => ({ at: [isoFromEpoch(instant)], limit: ["1000"] });
const ids = ({ messages }: { messages: readonly { invocation_id: string }[] }) =>
  messages.map((row) => row.invocation_id);

/** Those whose last status until then is one in which a runner may take them. */
function replayed(app: MemoryApp, instant: number): string[] {
  const history = app.rows((rows) => [...rows.history]).filter(({ timestamp }) => timestamp <= instant);
  const last = new Map(history.sort((a, b) => a.timestamp - b.timestamp).map((one) => [one.invocation_id, one.status]));
  return [...last].flatMap(([id, status]) => (WAITING_STATUSES.includes(status) ? [id] : [])).sort();
}

describe("the queue at a past instant", () => {
  test("has exactly the invocations that a runner could have taken, and as many as the counts by status", async () => {
    await fc.assert(
      fc.asyncProperty(
        lives(25, SPAN),
        fc.array(fc.double({ min: 0, max: SPAN + 900, noNaN: true }), { minLength: 1, maxLength: 6 }),
        async (all, some) => {
          const app = live(memoryApp({ now: at(SPAN + 900) }), all);
          for (const instant of some.map((one) => Math.round(at(one) * 1e6) / 1e6)) {
            const then = await queuePage(app.opened, asked(instant));
            const expected = replayed(app, instant);
            expect(ids(then).sort()).toEqual(expected);
            const { statuses } = await statusAt(app.opened, { at: [isoFromEpoch(instant)] });
            const counts = WAITING_STATUSES.reduce((sum, status) => sum + (statuses?.[status] ?? 0), 0);
            if (then.queues_complete) expect([then.page.total, then.page.total_capped]).toEqual([counts, false]);
            else expect(counts).toBe(0);
          }
        },
      ),
      { numRuns: cases(80) },
    );
  });

  it("lists the longest wait first, with the status and the time of waiting of then", async () => {
    const app = memoryApp({ now: at(100) })
      .invocation("late", {
        history: [
          [at(20), "registered"],
          [at(50), "pending"],
          [at(60), "success"],
        ],
      })
      .invocation("again", {
        history: [
          [at(1), "registered"],
          [at(2), "pending"],
          [at(3), "running"],
          [at(30), "retry"],
        ],
      })
      .invocation("early", { history: [[at(10), "registered"]] })
      .invocation("taken", {
        history: [
          [at(5), "registered"],
          [at(35), "pending"],
        ],
      });
    const { at: then, messages, page, queue_note } = await queuePage(app.opened, asked(at(40)));
    expect([then, page.total, queue_note]).toEqual([
      isoFromEpoch(at(40)),
      3,
      "From the history, the longest wait first.",
    ]);
    expect(messages.map((row) => [row.invocation_id, row.status, row.queued_seconds, row.place])).toEqual([
      ["early", "registered", 30, 1],
      ["late", "registered", 20, 2],
      ["again", "retry", 10, 3],
    ]);
  });

  it("is at least what is known where a purge removed the beginning of histories", async () => {
    const app = memoryApp({ now: at(100) })
      .invocation("kept", { history: [[at(10), "registered"]] })
      .invocation("only later", { history: [[at(60), "pending"]] })
      .invocation("only a status", { history: [[at(5), "registered"]] })
      .change((rows) => {
        rows.history = rows.history.filter((entry) => entry.invocation_id !== "only a status");
      });
    const then = await queuePage({ ...app.opened, rollups: null }, asked(at(40)));
    expect([ids(then), then.queues_complete, then.page.total_capped]).toEqual([["only a status", "kept"], false, true]);
    expect(then.queue_note).toContain("At least these waited");
  });

  it("is not known before the first status change that is stored", async () => {
    const app = memoryApp({ now: at(100) }).invocation("a", { history: [[at(50), "registered"]] });
    const then = await queuePage(app.opened, asked(at(40)));
    expect([then.messages, then.queues_complete, then.page.total_capped]).toEqual([[], false, true]);
    expect(then.queue_note).toContain("What waited is not known");
  });

  it("finds in a long queue those that were taken next, and counts the others", async () => {
    const app = memoryApp({ now: at(90_000) })
      .invocations(6_000, (n) => ({
        history: [
          [at(n), "registered"],
          [at(10_000 + n), "pending"],
          [at(20_000 + n), "running"],
        ],
      }))
      .inOrder();
    const then = await queuePage(app.opened, { at: [isoFromEpoch(at(9_000))] });
    expect([then.page.total, then.page.total_capped, ids(then).slice(0, 3)]).toEqual([
      6_000,
      false,
      ["i0", "i1", "i2"],
    ]);
    expect(then.queue_note).toMatch(/1,999 more invocations waited\. Only 2,000 status changes/);
  });

  it("refuses the name of a queue, which is not stored, and instants to come", async () => {
    const app = memoryApp({ now: at(100) }).invocations(1);
    const both = queuePage(app.opened, { ...asked(at(40)), queue: ["mail"] });
    await expect(both).rejects.toThrow(InvalidInputError);
    await expect(queuePage(app.opened, asked(at(140)))).rejects.toThrow(InvalidInputError);
  });
});
