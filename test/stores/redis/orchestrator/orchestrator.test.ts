/** The orchestrator of the real data: what the notes of the fixture say of it, and what a killed runner left. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { epochFromIso } from "../../../../src/pynenc/time.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { type OrchestratorOf, orchestratorOn } from "./orchestrator-of.ts";

const ALL = { limit: 10_000, offset: 0 };

/** Killed while it executed six invocations and one of them waited. */
const DEAD_RUNNER = "26b5c471-8df7-4231-925f-76dfe40a3cfe";
const LATEST_RUNNER = "74e16e57-72f6-4b5f-b905-6503e759915d";
const PENDING = "83eed877-a639-483e-9e16-d4fefb8100bd";
/** In the set of its task and with a call, but without a status. */
const WITHOUT_STATUS = "14830f9b-b10d-437b-891c-3a09ee0ed446";
const at = (time: string): number => epochFromIso(`2026-11-21T${time}Z`) ?? Number.NaN;

describeWithRedis("the orchestrator in Redis, with kitchen_sink", () => {
  let server: RedisServer;
  let orchestrator: OrchestratorOf;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    orchestrator = orchestratorOn(server, "kitchen_sink");
  });
  afterAll(async () => {
    await orchestrator.close();
    await server.close();
  });
  const read: OrchestratorOf["read"] = (fn) => orchestrator.read(fn);
  it("reads status, owner, retries and call of an invocation", async () => {
    const records = await read((reads) =>
      reads.statusesByIds([PENDING, WITHOUT_STATUS, PENDING, "57d5e6ea-9ca7-4592-8379-3478dd6cb8a6", "", "\u0000"]),
    );
    expect(records).toEqual([
      {
        invocation_id: PENDING,
        task_id_key: "tasks.add",
        call_id_key: "tasks.add:0c62c1068b577ca2b41e55bbf4b56d29158cebc6ee373bc006773f7b94aff4b8",
        status: "pending",
        status_runner_id: "e0ab52ba-63c3-4700-befa-2ef53070c13b",
        status_timestamp: at("01:03:40.859656"),
        retry_count: 0,
        auto_purge_timestamp: null,
      },
      expect.objectContaining({
        task_id_key: "tasks.flaky_ok",
        status: "success",
        retry_count: 2,
        auto_purge_timestamp: expect.closeTo(at("01:02:12"), -3),
      }),
    ]);
  });

  it("reads the latest status change of tasks", async () => {
    const latest = await read((reads) => reads.lastActivityOfTasks(["tasks.pauser", "tasks.add", "no.such"]));
    expect(latest).toEqual({
      "tasks.pauser": expect.closeTo(at("01:03:41.797"), 2),
      "tasks.add": expect.closeTo(at("01:03:41.915"), 2),
    });
  });

  it("lists heartbeats, the latest first", async () => {
    const all = await read((reads) => reads.heartbeats(ALL));
    expect(all).toHaveLength(29);
    expect(all.every((one, i) => i === 0 || one.last_heartbeat <= (all[i - 1]?.last_heartbeat ?? 0))).toBe(true);
    expect(all[0]?.runner_id).toBe(LATEST_RUNNER);
    const atomic = all.filter((one) => one.allow_to_run_atomic_service);
    expect(atomic).toHaveLength(10);
    expect(atomic.filter((one) => one.last_service_start !== null && one.last_service_end !== null)).toHaveLength(9);
    const since = at("01:03:41");
    expect(await read((reads) => reads.heartbeats(ALL, since))).toEqual([all[0]]);
    expect(await read((reads) => Promise.all([reads.countHeartbeats(since), reads.countHeartbeats()]))).toEqual([
      1, 29,
    ]);
    expect(await read((reads) => reads.heartbeatsByIds([DEAD_RUNNER, "nobody", DEAD_RUNNER]))).toEqual([
      {
        runner_id: DEAD_RUNNER,
        creation_timestamp: 1795223016.847709,
        last_heartbeat: 1795223020.478688,
        allow_to_run_atomic_service: true,
        last_service_start: 1795223020.480025,
        last_service_end: 1795223020.481577,
        consumed_queues: null,
      },
    ]);
  });

  it("finds which invocation waits for which, also without an index", async () => {
    const edges = await read((reads) => reads.blockingEdges(ALL));
    expect(edges.map((edge) => `${edge.waiter_id.slice(0, 8)} ${edge.waited_id.slice(0, 8)}`)).toEqual([
      "012e9c75 dda71b04",
      "5f8bcf72 4135dd35",
      "ebfd6e87 8137befa",
    ]);
    expect(await read((reads) => reads.countBlockingEdges())).toBe(3);
    expect(await read((reads) => reads.blockingEdges({ limit: 1, offset: 1 }))).toEqual([edges[1]]);
    for (const edge of edges) {
      expect(await read((reads) => reads.blockingEdges({ limit: 10, offset: 0 }, edge.waiter_id))).toEqual([edge]);
      expect(await read((reads) => reads.blockingEdges({ limit: 10, offset: 0 }, edge.waited_id))).toEqual([edge]);
    }
    expect(await read((reads) => reads.blockingEdges({ limit: 10, offset: 0 }, PENDING))).toEqual([]);
  });

  it("has no service executions in this release", async () => {
    const answers = await read((reads) => Promise.all([reads.countExecutions(), reads.executions(ALL)]));
    expect(answers).toEqual([{}, []]);
  });

  it("does not mix up apps whose ids are patterns", async () => {
    const others = ["kitchen-sink.two/β", "sink[3]*?", "nobody"].map((appId) => orchestratorOn(server, appId));
    const counts = await Promise.all(others.map((other) => other.read((reads) => reads.countByStatus())));
    expect(counts).toEqual([{ failed: 1, registered: 1, success: 5 }, { success: 4 }, {}]);
    await Promise.all(others.map((other) => other.close()));
  });
});
