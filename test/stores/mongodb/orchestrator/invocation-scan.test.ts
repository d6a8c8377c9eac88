import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire } from "../../../support/mongodb-wire.ts";
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

  it("are remembered by their ids, and listed with those registered since, as they are now", async () => {
    const small = open();
    const stored = small.collection("orchestrator_invocations");
    const _id = (second: number) => new ObjectId(`${second.toString(16).padStart(8, "0")}${"0".repeat(16)}`);
    const register = (name: string, second: number) =>
      stored.insertOne({ ...invocation(0), invocation_id: name, _id: _id(second) });
    const newest = async (limit: number) => {
      const filter = { task_id_key: "app.rare" };
      const rows = await small.read(({ orchestrator }) => orchestrator.listInvocations(filter, { limit, offset: 0 }));
      return rows.map((row) => `${row.invocation_id} ${row.status}`);
    };
    expect(await newest(3)).toEqual([]);
    for (const second of [10, 20, 3_000, 4_000]) await register(`at ${second}`, second);
    expect(await newest(3)).toEqual(["at 4000 success", "at 3000 success", "at 20 success"]);
    await stored.updateOne({ invocation_id: "at 20" }, { $set: { status: "failed" } });
    expect(await newest(3)).toEqual(["at 4000 success", "at 3000 success", "at 20 failed"]);
    // By a clock that is half a minute late.
    await register("late", 3_970);
    expect(await newest(3)).toEqual(["at 4000 success", "late success", "at 3000 success"]);
    await stored.deleteOne({ invocation_id: "at 4000" });
    expect(await newest(3)).toEqual(["late success", "at 3000 success"]);
    expect(await newest(9)).toEqual(["late success", "at 3000 success", "at 20 failed", "at 10 success"]);
    await small.close();
  });

  it("are not all looked through again for what has been looked for before", async () => {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    await small.collection("orchestrator_invocations").insertMany(INVOCATIONS);
    const filter = { task_id_key: "app.none" };
    const finds = async () => {
      wire.commands.splice(0);
      await store
        .app("small")
        .read(({ orchestrator }) => orchestrator.listInvocations(filter, { limit: 5, offset: 0 }));
      return wire.commands.filter(({ find }) => find !== undefined).map(({ filter, skip }) => ({ filter, skip }));
    };
    expect((await finds()).filter(({ skip }) => skip)).toHaveLength(1);
    const [newest, since] = await finds();
    expect(newest).toEqual({ filter: {} });
    expect(since?.filter).toMatchObject({
      ...filter,
      $or: [{ _id: { $gt: expect.anything() } }, { _id: { $in: [] } }],
    });
    await store.close();
    await wire.close();
    await small.close();
  });

  it("are counted once, then only those registered since, until some have been removed", async () => {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    const stored = small.collection("orchestrator_invocations");
    const _id = (second: number) => new ObjectId(`${second.toString(16).padStart(8, "0")}${"0".repeat(16)}`);
    await stored.insertMany([1_000, 2_000, 3_000].map((second) => ({ ...invocation(0), _id: _id(second) })));
    const counted = async (cap = 100) => {
      wire.commands.splice(0);
      const filter = { task_id_key: "app.rare" };
      const n = await store.app("small").read(({ orchestrator }) => orchestrator.countInvocations(filter, cap));
      const walks = wire.commands.filter(({ count, query }) => count !== undefined && query?.task_id_key !== undefined);
      return [n, ...walks.map(({ query }) => Object.keys(query._id ?? {}))];
    };
    expect(await counted()).toEqual([3, ["$lte"], ["$gt"]]);
    expect(await counted()).toEqual([3, ["$gt"]]);
    await stored.insertMany([2_990, 4_000].map((second) => ({ ...invocation(0), _id: _id(second) })));
    expect(await counted()).toEqual([5, ["$gt"]]);
    expect(await counted(4)).toEqual([4, ["$gt"]]);
    await stored.deleteOne({ _id: _id(1_000) });
    expect(await counted()).toEqual([4, ["$lte"], ["$gt"]]);
    await store.close();
    await wire.close();
    await small.close();
  });

  it("have calls that are known by a document, once they were found by a walk", async () => {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    const stored = small.collection("orchestrator_invocations");
    await stored.insertMany(INVOCATIONS);
    const walksFor = async (...calls: string[]) => {
      wire.commands.splice(0);
      const asked = calls.map((id) => ({ kind: "call", id }) as const);
      const known = await store.app("small").read(({ ids }) => ids.known(asked));
      const walks = wire.commands.filter(({ aggregate, filter }) => aggregate !== undefined || filter?.call_id_key);
      return [known.map(({ id }) => id), walks.length];
    };
    expect(await walksFor("call:1", "call:0", "none")).toEqual([["call:1", "call:0"], 1]);
    expect(await walksFor("call:1")).toEqual([["call:1"], 1]);
    expect(await walksFor("call:1")).toEqual([["call:1"], 0]);
    expect(await walksFor("none", "call:1")).toEqual([["call:1"], 1]);
    await stored.deleteMany({ call_id_key: "call:1" });
    expect(await walksFor("call:1")).toEqual([[], 1]);
    await store.close();
    await wire.close();
    await small.close();
  });

  it("are counted by status, also those whose status no release of pynenc knows", async () => {
    const small = open();
    await small
      .collection("orchestrator_invocations")
      .insertMany([...INVOCATIONS, { ...invocation(0), status: "polished" }, { ...invocation(0), status: null }]);
    const counts = await small.read(({ orchestrator }) => orchestrator.countByStatus());
    expect(counts).toEqual({ success: 14, failed: 26, polished: 1, "": 1 });
    await small.close();
  });

  it("are counted and listed with a status by the index on it if few have that status", async () => {
    const small = open();
    await small.collection("orchestrator_invocations").insertMany(INVOCATIONS);
    const filter = { task_id_key: "app.rare", statuses: ["failed"] };
    const scan = await small.read(({ orchestrator }) => orchestrator.scanInvocations(filter, 5, 2));
    expect(scan).toMatchObject({ scanned: 2, stopped: null });
    expect(scan.rows.map((row) => row.invocation_id)).toEqual(["i20", "i10"]);
    expect(await small.read(({ orchestrator }) => orchestrator.countInvocations(filter, 10))).toBe(2);
    await small.close();
  });

  it("are looked for along their ids if many have the status, and beyond the newest by its index", async () => {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    const many = (status: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...invocation(i), invocation_id: `${status}${i}`, status }));
    const stored = small.collection("orchestrator_invocations");
    await stored.insertMany([...many("failed", 5_000), ...many("success", 1_990), ...many("retry", 5_000).slice(-10)]);
    const finds = async (status: string, limit: number) => {
      wire.commands.splice(0);
      const rows = await store
        .app("small")
        .read(({ orchestrator }) => orchestrator.listInvocations({ statuses: [status] }, { limit, offset: 0 }));
      const asked = wire.commands.filter(({ find, filter }) => find !== undefined && filter?.status !== undefined);
      return [rows[0]?.invocation_id, rows.length, ...asked.map(({ hint }) => hint !== undefined)];
    };
    expect(await finds("failed", 5)).toEqual(["failed4999", 5, true, false]);
    await stored.insertMany(many("failed", 5));
    expect(await finds("failed", 5)).toEqual(["failed4", 5, true]);
    expect(await finds("retry", 5)).toEqual(["retry4999", 5, false]);
    await store.close();
    await wire.close();
    await small.close();
  });

  it("name their tasks, which are remembered until all invocations of their time are gone", async () => {
    const small = open();
    const stored = small.collection("orchestrator_invocations");
    const register = (task_id_key: string, second: number) =>
      stored.insertOne({
        ...invocation(0),
        invocation_id: task_id_key,
        task_id_key,
        _id: ObjectId.createFromTime(second),
      });
    const tasks = () => small.read(({ orchestrator }) => orchestrator.taskKeys());
    expect(await tasks()).toEqual([]);
    for (const [i, task] of ["app.b", "app.c"].entries()) await register(task, 1_000 + i * 1_000);
    expect(await tasks()).toEqual(["app.b", "app.c"]);
    await register("app.a", 3_000);
    expect(await tasks()).toEqual(["app.a", "app.b", "app.c"]);
    await stored.deleteMany({ invocation_id: { $ne: "app.a" } });
    expect(await tasks()).toEqual(["app.a"]);
    await small.close();
  });

  it("are counted by status, also without one", async () => {
    const small = open();
    await small
      .collection("orchestrator_invocations")
      .insertMany([...INVOCATIONS, { invocation_id: "bare" }, { invocation_id: "odd", status: 7 }]);
    expect(await small.read(({ orchestrator }) => orchestrator.countByStatus())).toEqual({
      success: 14,
      failed: 26,
      "": 1,
      7: 1,
    });
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
