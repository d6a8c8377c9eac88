/** One line of any list: what status, since when, for how long, and who says so. */
import { describe, expect, it } from "vitest";
import { invocationRows } from "../../../src/services/model/invocation-rows.ts";
import { at, type InvocationGiven, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const row = async (app: MemoryApp, id: string) => (await app.store.read((reads) => invocationRows(reads, [id])))[0];

describe("the duration of an invocation", () => {
  it("is the time from registration to the final status", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(2), "pending"],
        [at(3), "running"],
        [at(5.5), "success"],
      ],
    });
    expect((await row(app, "a"))?.duration_seconds).toBe(4.5);
  });

  it("is not known while it has no final status", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(9), "retry"],
      ],
    });
    expect((await row(app, "a"))?.duration_seconds).toBeNull();
  });

  it("ends when the orchestrator says, also where the history lacks that entry", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(3), "running"],
      ],
      status: { status: "success", status_timestamp: at(9) },
    });
    expect(await row(app, "a")).toMatchObject({ status: "success", final: true, duration_seconds: 8 });
  });

  it("is not known without a history", async () => {
    const app = memoryApp().invocation("a", { history: [], status: { status: "failed" } });
    expect(await row(app, "a")).toMatchObject({ status: "failed", registered_at: null, duration_seconds: null });
  });
});

describe("the task and the call of an invocation", () => {
  const identity = async (given: InvocationGiven) => {
    const found = await row(memoryApp().invocation("a", { task: "shop.ship", arguments: { n: "1" }, ...given }), "a");
    return [found?.task_id_key, found?.call_id_key];
  };

  it("are told by the orchestrator, else by the definition, else are not known", async () => {
    const [task, call] = await identity({});
    expect([task, call]).toEqual(["shop.ship", expect.stringMatching(/^shop\.ship:./)]);
    expect(await identity({ status: null })).toEqual([task, call]);
    expect(await identity({ definition: null })).toEqual([task, call]);
    expect(await identity({ status: null, definition: null })).toEqual([null, null]);
  });
});

it("rows come in the order of the ids, with one for each that is not known", async () => {
  const app = memoryApp().invocation("a").invocation("b");
  const rows = await app.store.read((reads) => invocationRows(reads, ["b", "nobody", "a"]));
  expect(rows.map((found) => [found.invocation_id, found.status_source])).toEqual([
    ["b", "orchestrator"],
    ["nobody", "none"],
    ["a", "orchestrator"],
  ]);
});
