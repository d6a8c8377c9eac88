/** Answers of an app that was opened without values. */
import { describe, expect, it } from "vitest";
import { LEFT_OUT, withoutValues } from "../../../src/services/exports/without-values.ts";
import { exportRows } from "../../../src/services/invocations/exports.ts";
import { invocationDetail } from "../../../src/services/invocations/invocation-detail.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { failures } from "../../../src/services/stats/failures.ts";
import { eventDetail } from "../../../src/services/triggers/event-detail.ts";
import { why } from "../../../src/services/why/why.ts";
import { workflowRunDetail } from "../../../src/services/workflows/workflows.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { storedError } from "../../support/stored-error.ts";

describe("an app opened without values", () => {
  const SECRET = "xyzzyplugh";
  const failed = [
    [at(0), "registered"],
    [at(1), "running"],
    [at(2), "failed"],
  ] as const;
  const app = memoryApp()
    .runner("r1")
    .invocation("a", {
      arguments: { order: `"${SECRET}"`, external: "" },
      history: failed,
      exception: storedError("ValueError", `no ${SECRET} here`),
    })
    .invocation("b", {
      arguments: { order: `"${SECRET}"` },
      workflow: { id: "b" },
      history: [
        [at(0), "registered"],
        [at(1), "success"],
      ],
      result: `"${SECRET}"`,
    })
    .workflow("b", { data: { state: `"${SECRET}"` } })
    .event("e1", { payload: { order: `"${SECRET}"` }, emitted_by_invocation_id: "a" })
    .value(`"${SECRET}"`)
    .condition("c1", { code: "order.created" })
    .validCondition("v1", { context: { result: SECRET } });
  const bare = withoutValues(app.opened);

  it("gives names and classes, and no value in any answer", async () => {
    const a = await invocationDetail(bare, "a");
    expect(a.exception?.exception).toMatchObject({ error_name: "ValueError", message: null });
    expect(a.arguments.map(({ name, value }) => [name, value.stored.text])).toEqual([
      ["order", LEFT_OUT],
      ["external", LEFT_OUT],
    ]);
    const b = await invocationDetail(bare, "b");
    expect(b.result?.stored.text).toBe(LEFT_OUT);
    const rows = [];
    for await (const batch of exportRows(bare, NO_FILTER)) rows.push(...batch);
    const answers = [
      a,
      b,
      rows,
      await eventDetail(bare, "e1"),
      await workflowRunDetail(bare, "b", {}),
      await why(bare, { id: ["a"] }),
      await why(bare, {}),
      await failures(bare, { from: ["2020-01-01"] }),
    ];
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(JSON.stringify(answers)).toContain("ValueError");
    // The same with values: the test would notice them.
    expect(JSON.stringify(await invocationDetail(app.opened, "a"))).toContain(SECRET);
    expect(JSON.stringify(await failures(app.opened, { from: ["2020-01-01"] }))).toContain(SECRET);
  });

  it("gives the class of an exception that is too large to be read whole", async () => {
    const large = memoryApp().invocation("large", {
      history: failed,
      exception: storedError("ValueError", SECRET.repeat(1_000_000)),
    });
    const { exception } = await invocationDetail(withoutValues(large.opened), "large");
    expect(exception?.exception).toMatchObject({ error_name: "ValueError", message: null });
  });

  it("gives no value from any reads of its store", async () => {
    const read = await bare.store.read(async (reads) => [
      await reads.client_data_store.valuesByKeys(
        app.rows((rows) => rows.values.map((value) => value.data_key)),
        1_000,
      ),
      await reads.trigger.validConditionsByIds(["v1"]),
      await reads.trigger.listValidConditions({ limit: 9, offset: 0 }),
      await reads.trigger.eventsByIds(["e1"]),
      await reads.state_backend.outcomesOf(["result"], ["b"]),
      await reads.state_backend.outcomesOf(["exception"], ["a"]),
      await reads.state_backend.workflowData("b", { limit: 9, offset: 0 }),
      await reads.state_backend.invocationsByIds(["a", "b"]),
    ]);
    expect(read.map((rows) => (rows ?? []).length)).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
    expect(JSON.stringify(read)).not.toContain(SECRET);
  });
});
