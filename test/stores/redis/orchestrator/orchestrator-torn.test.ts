/** What crashes, purges, concurrent transitions and other versions leave: shown as what it is, and never an error. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { totalOf } from "../../../../src/pynenc/groups.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import type { Command } from "../../../../src/stores/redis/server/connection.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { type OrchestratorOf, orchestratorOn } from "./orchestrator-of.ts";
import { type Registered, registered } from "./registered.ts";

const APP = "torn";
const ALL = { limit: 1_000, offset: 0 };
const keys = new AppKeys(APP);
const key = (...parts: string[]) => keys.key("orchestrator", ...parts);

describeWithRedis("the orchestrator in Redis, with torn data", () => {
  let server: RedisServer;
  let orchestrator: OrchestratorOf;
  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(() => {
    orchestrator = orchestratorOn(server, APP);
  });
  afterEach(async () => {
    await orchestrator.close();
    await server.exchange([["FLUSHALL"]]);
  });
  afterAll(() => server.close());

  const read: OrchestratorOf["read"] = (fn) => orchestrator.read(fn);
  const write = (...commands: Command[]) => server.exchange(commands);
  const register = (...invocations: Registered[]) => write(...invocations.flatMap((one) => registered(APP, one)));
  const ids = async (filter = {}) =>
    (await read((reads) => reads.listInvocations(filter, ALL))).map((row) => row.invocation_id);

  it("goes by the status of an invocation, not by the sets", async () => {
    await register(
      { id: "both", status: "running", time: 3, inSets: ["pending", "running"] },
      { id: "none", status: "failed", time: 2, inSets: [] },
      { id: "other", status: "success", time: 1, inSets: ["failed"] },
      { id: "purged", status: null, time: 4, inSets: ["failed"] },
    );
    expect(await read((reads) => reads.countByStatus())).toEqual({ running: 1, failed: 1, success: 1 });
    expect(await ids()).toEqual(["both", "none", "other"]);
    expect(await ids({ statuses: ["pending"] })).toEqual([]);
    expect(await ids({ statuses: ["pending", "running"] })).toEqual(["both"]);
    expect(await ids({ statuses: ["failed"] })).toEqual(["none"]);
    expect(await read((reads) => reads.countInvocations({ statuses: ["success"] }, 10))).toBe(1);
    expect(await read((reads) => reads.pendingSince(100, 10))).toEqual([]);
    expect(await read((reads) => reads.ownedByDeadRunner(["running"], 100, 10))).toEqual([]);
  });

  it("lists no invocation that an auto-purge removed, and skips it in pages", async () => {
    const all = Array.from(
      { length: 60 },
      (_, i): Registered => ({
        id: `id-${String(i).padStart(2, "0")}`,
        status: i % 3 === 0 ? "success" : null,
        time: i,
      }),
    );
    await register(...all);
    const left = all
      .filter((one) => one.status !== null)
      .map((one) => one.id)
      .reverse();
    expect(await ids()).toEqual(left);
    const page = await read((reads) => reads.listInvocations({}, { limit: 4, offset: 7 }));
    expect(page.map((row) => row.invocation_id)).toEqual(left.slice(7, 11));
    expect(await read((reads) => reads.countInvocations({ task_id_key: "t.f" }, 15))).toBe(15);
    expect(await read((reads) => reads.countByTaskAndStatus())).toEqual([
      { task_id_key: "t.f", status: "success", count: 20 },
    ]);
    await register({ id: "gone", task: "t.gone", status: null, time: 99 });
    expect(await read((reads) => reads.taskKeys())).toEqual(["t.f"]);
    expect(await read((reads) => reads.lastActivityOfTasks(["t.f", "t.gone"]))).toEqual({ "t.f": 57 });
  });

  it("treats unreadable statuses as absent", async () => {
    await register(...["text", "list", "words", "time"].map((id, i) => ({ id, status: "failed", time: i })));
    await write(
      ["SET", key("invocation_status", "text"), "not { JSON"],
      ["DEL", key("invocation_status", "list")],
      ["RPUSH", key("invocation_status", "list"), "of another type"],
      ["SET", key("invocation_status", "words"), '["failed"]'],
      ["SET", key("invocation_status", "time"), '{"status": "failed", "runner_id": null, "timestamp": "yesterday"}'],
    );
    expect(await read((reads) => reads.countByStatus())).toEqual({});
    expect(await ids({ statuses: ["failed"] })).toEqual([]);
    expect(await read((reads) => reads.statusesByIds(["text", "list", "words", "time"]))).toEqual([]);
  });

  it("keeps unknown statuses and owners", async () => {
    const words = ["waiting_for_a_miracle", "__proto__", "<b>"];
    await register(...words.map((status, i) => ({ id: `id ${i}`, status, owner: "ü:*", time: i })));
    expect(Object.entries(await read((reads) => reads.countByStatus())).sort()).toEqual(
      words.map((word) => [word, 1]).sort(),
    );
    const rows = await read((reads) => reads.listInvocations({ statuses: ["<b>"] }, ALL));
    expect(rows.map((row) => [row.invocation_id, row.status_runner_id])).toEqual([["id 2", "ü:*"]]);
  });

  it("takes the task from the definition when the call is lost", async () => {
    await register(
      { id: "defined", status: "failed", time: 2 },
      { id: "lost", status: "failed", time: 1 },
      { id: "colons", task: "odd:module.f", status: "failed", time: 3 },
    );
    await write(
      ["DEL", key("invocation_to_call", "defined"), key("invocation_to_call", "lost")],
      [
        "SET",
        keys.key("state_backend", "invocation", "defined"),
        '{"task_id_key": "t.f", "call_id_key": "t.f:no_args", "invocation_id": "defined"}',
      ],
    );
    const rows = await read((reads) => reads.listInvocations({}, ALL));
    expect(rows.map((row) => [row.invocation_id, row.task_id_key, row.call_id_key])).toEqual([
      ["colons", "odd:module.f", "odd:module.f:no_args"],
      ["defined", "t.f", "t.f:no_args"],
      ["lost", "", ""],
    ]);
    expect(await ids({ call_id_key: "t.f:no_args" })).toEqual(["defined"]);
  });

  it("orders registrations of the same moment as the server does, also by cursor", async () => {
    const names = ["b", "B", "é", "zz", "a", "😀", "～", ...Array.from({ length: 40 }, (_, i) => `n${i}`)];
    await register(...names.map((id) => ({ id, status: "success", time: 7 })));
    const whole = await ids();
    expect(new Set(whole)).toEqual(new Set(names));
    const byCursor: string[] = [];
    for (let after: string | undefined; byCursor.length < names.length; ) {
      const rows = await read((reads) => reads.listInvocations({}, { limit: 3, offset: 0 }, after));
      byCursor.push(...rows.map((row) => row.invocation_id));
      after = rows.at(-1)?.cursor;
      if (rows.length === 0) break;
    }
    expect(byCursor).toEqual(whole);
  });

  it("continues after a row, whatever was registered or purged meanwhile", async () => {
    await register(...[1, 2, 3, 4, 5, 6].map((time) => ({ id: `id-${time}`, status: "success", time })));
    const first = await read((reads) => reads.listInvocations({}, { limit: 3, offset: 0 }));
    await register(...[6, 7, 8].map((time) => ({ id: `new-${time}`, status: "success", time })));
    await write(["ZREM", key("all_invocations_by_time"), "id-4"]);
    const next = await read((reads) => reads.listInvocations({}, { limit: 3, offset: 0 }, first.at(-1)?.cursor));
    expect(next.map((row) => row.invocation_id)).toEqual(["id-3", "id-2", "id-1"]);
  });

  it("leaves out heartbeats without a time", async () => {
    const beat = (id: string, ...fields: string[]): Command => ["HSET", key("runner_heartbeat", id), ...fields];
    await write(
      ["ZADD", key("runner_heartbeats"), "1", "gone", "2", "whole", "3", "late", "4", "broken"],
      beat("whole", "creation_timestamp", "2.5", "last_heartbeat", "9.25", "can_run_atomic_service", "0"),
      beat("late", "last_heartbeat", "8"),
      beat("broken", "creation_timestamp", "4", "last_heartbeat", "soon"),
    );
    const rest = {
      allow_to_run_atomic_service: false,
      last_service_start: null,
      last_service_end: null,
      consumed_queues: null,
    };
    expect(await read((reads) => reads.heartbeats(ALL))).toEqual([
      { runner_id: "whole", creation_timestamp: 2.5, last_heartbeat: 9.25, ...rest },
      { runner_id: "late", creation_timestamp: 8, last_heartbeat: 8, ...rest },
    ]);
    await register(
      ...["gone", "whole", "late", null].map((owner, i) => ({ id: `of ${owner}`, status: "running", owner, time: i })),
    );
    const lost = await read((reads) => reads.ownedByDeadRunner(["running"], 9, 10));
    expect(lost.map((row) => row.invocation_id)).toEqual(["of gone", "of late"]);
  });

  it("finds a running service execution behind thousands that ended", async () => {
    const run = (id: string, second: number, status: string): Command[] => [
      ["ZADD", key("atomic_service_executions"), String(1_800_000_000 + second), id],
      [
        "SET",
        key("atomic_service_execution", id),
        JSON.stringify({ runner_id: "r", start_time: new Date((1_800_000_000 + second) * 1000).toISOString(), status }),
      ],
    ];
    await write(
      ...run("ongoing", 0, "running"),
      ...Array.from({ length: 2_100 }, (_, i) => run(`run ${i}`, i + 1, "completed")).flat(),
    );
    const running = async () =>
      (await read((reads) => reads.executions(ALL, { status: "running" }))).map((one) => one.atomic_service_run_id);
    await write(["SET", key("atomic_service_active_execution"), "ongoing"]);
    expect(await running()).toEqual(["ongoing"]);
    await write(["SET", key("atomic_service_active_execution"), "run 3"]);
    expect(await running()).toEqual([]);
    await write(...run("newest", 9_000, "running"), ["SET", key("atomic_service_active_execution"), "newest"]);
    expect(await running()).toEqual(["newest"]);
  });

  it("finds the service executions of a time range without reading those long before it", async () => {
    const iso = (second: number) => new Date((1_800_000_000 + second) * 1000).toISOString();
    const run = (id: string, second: number, end: number | null): Command[] => [
      ["ZADD", key("atomic_service_executions"), String(1_800_000_000 + second), id],
      [
        "SET",
        key("atomic_service_execution", id),
        JSON.stringify({
          runner_id: "r",
          start_time: iso(second),
          end_time: end === null ? null : iso(end),
          status: end === null ? "running" : "completed",
        }),
      ],
    ];
    await write(
      ...run("ongoing", 0, null),
      ...run("as old", 1, 5_901),
      ...Array.from({ length: 6_000 }, (_, i) => run(`run ${i + 2}`, i + 2, i + 2.5)).flat(),
      ...run("long", 5_000.5, 5_901),
      ["SET", key("atomic_service_active_execution"), "ongoing"],
    );
    const range = { from: 1_800_005_900, to: 1_800_005_901 };
    const before = orchestrator.commands();
    const found = await read((reads) => reads.executions(ALL, range));
    // pynenc keeps a thousand: what lasted longer than a thousand later ones has most likely been killed.
    expect(found.map((one) => one.atomic_service_run_id)).toEqual(["run 5901", "run 5900", "long", "ongoing"]);
    expect(totalOf(await read((reads) => reads.countExecutions(range)))).toBe(4);
    expect(orchestrator.commands() - before).toBeLessThan(20);
  });

  it("reads service executions where they are recorded", async () => {
    const run = (id: string, start: number, rest: object): Command[] => [
      ["ZADD", key("atomic_service_executions"), String(start), id],
      [
        "SET",
        key("atomic_service_execution", id),
        JSON.stringify({ runner_id: "r", start_time: `2026-07-04T10:00:0${start}+00:00`, ...rest }),
      ],
    ];
    await write(
      ...run("a1", 1, { end_time: "2026-07-04T10:00:01.500000+00:00", status: "completed", reason: "" }),
      ...run("b2", 2, { end_time: "2026-07-04T10:00:05.000000+00:00", status: "abandoned", reason: "too slow" }),
      ...run("a3", 3, { end_time: null, status: "running", runner_id: "other" }),
      ...run("no", 4, { end_time: null }),
      ["ZADD", key("atomic_service_executions"), "5", "without a record"],
    );
    const starts = Date.parse("2026-07-04T10:00:00Z") / 1000;
    const found = async (filter = {}) =>
      (await read((reads) => reads.executions(ALL, filter))).map((one) => one.atomic_service_run_id);
    expect(await found()).toEqual(["a3", "b2", "a1"]);
    expect(await found({ status: "completed" })).toEqual(["a1"]);
    expect(await found({ runner_id: "r", id_prefix: "b" })).toEqual(["b2"]);
    expect(await found({ from: starts + 1.6, to: starts + 2 })).toEqual(["b2"]);
    expect(await found({ from: starts + 6 })).toEqual(["a3"]);
    expect(await found({ min_seconds: 3 })).toEqual(["b2"]);
    expect(totalOf(await read((reads) => reads.countExecutions({}, 2)))).toBe(2);
    expect(await read((reads) => reads.countExecutions())).toEqual({ running: 1, abandoned: 1, completed: 1 });
    expect(
      await read((reads) => reads.executions({ limit: 1_000, offset: 0 }, { ids: ["b2", "nobody", "b2"] })),
    ).toEqual([
      {
        atomic_service_run_id: "b2",
        runner_id: "r",
        start_time: starts + 2,
        end_time: starts + 5,
        status: "abandoned",
        reason: "too slow",
      },
    ]);
  });

  it("reads a service execution that ended once only, and a running one again until it ends", async () => {
    const path = (id: string) => key("atomic_service_execution", id);
    const record = (end: string | null, reason: string) =>
      JSON.stringify({
        runner_id: "r",
        start_time: "2026-07-04T10:00:01+00:00",
        end_time: end,
        status: end === null ? "running" : "completed",
        reason,
      });
    const ended = "2026-07-04T10:00:02+00:00";
    await write(
      ["ZADD", key("atomic_service_executions"), "1", "goes on", "2", "has ended", "3", "goes"],
      ["SET", path("goes on"), record(null, "as it began")],
      ["SET", path("has ended"), record(ended, "as it ended")],
      ["SET", path("goes"), record(ended, "as it ended")],
    );
    const reasons = async () =>
      Object.fromEntries(
        (await read((reads) => reads.executions(ALL))).map((one) => [one.atomic_service_run_id, one.reason]),
      );
    expect(await reasons()).toEqual({
      "goes on": "as it began",
      "has ended": "as it ended",
      goes: "as it ended",
    });
    // Nobody does this: it shows what is read again.
    await write(
      ["SET", path("goes on"), record(ended, "as it ended")],
      ["SET", path("has ended"), record(ended, "read again")],
      ["DEL", path("goes")],
    );
    expect(await reasons()).toEqual({ "goes on": "as it ended", "has ended": "as it ended" });
    expect(
      (await read((reads) => reads.executions({ limit: 1_000, offset: 0 }, { ids: ["goes", "has ended"] }))).map(
        (run) => run.reason,
      ),
    ).toEqual(["as it ended"]);
  });
});
