/** The orchestrator of the real data: what the notes of the fixture say of it, and what a killed runner left. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { epochFromIso } from "../../../../src/pynenc/time.ts";
import type { StatusFilter } from "../../../../src/stores/ports/orchestrator.ts";
import { fixturePath, sum } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { type OrchestratorOf, orchestratorOn } from "./orchestrator-of.ts";

const ALL = { limit: 10_000, offset: 0 };

const STATUSES = {
  concurrency_controlled: 1,
  concurrency_controlled_final: 4,
  failed: 10,
  killed: 1,
  paused: 1,
  pending: 1,
  pending_recovery: 1,
  registered: 8,
  rerouted: 1,
  resumed: 1,
  retry: 1,
  running: 6,
  running_recovery: 1,
  success: 151,
};

/** Killed while it executed six invocations and one of them waited. */
const DEAD_RUNNER = "26b5c471-8df7-4231-925f-76dfe40a3cfe";
const LATEST_RUNNER = "74e16e57-72f6-4b5f-b905-6503e759915d";
const PENDING = "83eed877-a639-483e-9e16-d4fefb8100bd";
/** In the set of its task and with a call, but without a status. */
const WITHOUT_STATUS = "14830f9b-b10d-437b-891c-3a09ee0ed446";
/** With a status, but without a history. */
const WITHOUT_HISTORY = "4fd59812-ad03-4bf1-89cb-5616e2d1f198";

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
  const listed = async (filter: StatusFilter = {}) =>
    (await read((reads) => reads.listInvocations(filter, ALL))).map((row) => row.invocation_id);

  it("counts statuses and tasks", async () => {
    expect(await read((reads) => reads.countByStatus())).toEqual(STATUSES);
    const shares = await read((reads) => reads.countByTaskAndStatus());
    expect(shares.reduce((all, { count }) => all + count, 0)).toBe(sum(STATUSES));
    const ofTask = (task: string) =>
      Object.fromEntries(shares.flatMap((share) => (share.task_id_key === task ? [[share.status, share.count]] : [])));
    expect(ofTask("tasks.leaf")).toEqual({ success: 19, failed: 2, registered: 4 });
    expect(ofTask("tasks.chain")).toEqual({ success: 11 });
    const tasks = await read((reads) => reads.taskKeys());
    expect(tasks).toHaveLength(37);
    expect(tasks).toEqual([...new Set(shares.map((share) => share.task_id_key))].sort());
  });

  it("lists invocations with a status, newest first, by pages and by cursor alike", async () => {
    const whole = await listed();
    expect(whole).toHaveLength(188);
    expect(whole.slice(0, 3).map((id) => id.slice(0, 8))).toEqual(["e247b17d", "99ba716e", "2b73f92c"]);
    expect(whole.at(-1)).toBe("18315ef4-ab25-45e8-b4e9-ffa6aad2da0b");
    expect(whole).not.toContain(WITHOUT_STATUS);
    expect(whole).toContain(WITHOUT_HISTORY);
    const page = await read((reads) => reads.listInvocations({}, { limit: 9, offset: 100 }));
    expect(page.map((row) => row.invocation_id)).toEqual(whole.slice(100, 109));
    const next = await read((reads) => reads.listInvocations({}, { limit: 9, offset: 2 }, page.at(-1)?.cursor));
    expect(next.map((row) => row.invocation_id)).toEqual(whole.slice(111, 120));
  });

  it("lists invocations by a filter, in the order of the whole list", async () => {
    const whole = await read((reads) => reads.listInvocations({}, ALL));
    const call = whole.find((row) => row.call_id_key.startsWith("tasks.chain:2781f434"))?.call_id_key ?? "";
    const filters: [StatusFilter, number][] = [
      [{ statuses: ["running", "failed", "no such"] }, 16],
      [{ task_id_key: "tasks.leaf", statuses: ["failed"] }, 2],
      [{ task_id_key: "pynenc.core_tasks.recover_pending_invocations" }, 3],
      [{ call_id_key: call }, 4],
      [{ call_id_key: call, task_id_key: "tasks.add" }, 0],
      [{ id_prefix: PENDING }, 1],
      [{ id_prefix: PENDING, statuses: ["success"] }, 0],
      [{ id_prefix: WITHOUT_STATUS }, 0],
      [{ id_prefix: "83e" }, whole.filter((row) => row.invocation_id.startsWith("83e")).length],
      [{ id_prefix: "*" }, 0],
      [{ statuses: [] }, 0],
    ];
    for (const [filter, count] of filters) {
      const expected = whole.filter(
        (row) =>
          (filter.statuses?.includes(row.status) ?? true) &&
          (filter.task_id_key ?? row.task_id_key) === row.task_id_key &&
          (filter.call_id_key ?? row.call_id_key) === row.call_id_key &&
          row.invocation_id.startsWith(filter.id_prefix ?? ""),
      );
      expect(expected, JSON.stringify(filter)).toHaveLength(count);
      expect(await listed(filter)).toEqual(expected.map((row) => row.invocation_id));
      expect(await read((reads) => reads.countInvocations(filter, 2))).toBe(Math.min(2, count));
    }
  });

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
    expect(await read((reads) => reads.runnerIdsLike([DEAD_RUNNER.slice(0, 8), "nobody"], "beginning", 5))).toEqual([
      { part: DEAD_RUNNER.slice(0, 8), runner_id: DEAD_RUNNER },
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
      expect(await read((reads) => reads.blockingEdgesOf(edge.waiter_id, 10))).toEqual([edge]);
      expect(await read((reads) => reads.blockingEdgesOf(edge.waited_id, 10))).toEqual([edge]);
    }
    expect(await read((reads) => reads.blockingEdgesOf(PENDING, 10))).toEqual([]);
  });

  it("finds invocations that are stuck pending, or running on a dead runner", async () => {
    const pending = (before: number) => read((reads) => reads.pendingSince(before, 10));
    expect((await pending(at("01:03:40.859656"))).map((row) => row.invocation_id)).toEqual([PENDING]);
    expect(await pending(at("01:03:40.859655"))).toEqual([]);
    const lost = (status: "running" | "paused", deadBefore: number, limit = 10) =>
      read((reads) => reads.ownedByDeadRunner([status], deadBefore, limit));
    const running = await lost("running", 1795223020.478689);
    expect(running).toHaveLength(6);
    expect(running[0]?.invocation_id.slice(0, 8)).toBe("012e9c75");
    expect(running.every((row) => row.status_runner_id === DEAD_RUNNER)).toBe(true);
    expect(await lost("running", 1795223020.478689, 2)).toEqual(running.slice(0, 2));
    expect(await lost("running", 1795223020.478688)).toEqual([]);
    expect((await lost("paused", 1795223021)).map((row) => row.invocation_id.slice(0, 8))).toEqual(["8a947430"]);
  });

  it("has no service executions in this release", async () => {
    const answers = await read((reads) =>
      Promise.all([reads.countExecutionsByStatus(), reads.executions(ALL), reads.countExecutions()]),
    );
    expect(answers).toEqual([{}, [], 0]);
  });

  it("does not mix up apps whose ids are patterns", async () => {
    const others = ["kitchen-sink.two/β", "sink[3]*?", "nobody"].map((appId) => orchestratorOn(server, appId));
    const counts = await Promise.all(others.map((other) => other.read((reads) => reads.countByStatus())));
    expect(counts).toEqual([{ failed: 1, registered: 1, success: 5 }, { success: 4 }, {}]);
    await Promise.all(others.map((other) => other.close()));
  });
});
