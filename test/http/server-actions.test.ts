/** Actions on a store that is a server, as a script and as a reader of pages meets them. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type {
  AutoPurgePreview,
  OrchestratorPurgeOutcome,
  PurgeOutcome,
  PurgePreview,
  PurgeTarget,
} from "../../src/api/actions.ts";
import { fixturePath } from "../support/fixtures.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const NOW = Date.UTC(2026, 10, 21, 1, 3, 43) / 1000;
const ORCHESTRATOR = "__pynenc__:kitchen_sink:orchestrator:";
const QUEUE = "__pynenc__:kitchen_sink:broker:default_queue";
const warning = (missing: string) =>
  `6 messages stay in the queue for invocations without a ${missing}. A ThreadRunner that takes one stops;`;
const saysSo = (missing: string) => expect.arrayContaining([expect.stringContaining(warning(missing))]);

describeWithRedis("actions on an app in Redis", () => {
  let server: RedisServer;
  let monitor: Monitor;
  beforeEach(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    monitor = await monitorOn({ url: server.url }, "in process", { app: "kitchen_sink", now: NOW });
  });
  afterEach(async () => {
    await monitor.close();
    await server.close();
  });

  it("warn that messages without their records stop runners", async () => {
    for (const [target, missing] of [
      ["orchestrator", "status"],
      ["state-backend", "definition"],
    ] as const) {
      const { consequences } = await monitor.json<PurgePreview>(`/${target}/purge`);
      expect(consequences).toEqual(saysSo(missing));
      expect(await monitor.text(`/${target}/purge`)).toContain(warning(missing));
    }
    for (const path of ["/broker/purge", "/client-data-store/purge", "/triggers/purge", "/purge"]) {
      const { consequences } = await monitor.json<PurgePreview>(path);
      expect([path, consequences.filter((one) => one.includes("stay in the queue"))]).toEqual([path, []]);
    }
    await server.exchange([["DEL", QUEUE]]);
    const emptied = await monitor.json<PurgePreview>("/orchestrator/purge");
    expect(emptied.consequences).not.toEqual(saysSo("status"));
  });

  it("purge what the preview announced", async () => {
    const targets: PurgeTarget[] = ["broker", "orchestrator", "triggers", "client-data-store", "state-backend"];
    for (const target of targets) {
      const preview = await monitor.json<PurgePreview>(`/${target}/purge`);
      expect([target, preview.refused, preview.total > 0]).toEqual([target, null, true]);
      const response = await monitor.post(`/${target}/purge`, { app_id: "kitchen_sink" });
      expect([target, response.status]).toEqual([target, 200]);
      const { deleted, rows } = (await response.json()) as PurgeOutcome;
      expect({ deleted, rows }).toEqual({ deleted: preview.total, rows: preview.counts });
    }
    const keys = (await server.exchange([["KEYS", "__pynenc__:*kitchen_sink*"]]))[0];
    expect(keys).toEqual(["__pynenc__:__pynenc__:apps_info:kitchen_sink"]);
    expect((await monitor.get("/", { headers: { accept: "text/html" } })).status).toBe(200);
  });

  it("auto-purge leftovers of the plugin too, and keep invocations that have a message", async () => {
    const finals = (
      await server.exchange([["ZRANGE", `${ORCHESTRATOR}invocation_auto_purge`, "0", "2"]])
    )[0] as string[];
    const [leaked = "", queued = ""] = finals;
    await server.exchange([
      ["DEL", `${ORCHESTRATOR}invocation_status:${leaked}`],
      ["ZREM", `${ORCHESTRATOR}invocation_auto_purge`, leaked],
      ["RPUSH", QUEUE, queued],
    ]);
    // Of 165 final ones another is the child of an invocation that is not final.
    const settings = "?auto_final_invocation_purge_hours=0";
    const preview = await monitor.json<AutoPurgePreview>(`/orchestrator/auto-purge${settings}`);
    const count = (name: string) => preview.counts.find((one) => one.name === name);
    expect(count("invocations")).toEqual({ component: "orchestrator", name: "invocations", rows: 162, exact: true });
    expect(count("leaked_index_entries")?.rows).toBe(1);
    expect(count("invocations_kept")).toBeUndefined();
    expect(preview.stays.join(" ")).toContain("1 invocation due for removal, because a message is still queued for it");
    const response = await monitor.post("/orchestrator/auto-purge", { auto_final_invocation_purge_hours: 0 });
    const outcome = (await response.json()) as OrchestratorPurgeOutcome;
    expect(outcome).toMatchObject({ success: true, deleted: 162, leaked_index_entries: 1, invocations_kept: 1 });
    expect(outcome.message).toContain("162 final invocations and 0 executions removed, and 1 index entry");
    const again = await monitor.json<AutoPurgePreview>(`/orchestrator/auto-purge${settings}`);
    expect(again.total).toBe(0);
    expect(again.counts.map(({ name }) => name)).not.toContain("leaked_index_entries");
  });

  it("register the same call again with a message in the queue", async () => {
    const [[source = ""]] = (await server.exchange([["ZRANGE", `${ORCHESTRATOR}invocation_auto_purge`, "0", "0"]])) as [
      string[],
    ];
    const response = await monitor.post(`/invocations/${source}/rerun`);
    expect(response.status).toBe(200);
    const [[made = ""]] = (await server.exchange([["LRANGE", QUEUE, "-1", "-1"]])) as [string[]];
    expect(await response.text()).toContain(made);
    expect((await monitor.get(`/invocations/${made}`, { headers: { accept: "text/html" } })).status).toBe(200);
  });
});
