import { type Document, ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire } from "../../../support/mongodb-wire.ts";
import { smallApps } from "../small-app.ts";

const SECOND = 1_767_225_600;

/** Of documents that were written in this second. */
function _id(second: number, rest = 0) {
  return new ObjectId(`${(SECOND + second).toString(16)}${rest.toString(16).padStart(16, "0")}`);
}

function runOf(second: number, trigger_id: string, rest = 0) {
  return {
    _id: _id(second, rest),
    trigger_run_id: `${trigger_id}${second}.${rest}`,
    trigger_id,
    task_id_key: "app.task",
    logic_value: "and",
    triggered_invocation_id: null,
    sort_time: new Date((SECOND + second) * 1000),
    payload_json: "{}",
  };
}

function entryOf(second: number, runner: string) {
  const at = new Date((SECOND + second) * 1000);
  const status_record = { status: "running", runner_id: runner, timestamp: at.toISOString() };
  const record = {
    invocation_id: `i${second}`,
    _timestamp: at.toISOString(),
    status_record,
    runner_context_id: runner,
  };
  return {
    _id: _id(second),
    invocation_id: `i${second}`,
    history_timestamp: at,
    history_status: "running",
    history_json: JSON.stringify(record).replaceAll('":', '": '),
  };
}

/** Whether a find goes along the ids, from those that are known on. */
function byId({ hint }: Document): boolean {
  return hint !== undefined;
}

