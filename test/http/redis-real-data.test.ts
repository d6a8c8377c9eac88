import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import type { OrchestratorOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import { monitorOn, sharedMonitor } from "../support/monitor.ts";
import { REDIS_PRESENT, REDIS_RDB, redisFactsOf } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const TORN_ROOT = "5f8bcf72-b487-446f-81e0-acc59ef4e6d5";
const LIVE_WORKFLOW = "ebfd6e87-22c1-4f42-8deb-a354c6ed8a1b";
const NEVER_RUN = "8137befa-e4a7-44f3-99fa-bbd772017aa5";

type Family = Pick<FamilyPicture, "rows">;

describeWithRedis("pages on the real Redis data", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
  });
  afterAll(() => server.close());
  const open = (app: string, now = REDIS_PRESENT) => monitorOn({ url: server.url }, "in process", { app, now });

  describe("after a runner was killed in the middle of a write", () => {
    const facts = redisFactsOf("kitchen_sink");
    const monitor = sharedMonitor(() => open("kitchen_sink"));

    it("draw the whole family tree, with the members that have no status", async () => {
      const { rows } = await monitor.json<Family>(`/invocations/${TORN_ROOT}/family-tree`);
      expect(rows.map((row) => row.depth).sort()).toEqual([0, 1, 1, 1, ...Array(9).fill(2)]);
      const unknown = rows.filter((row) => row.invocation?.status === "unknown").map((row) => row.id);
      expect(unknown.sort()).toEqual(Object.keys(facts.torn).sort());
      const page = await monitor.text(`/invocations/${TORN_ROOT}/family-tree`);
      for (const { id } of rows) expect(page).toContain(`/invocations/${id}`);
    });

    it.each(Object.entries(facts.torn))("show the stored data of %s", async (id, parent) => {
      const detail = await monitor.json<InvocationDetail>(`/invocations/${id}`);
      expect(detail).toMatchObject({ status: "unknown", history: [], registered_at: null, queued: false, owner: null });
      expect(detail.parent?.invocation_id).toBe(parent);
      expect(detail.notes.join(" ")).toMatch(/neither a status nor a history/);
      const { rows } = await monitor.json<Family>(`/invocations/${id}/family-tree`);
      expect(rows.map((row) => row.id)).toEqual(expect.arrayContaining([id, parent]));
      const page = await monitor.get(`/invocations/${id}`, { headers: { accept: "text/html" } });
      expect([page.status, (await monitor.get(`/invocations/${id}/history`)).status]).toEqual([200, 200]);
      const siblings = await monitor.json<InvocationList>(`/invocations/?parent=${parent}`);
      expect(siblings.invocations.map((row) => row.invocation_id)).toContain(id);
    });

    it("show which invocation waits for which, and from when on one is stuck", async () => {
      const { blocking, blocking_count } = await monitor.json<OrchestratorOverview>("/orchestrator/");
      expect(blocking.map((pair) => [pair.waiter.invocation_id, pair.waited.invocation_id]).sort()).toEqual([
        ["012e9c75-76b9-433b-901e-8693fb62ad80", "dda71b04-f13e-4d80-ad84-49f29fbd845e"],
        [TORN_ROOT, "4135dd35-1e8b-49d3-b7f8-b8b32b441ab5"],
        [LIVE_WORKFLOW, NEVER_RUN],
      ]);
      expect(blocking_count).toBe(3);
      const { verdicts, overview } = await monitor.json<Dashboard>("/");
      // By the default ten minutes all 29 would be alive; a recovery has shown that the app waits less.
      expect([verdicts, overview.active_runners]).toEqual([[], 4]);
      const later = await open("kitchen_sink", REDIS_PRESENT + 660);
      try {
        const found = await later.json<Dashboard>("/");
        const ids = (code: string) => {
          const { evidence = [] } = found.verdicts.find((verdict) => verdict.code === code) ?? {};
          return evidence.flatMap(({ kind, id }) => (kind === "invocation" ? id : [])).sort();
        };
        const open = (status: string, wanted: (id: string) => boolean = () => true) =>
          facts.not_final
            .filter((one) => one.status === status && wanted(one.invocation_id))
            .map((one) => one.invocation_id)
            .sort();
        expect(ids("stuck_pending")).toEqual(open("pending"));
        expect(ids("running_on_dead_runner")).toEqual(open("running"));
        expect(ids("paused_on_dead_runner")).toEqual(open("paused"));
        // A runner takes what another one waits for without its message.
        const isLost = (id: string) => !facts.queue.includes(id) && id !== NEVER_RUN;
        expect(ids("waiting_in_no_queue")).toEqual(open("registered", isLost));
        expect(found.overview.active_runners).toBe(0);
      } finally {
        await later.close();
      }
    });

    it("show the live workflow and its sub-workflow that never ran", async () => {
      expect((await monitor.get(`/workflows/runs/${LIVE_WORKFLOW}`)).status).toBe(200);
      const never = await monitor.json<InvocationDetail>(`/invocations/${NEVER_RUN}`);
      expect(never).toMatchObject({ status: "registered", queued: false });
      expect(never.parent?.invocation_id).toBe(LIVE_WORKFLOW);
    });
  });
});
