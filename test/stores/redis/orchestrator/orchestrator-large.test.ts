/** More registrations than are read one by one: every way to a list gives what the statuses say, and the round trips of a page stay few. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StatusFilter } from "../../../../src/stores/ports/orchestrator.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { type OrchestratorOf, orchestratorOn } from "./orchestrator-of.ts";
import { type Registered, registered } from "./registered.ts";

const APP = "large";
const TOTAL = 8_000;
const ALL = { limit: TOTAL, offset: 0 };

/** Ids that say nothing of their time, and runs of up to three of one moment. */
const WORLD: (Registered & { task: string; argumentsId: string })[] = Array.from({ length: TOTAL }, (_, i) => ({
  id: `${((i * 7_919) % TOTAL).toString(16).padStart(8, "0")}-0000-4000-8000-${String(i).padStart(12, "0")}`,
  task: i % 10 === 0 ? "t.rare" : "t.often",
  argumentsId: i % 40 === 0 ? "a".repeat(64) : "no_args",
  status: statusOf(i),
  time: 1_000 + Math.floor(i / 3),
}));

/** Old failures, new retries, a few that run everywhere, some purged. */
function statusOf(i: number): string | null {
  if (i % 1_000 === 500) return "running";
  if (i % 17 === 3) return null;
  if (i < 2_000) return i % 5 < 3 ? "failed" : "success";
  return i > 6_000 && i % 4 < 3 ? "retry" : "success";
}

const ORDER = WORLD.filter((one) => one.status !== null).sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));

function meeting(filter: StatusFilter): string[] {
  return ORDER.filter(
    (one) =>
      (filter.statuses?.includes(one.status ?? "") ?? true) &&
      (filter.task_id_key ?? one.task) === one.task &&
      (filter.call_id_key ?? `${one.task}:${one.argumentsId}`) === `${one.task}:${one.argumentsId}` &&
      one.id.startsWith(filter.id_prefix ?? ""),
  ).map((one) => one.id);
}

const FILTERS: StatusFilter[] = [
  {},
  { statuses: ["success"] },
  { statuses: ["failed"] },
  { statuses: ["retry"] },
  { statuses: ["running"] },
  { statuses: ["failed", "running", "none"] },
  { statuses: ["none"] },
  { task_id_key: "t.rare" },
  { task_id_key: "t.often", statuses: ["failed"] },
  { call_id_key: "t.often:no_args" },
  { call_id_key: `t.rare:${"a".repeat(64)}`, statuses: ["success"] },
  { id_prefix: "0" },
  { id_prefix: "00001" },
  { id_prefix: "00001", statuses: ["failed"] },
  { id_prefix: ORDER[77]?.id ?? "" },
  { id_prefix: "00000?" },
];