describeWithMongo("documents in MongoDB that meet a condition without an index", () => {
  const open = smallApps();

  /** An app, and what the server was asked for with a condition. */
  async function watched() {
    const small = open();
    const wire = await startWire({}, small.place.url);
    const store = mongoStoreOn({ ...small.place, url: wire.url });
    return {
      small,
      app: store.app("small"),
      commands: () => wire.commands.splice(0).filter((one) => one.find !== undefined || one.aggregate !== undefined),
      async close() {
        await store.close();
        await wire.close();
        await small.close();
      },
    };
  }

  it("are trigger runs that are looked for once, then only among those written or replaced since", async () => {
    const { small, app, commands, close } = await watched();
    const runs = small.collection("trg_trigger_runs");
    await runs.insertMany([0, 100, 200, 300, 400].map((second) => runOf(second, second % 200 === 0 ? "a" : "b")));
    const search = async (scanLimit = 100) => {
      commands();
      const found = await app.read(({ trigger }) =>
        trigger.searchTriggerRuns({ trigger_id: "a" }, { limit: 2, offset: 0 }, scanLimit),
      );
      const asked = commands().filter(({ filter }) => JSON.stringify(filter ?? {}).includes('"trigger_id"'));
      return [found.runs.map((run) => run.trigger_run_id).join(), found.matching, asked.map(byId)];
    };
    expect(await search()).toEqual(["a400.0,a200.0", 3, [false]]);
    expect(await search()).toEqual(["a400.0,a200.0", 3, [true, false]]);
    // One of them by a clock that is half a minute late.
    await runs.insertMany([runOf(500, "a"), runOf(370, "a"), runOf(501, "b")]);
    expect(await search()).toEqual(["a500.0,a400.0", 5, [true, false]]);
    await runs.deleteOne({ trigger_run_id: "a400.0" });
    expect(await search()).toEqual(["a500.0,a370.0", 4, [false]]);
    expect(await search(3)).toEqual(["a500.0,a370.0", 2, [true, false]]);
    // Runs that the last search did not look through.
    expect(await search()).toEqual(["a500.0,a370.0", 4, [false]]);
    await close();
  });

  it("are also an old trigger run that a later failure replaces, under its old id", async () => {
    const { small, app, close } = await watched();
    const runs = small.collection("trg_trigger_runs");
    await runs.insertMany([0, 100, 200, 300, 400].map((second) => runOf(second, second === 0 ? "a" : "b")));
    const search = async () => {
      const found = await app.read(({ trigger }) =>
        trigger.searchTriggerRuns({ trigger_id: "a" }, { limit: 2, offset: 0 }, 3),
      );
      return found.runs.map((run) => run.trigger_run_id);
    };
    expect(await search()).toEqual([]);
    await runs.updateOne({ trigger_run_id: "a0.0" }, { $set: { sort_time: new Date((SECOND + 500) * 1000) } });
    expect(await search()).toEqual(["a0.0"]);
    await close();
  });

  it("are trigger runs that are counted by the server where they are many", async () => {
    const { small, app, close } = await watched();
    const many = Array.from({ length: 1_200 }, (_, i) => runOf(i, "a", i));
    await small.collection("trg_trigger_runs").insertMany([runOf(2_000, "b"), ...many]);
    const found = await app.read(({ trigger }) =>
      trigger.searchTriggerRuns({ trigger_id: "a" }, { limit: 2, offset: 1 }, 1_151),
    );
    expect(found).toMatchObject({ matching: 1_150, scanned: 1_151, complete: false, last_scanned: "a50.50" });
    expect(found.runs.map((run) => run.trigger_run_id)).toEqual(["a1198.1198", "a1197.1197"]);
    await close();
  });

  it("are blocked runs of the atomic service, which are written once", async () => {
    const { small, app, commands, close } = await watched();
    const executions = small.collection("orchestrator_atomic_service_executions");
    const run = (second: number, status: string) => {
      const time = new Date((SECOND + second) * 1000).toISOString().replace("Z", "000+00:00");
      const times = { start_time: time, end_time: time };
      return { _id: _id(second), atomic_service_run_id: `r${second}`, runner_id: "r", ...times, status, reason: "" };
    };
    const blocked = async () => {
      commands();
      const found = await app.read(({ orchestrator }) =>
        orchestrator.executions({ limit: 2, offset: 0 }, { status: "blocked" }),
      );
      const asked = commands().filter(({ filter }) => filter?.status !== undefined);
      return [found.map((one) => one.atomic_service_run_id).join(), asked.map(byId)];
    };
    await executions.insertMany([run(0, "blocked"), run(100, "completed"), run(200, "blocked"), run(300, "completed")]);
    expect(await blocked()).toEqual(["r200,r0", [false]]);
    expect(await blocked()).toEqual(["r200,r0", [true]]);
    await executions.insertMany([run(400, "blocked"), run(500, "completed")]);
    expect(await blocked()).toEqual(["r400,r200", [true]]);
    await executions.deleteOne({ atomic_service_run_id: "r200" });
    expect(await blocked()).toEqual(["r400,r0", [false]]);
    await close();
  });

  it("are entries of the history that name a runner, down to where the last walk ended", async () => {
    const { small, app, commands, close } = await watched();
    const history = small.collection("state_backend_history");
    await history.insertMany(
      [0, 100, 200, 300, 400].map((second) => entryOf(second, second === 200 ? "rare" : "other")),
    );
    const active = async (to: number) => {
      commands();
      const filter = { by: { runner_id: "rare", role: "worker" }, to: SECOND + to } as const;
      const { rows, scanned, exhausted } = await app.read(({ state_backend }) =>
        state_backend.listActive(filter, 5, 100),
      );
      const named = commands().filter(({ filter: asked }) => asked?.history_json !== undefined);
      expect(exhausted).toBe(true);
      return [rows.map((row) => row.invocation_id).join(), scanned, named.map(byId)];
    };
    expect(await active(350)).toEqual(["i200", 4, [false]]);
    expect(await active(350)).toEqual(["i200", 4, [true]]);
    // The runner is heard later, and what it wrote is not newer than all that was known.
    await history.insertOne(entryOf(380, "rare"));
    expect(await active(450)).toEqual(["i380,i200", 6, [true, false]]);
    await history.deleteOne({ invocation_id: "i200" });
    expect(await active(450)).toEqual(["i380", 5, [false]]);
    await close();
  });
});
