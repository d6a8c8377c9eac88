/** The calls below a call that is rerun, which are made again: those that had succeeded come first. */
import { describe, expect, it } from "vitest";
import { calledAgainText } from "../../../src/presentation/called-again.ts";
import { calledAgain } from "../../../src/services/actions/called-again.ts";
import { previewRerun } from "../../../src/services/actions/rerun.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** An order that failed because its payment did, after its parts had been reserved. */
function order(): MemoryApp {
  const ended = (task: string, status: string, parent?: string) => ({
    task,
    arguments: { order: JSON.stringify("A-7") },
    history: [
      [at(1), "registered"],
      [at(2), status],
    ] as const,
    ...(parent === undefined ? {} : { parent }),
  });
  return memoryApp()
    .invocation("order", ended("shop.order", "failed"))
    .invocation("pay", ended("shop.pay", "failed", "order"))
    .invocation("charge", ended("shop.charge", "failed", "pay"))
    .invocation("reserve", ended("shop.reserve", "success", "order"))
    .invocation("part 1", ended("shop.part", "success", "reserve"))
    .invocation("part 2", ended("shop.part", "success", "reserve"))
    .invocation("other", ended("shop.other", "success"));
}

const below = (app: MemoryApp, ids: readonly string[], most?: number) =>
  app.store.read((reads) => calledAgain(reads, ids, most));

describe("the calls below a rerun call", () => {
  it("are all counted, whatever their status, and those that had succeeded come first", async () => {
    const found = await below(order(), ["order"]);
    expect(found).toMatchObject({
      called_again: 5,
      called_again_capped: false,
      called_again_by_task: [
        { task_id_key: "shop.part", calls: 2, succeeded: 2 },
        { task_id_key: "shop.reserve", calls: 1, succeeded: 1 },
        { task_id_key: "shop.charge", calls: 1, succeeded: 0 },
        { task_id_key: "shop.pay", calls: 1, succeeded: 0 },
      ],
    });
    expect(calledAgainText(found)).toBe(
      "5 calls below, if they run as before. 3 had succeeded: 2 of shop.part, 1 of shop.reserve. The others: 1 of shop.charge, 1 of shop.pay.",
    );
  });

  it("count once if several calls above them are rerun", async () => {
    const found = await below(order(), ["order", "pay", "pay", "reserve"]);
    expect(found.called_again).toBe(5);
    expect([found.of(["order", "reserve"]), found.of(["reserve"]), found.of(["charge"])]).toEqual([5, 2, 0]);
  });

  it("are counted as at least as many as were read", async () => {
    const found = await below(order(), ["order"], 3);
    expect([found.called_again, found.called_again_capped]).toEqual([3, true]);
    expect(calledAgainText(found)).toMatch(/^at least 3 calls below/);
    expect(await below(order(), ["order"], 5)).toMatchObject({ called_again: 5, called_again_capped: false });
  });

  it("are zero for a call that called nothing", async () => {
    const found = await below(order(), ["other"]);
    expect(found).toMatchObject({ called_again: 0, called_again_by_task: [] });
    expect(calledAgainText(found)).toBeNull();
  });

  it("are finite in data in which invocations call each other in a circle", async () => {
    const app = memoryApp().invocation("a", { parent: "b" }).invocation("b", { parent: "a" });
    expect((await below(app, ["a"])).called_again).toBe(2);
  });

  it("are in the preview of a single rerun, with the arguments of the call", async () => {
    const preview = await previewRerun(order().opened, "order", {});
    expect(preview).toMatchObject({ called_again: 5, invocation: { arguments: expect.stringContaining("A-7") } });
  });
});
