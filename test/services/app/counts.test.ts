/** Figures that many pages share: of all invocations, also of those that the orchestrator has forgotten. */
import { describe, expect, it } from "vitest";
import {
  countByStatus,
  countByTaskAndStatus,
  eventCounters,
  executionCounts,
  invocationTotals,
  statusCounts,
} from "../../../src/services/app/counts.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";

const ended = (status: string) => [[at(0), "registered"] as const, [at(1), status] as const];

const app = memoryApp()
  .invocation("kept", { history: ended("failed") })
  .invocation("forgotten", { history: ended("failed"), status: null })
  .invocation("other task", { task: "shop.ship", history: ended("success"), status: null })
  .invocation("torn", { history: [], status: null })
  .invocation("without a definition", { history: ended("success"), definition: null })
  .invocation("odd", { history: ended("napping") })
  .execution("s1", { status: "completed" })
  .execution("s2", { status: "failed" })
  .execution("s3", { status: "completed" })
  .event("e1");

describe("counts", () => {
  it("contain each invocation once, by the orchestrator's status or else by its last history entry", async () => {
    expect(await countByStatus(app.opened)).toEqual({ failed: 2, success: 2, unknown: 1, napping: 1 });
    const shares = await countByTaskAndStatus(app.opened);
    expect(shares).toHaveLength(5);
    expect(shares).toEqual(
      expect.arrayContaining([
        { task_id_key: "shop.pay", status: "failed", count: 2 },
        { task_id_key: "shop.pay", status: "unknown", count: 1 },
        { task_id_key: "shop.pay", status: "success", count: 1 },
        { task_id_key: "shop.ship", status: "success", count: 1 },
        { task_id_key: "shop.pay", status: "napping", count: 1 },
      ]),
    );
  });

  it("have totals of all, with a status, defined and purged ones", async () => {
    expect(await invocationTotals(app.opened)).toEqual({
      invocations: 6,
      with_status: 3,
      defined: 5,
      forgotten: 3,
      complete: true,
    });
  });

  it("have a row for every status of pynenc, then for unknown words", async () => {
    const rows = await statusCounts(app.opened);
    expect(rows).toHaveLength(15);
    expect(rows.filter((row) => row.count > 0)).toEqual([
      { status: "success", count: 2, final: true, known: true },
      { status: "failed", count: 2, final: true, known: true },
      { status: "napping", count: 1, final: false, known: false },
      { status: "unknown", count: 1, final: false, known: false },
    ]);
  });

  it("exist for executions by status, and for events in total and by code", async () => {
    expect(await executionCounts(app.opened)).toEqual({ completed: 2, failed: 1 });
    expect(await eventCounters(app.opened)).toMatchObject({ recorded: 1, codes: 1 });
  });
});
