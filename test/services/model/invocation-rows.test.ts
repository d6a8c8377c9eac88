/** One line of any list: what status, since when, for how long, and who says so. */
import { describe, expect, it } from "vitest";
import { invocationRows } from "../../../src/services/model/invocation-rows.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

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
