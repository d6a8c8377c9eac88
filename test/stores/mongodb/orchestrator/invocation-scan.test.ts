import { expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { smallApps } from "../small-app.ts";

/** Every tenth is of the rare task. */
const INVOCATIONS = Array.from({ length: 40 }, (_, i) => invocation(i));

function invocation(i: number) {
  return {
    invocation_id: `i${String(i).padStart(2, "0")}`,
    task_id_key: i % 10 === 0 ? "app.rare" : "app.common",
    call_id_key: `call:${i % 2}`,
    status: i % 3 === 0 ? "success" : "failed",
    status_runner_id: null,
    status_timestamp: new Date(i * 1_000),
    retry_count: 0,
    auto_purge_timestamp: null,
    transition_lock: [],
  };
}

describeWithMongo("invocations of a task in MongoDB, which no index serves", () => {
  const open = smallApps();

  it("are found step by step, each once, although others are registered meanwhile", async () => {
    const small = open();
    const stored = small.collection("orchestrator_invocations");
    await stored.insertMany(INVOCATIONS);
    const filter = { task_id_key: "app.rare" };
    expect(await small.read(({ orchestrator }) => orchestrator.isIndexed(filter))).toBe(false);
    const found: string[] = [];
    const steps: [rows: number, scanned: number][] = [];
    for (let after: string | undefined, more = true; more; ) {
      const step = await small.read(({ orchestrator }) => orchestrator.scanInvocations(filter, 2, 7, after));
      found.push(...step.rows.map((row) => row.invocation_id));
      steps.push([step.rows.length, step.scanned]);
      after = step.stopped?.cursor ?? step.rows.at(-1)?.cursor;
      more = step.stopped !== null || step.rows.length === 2;
      await stored.insertOne({ ...invocation(0), invocation_id: `new${steps.length}` });
    }
    expect(found).toEqual(["i30", "i20", "i10", "i00"]);
    expect(steps.length).toBeGreaterThan(4);
    expect(steps.every(([rows, scanned]) => rows <= scanned && scanned <= 7)).toBe(true);
    await small.close();
  });

  it("have no index by call either, but one by status and by the beginning of their ids", async () => {
    const small = open();
    const indexed = (filter: object) => small.read(({ orchestrator }) => orchestrator.isIndexed(filter));
    expect(await indexed({ call_id_key: "call:1" })).toBe(false);
    expect(await indexed({ task_id_key: "app.rare", statuses: ["success"] })).toBe(false);
    expect(await indexed({ statuses: ["success"] })).toBe(true);
    expect(await indexed({ task_id_key: "app.rare", id_prefix: "i" })).toBe(true);
    expect(await indexed({})).toBe(true);
    await small.close();
  });

  it("have members of any type without an error: what is no text, number or instant is not known", async () => {
    const small = open();
    await small.collection("orchestrator_invocations").insertMany([
      {
        invocation_id: "odd",
        task_id_key: 7,
        status: ["running"],
        status_timestamp: "2026-01-01",
        retry_count: "many",
      },
      { invocation_id: "bare" },
    ]);
    const rows = await small.read(({ orchestrator }) => orchestrator.statusesByIds(["odd", "bare"]));
    expect(rows.sort((a, b) => (a.invocation_id < b.invocation_id ? 1 : -1))).toEqual([
      {
        invocation_id: "odd",
        task_id_key: "7",
        call_id_key: "",
        status: "",
        status_runner_id: null,
        status_timestamp: Date.UTC(2026, 0, 1) / 1000,
        retry_count: Number.NaN,
        auto_purge_timestamp: null,
      },
      {
        invocation_id: "bare",
        task_id_key: "",
        call_id_key: "",
        status: "",
        status_runner_id: null,
        status_timestamp: Number.NaN,
        retry_count: Number.NaN,
        auto_purge_timestamp: null,
      },
    ]);
    await small.close();
  });
});
