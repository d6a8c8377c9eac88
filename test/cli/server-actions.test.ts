/** `monitor purge`, `auto-purge` and `rerun` on a store that is a server. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AutoPurgePreview, OrchestratorPurgeOutcome, PurgeOutcome, PurgePreview } from "../../src/api/actions.ts";
import { fixturePath } from "../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { monitor } from "./monitor.ts";

const QUEUE = "__pynenc__:kitchen_sink:broker:default_queue";
const STATUSES = "__pynenc__:kitchen_sink:orchestrator:invocation_status:*";

describeWithRedis("commands that change an app in Redis", () => {
  let server: RedisServer;
  let here: string[];
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    here = ["--url", server.url, "--now", "2026-11-21T01:03:43+00:00", "--app", "kitchen_sink"];
  });
  afterAll(() => server.close());

  const keys = async (pattern: string) => (await server.exchange([["KEYS", pattern]]))[0] as string[];

  it("rerun a call, auto-purge and purge a component", async () => {
    const [first = ""] = await keys(STATUSES.replace("*", "18315ef4*"));
    const id = first.slice(first.lastIndexOf(":") + 1);
    const rerun = await monitor([...here, "rerun", id, "--yes", "--json"]);
    expect(rerun.code).toBe(0);
    const [[made = ""]] = (await server.exchange([["LRANGE", QUEUE, "-1", "-1"]])) as [string[]];
    expect(rerun.stdout).toContain(made);

    // Of 165 final ones one is the child of an invocation that is not.
    const hours = ["auto-purge", "orchestrator", "--hours", "0", "--json"];
    const looked = await monitor([...here, ...hours, "--dry-run"]);
    const { orchestrator } = JSON.parse(looked.stdout) as { orchestrator: AutoPurgePreview };
    expect(orchestrator.counts.find(({ name }) => name === "invocations")?.rows).toBe(164);
    const before = await keys(STATUSES);
    const done = await monitor([...here, ...hours, "--yes"]);
    const purged = (JSON.parse(done.stdout) as { orchestrator: OrchestratorPurgeOutcome }).orchestrator;
    expect([done.code, purged.invocations, purged.leaked_index_entries]).toEqual([0, 164, 0]);
    expect(await keys(STATUSES)).toHaveLength(before.length - 164);

    const preview = await monitor([...here, "purge", "orchestrator", "--dry-run"]);
    expect([preview.code, preview.stdout + preview.stderr]).toEqual([
      0,
      expect.stringContaining("A ThreadRunner that takes one stops"),
    ]);
    const shown = await monitor([...here, "purge", "orchestrator", "--dry-run", "--json"]);
    const outcome = await monitor([...here, "purge", "orchestrator", "--yes", "--json"]);
    expect((JSON.parse(outcome.stdout) as PurgeOutcome).rows).toEqual(
      (JSON.parse(shown.stdout) as PurgePreview).counts,
    );
    expect(await keys(STATUSES)).toEqual([]);
    expect(await keys("__pynenc__:kitchen-sink.two/β:orchestrator:invocation_status:*")).toHaveLength(7);
  });

  it("exit with 4 when the server is gone", async () => {
    await server.stop();
    const { code, stderr } = await monitor([...here, "purge", "broker", "--yes"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("No Redis server answers")]);
  });
});
