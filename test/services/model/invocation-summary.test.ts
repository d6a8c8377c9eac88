import { expect, it } from "vitest";
import { invocationRows } from "../../../src/services/model/invocation-rows.ts";
import { invocationSummary } from "../../../src/services/model/invocation-summary.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

it("a summary has the name of the function as well as the task, and nulls if only the id is left", async () => {
  const app = memoryApp()
    .invocation("a", {
      task: "shop.jobs.pay",
      history: [
        [at(0), "registered"],
        [at(2), "failed"],
      ],
    })
    .invocation("odd", { task: "nodots" });
  const rows = await app.store.read((reads) => invocationRows(reads, ["a", "odd", "gone"]));
  expect(rows.map(invocationSummary)).toEqual([
    {
      invocation_id: "a",
      task_id_key: "shop.jobs.pay",
      func_name: "pay",
      status: "failed",
      status_source: "orchestrator",
      duration_seconds: 2,
    },
    expect.objectContaining({ invocation_id: "odd", task_id_key: "nodots", func_name: null }),
    {
      invocation_id: "gone",
      task_id_key: null,
      func_name: null,
      status: "unknown",
      status_source: "none",
      duration_seconds: null,
    },
  ]);
});
