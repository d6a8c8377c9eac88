/** How often a failure happened and since when, as shown for a failed invocation. */
import { expect, it } from "vitest";
import type { RollupReads } from "../../../src/rollups/reads.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { why } from "../../../src/services/why/why.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const DAY = 86_400;

const failed = (begins: number): readonly Step[] => [
  [at(begins), "registered"],
  [at(begins + 1), "pending", "r1"],
  [at(begins + 2), "running", "r1"],
  [at(begins + 3), "failed", "r1"],
];

/** Three declined cards on three days, and a failure of its own kind of each of two tasks. */
function shop(): MemoryApp {
  const app = memoryApp({ now: at(3 * DAY) });
  for (const day of [0, 1, 2]) {
    const exception = storedException("CardDeclined", `card of order O-${day} declined`);
    app.invocation(`card${day}`, { history: failed(day * DAY), exception });
  }
  return app
    .invocation("other", { history: failed(50), exception: storedException("CardDeclined", "no such card") })
    .invocation("mail", {
      task: "mail.send",
      history: failed(60),
      exception: storedException("CardDeclined", "card of order O-9 declined"),
    })
    .invocation("unstored", { history: failed(70) });
}

const detailsOf = async (app: MemoryApp, id: string) => (await invocationDetail(app.opened, id)).answer?.details;

/** The app with this answer in place of what has been read of its failures. */
function withFailures(app: MemoryApp, answer: (rollups: RollupReads) => RollupReads["failures"]): MemoryApp {
  const { rollups } = app.opened;
  if (rollups === null) throw new Error("without figures over time");
  Object.assign(app.opened, { rollups: { ...rollups, failures: answer(rollups) } });
  return app;
}

it("a failed invocation has the number of similar failures of its task, and the time of the first", async () => {
  const words = "One of 3 stored failures of shop.pay like this, the first at 2026-01-05 12:00:03 UTC.";
  for (const id of ["card0", "card1", "card2"]) expect(await detailsOf(shop(), id)).toEqual([words]);
  const { verdict } = await why(shop().opened, { id: ["card1"] });
  expect(verdict).toMatchObject({ code: "failed", detail: `It was not retried. ${words}` });
});

it("the only failure of its kind is called the only one", async () => {
  const only = (task: string) => `No other failure of ${task} has this exception and message.`;
  expect(await detailsOf(shop(), "other")).toEqual([only("shop.pay")]);
  expect(await detailsOf(shop(), "mail")).toEqual([only("mail.send")]);
});

it("a failure without a stored exception has no number of similar failures", async () => {
  expect(await detailsOf(shop(), "unstored")).toEqual([]);
});

it("the figures of an incompletely read history say that older history has not been read yet", async () => {
  const unread = () =>
    withFailures(shop(), (rollups) => async (...asked) => {
      const answer = await rollups.failures(...asked);
      return { ...answer, reach: { ...answer.reach, whole: false } };
    });
  expect(await detailsOf(unread(), "card2")).toEqual([
    "One of at least 3 stored failures of shop.pay like this, the first known at 2026-01-05 12:00:03 UTC (older history not read yet).",
  ]);
  expect(await detailsOf(unread(), "other")).toEqual([
    "No other known failure of shop.pay has this exception and message (older history not read yet).",
  ]);
});

it("a page does not wait for figures that are late or switched off", async () => {
  const late = withFailures(shop(), () => () => new Promise(() => undefined));
  expect((await invocationDetail(late.opened, "card1", 1)).answer?.details).toEqual([]);
  const off = { ...shop().opened, rollups: null };
  expect((await invocationDetail(off, "card1")).answer?.details).toEqual([]);
});