describeWithRedis("the orchestrator in Redis, with many invocations", () => {
  let server: RedisServer;
  let orchestrator: OrchestratorOf;
  beforeAll(async () => {
    server = await startRedis();
    orchestrator = orchestratorOn(server, APP);
    await server.exchange(WORLD.flatMap((one) => registered(APP, one)));
  });
  afterAll(async () => {
    await orchestrator.close();
    await server.close();
  });

  const read: OrchestratorOf["read"] = (fn) => orchestrator.read(fn);
  const list = async (filter: StatusFilter, limit: number, offset = 0, after?: string) =>
    read((reads) => reads.listInvocations(filter, { limit, offset }, after));

  it.each(FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
    "lists invocations by %s",
    async (_, filter) => {
      const expected = meeting(filter);
      expect((await list(filter, ALL.limit)).map((row) => row.invocation_id)).toEqual(expected);
      expect(await read((reads) => reads.countInvocations(filter, TOTAL))).toBe(expected.length);
      expect(await read((reads) => reads.countInvocations(filter, 3))).toBe(Math.min(3, expected.length));
      const page = await list(filter, 5, 20);
      expect(page.map((row) => row.invocation_id)).toEqual(expected.slice(20, 25));
      const next = await list(filter, 50, 0, page.at(-1)?.cursor);
      expect(next.map((row) => row.invocation_id)).toEqual(expected.slice(page.length > 0 ? 25 : 0).slice(0, 50));
      const last = await list(filter, 500, 0, (await list(filter, 1, Math.max(0, expected.length - 4)))[0]?.cursor);
      expect(last.map((row) => row.invocation_id)).toEqual(expected.slice(-3).slice(expected.length > 3 ? 0 : 1));
    },
  );

  it.each([1_000, 2_500, 7_999, 100_000])(
    "searches for the beginning of an id among %d registrations at a time",
    async (most) => {
      for (const filter of FILTERS.filter(({ id_prefix }) => id_prefix !== undefined)) {
        const indexed = await read((reads) => reads.isIndexed(filter));
        expect([filter, indexed]).toEqual([
          filter,
          filter.statuses !== undefined || filter.id_prefix === ORDER[77]?.id,
        ]);
        const met: string[] = [];
        // Each step begins its search again: five rows at a time of thousands would be thousands of searches.
        const page = meeting(filter).length > 1_000 ? 600 : 5;
        for (let after: string | undefined; ; ) {
          const step = await read((reads) => reads.scanInvocations(filter, page, most, after));
          expect(step.scanned).toBeLessThanOrEqual(Math.max(page, most));
          met.push(...step.rows.map((row) => row.invocation_id));
          after = step.stopped?.cursor ?? step.rows[page - 1]?.cursor;
          if (after === undefined) break;
          expect(step.stopped === null || step.scanned === most).toBe(true);
        }
        expect([filter, met]).toEqual([filter, meeting(filter)]);
      }
    },
  );

  it("counts by the sets of statuses and tasks", async () => {
    const count = (test: (one: (typeof ORDER)[number]) => boolean) => ORDER.filter(test).length;
    const words = ["failed", "retry", "running", "success"];
    const counts = await read((reads) => reads.countByStatus());
    expect(counts).toEqual(Object.fromEntries(words.map((word) => [word, count(({ status }) => status === word)])));
    const shares = await read((reads) => reads.countByTaskAndStatus());
    const expected = ["t.often", "t.rare"].flatMap((task) =>
      words.map((status) => ({
        task_id_key: task,
        status,
        count: count((one) => one.task === task && one.status === status),
      })),
    );
    const name = (share: (typeof shares)[number]) => `${share.task_id_key} ${share.status} ${share.count}`;
    expect(shares.map(name).sort()).toEqual(
      expected
        .filter((share) => share.count > 0)
        .map(name)
        .sort(),
    );
    expect(await read((reads) => reads.taskKeys())).toEqual(["t.often", "t.rare"]);
  });

  it("skips more than a thousand rows when nothing was purged", async () => {
    const whole = orchestratorOn(server, "whole");
    const world = WORLD.map((one) => ({ ...one, status: one.status ?? "success" }));
    await server.exchange(world.flatMap((one) => registered("whole", one)));
    const order = world.sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1));
    for (const [filter, expected] of [
      [{}, order],
      [{ task_id_key: "t.often" }, order.filter((one) => one.task === "t.often")],
    ] as const) {
      for (const offset of [1_000, 6_543, expected.length - 1, expected.length, 100_000]) {
        const page = await whole.read((reads) => reads.listInvocations(filter, { limit: 3, offset }));
        expect(page.map((row) => row.invocation_id)).toEqual(expected.slice(offset, offset + 3).map((one) => one.id));
      }
    }
    await whole.close();
  });

  it("needs few round trips for a page", async () => {
    for (const filter of FILTERS) {
      const before = orchestrator.roundTrips();
      await list(filter, 50);
      expect(orchestrator.roundTrips() - before, JSON.stringify(filter)).toBeLessThan(20);
    }
    const before = orchestrator.roundTrips();
    await read((reads) => reads.statusesByIds(ORDER.slice(0, 3_000).map((one) => one.id)));
    expect(orchestrator.roundTrips() - before).toBeLessThan(6);
  });
});
