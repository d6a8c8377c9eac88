/** Pages that begin at a place, in files and on a server: reruns that are registered in the meantime do not move them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import { fixturePath } from "../support/fixtures.ts";
import { type Monitor, monitorOf, monitorOn, sharedMonitor } from "../support/monitor.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const APP = "kitchen_sink";
const NOW = Date.UTC(2026, 10, 21, 1, 3, 43) / 1000;

type List = readonly [path: string, list: string, id: string];

const INVOCATIONS: List = ["/invocations/", "invocations", "invocation_id"];
/** The fixture of the server is of a plugin that records neither. */
const RECORDED_LATER: readonly List[] = [
  ["/events/", "events", "event_id"],
  ["/trigger-runs/", "trigger_runs", "trigger_run_id"],
];

function cases(monitorNow: () => Monitor, lists: readonly List[]): void {
  const list = (query: string) => monitorNow().json<InvocationList>(`/invocations/?${query}`);
  const idsOf = ({ invocations }: InvocationList) => invocations.map((row) => row.invocation_id);

  it.each([
    ["all", ""],
    ["of a status", "status=success"],
    ["of a task and two statuses", "task_id=tasks.add&status=success,failed"],
    ["that a condition is checked on", "q=run<1h"],
    ["of a workflow type", "workflow_type=tasks.wf_inner"],
    ["of a time range", "from=2020-01-01"],
  ])("a cursor through invocations (%s) meets each of them once while others are registered", async (_, filter) => {
    const whole = idsOf(await list(`${filter}&limit=1000`));
    expect(whole.length).toBeGreaterThan(13);
    // One that is over: others are refused.
    const [again] = idsOf(await list("status=success&task_id=tasks.add&limit=1"));
    const met: string[] = [];
    let page = await list(`${filter}&limit=13`);
    for (let steps = 0; ; steps++) {
      met.push(...idsOf(page));
      if (page.older === null) break;
      if (steps % 4 === 1) expect((await monitorNow().post(`/invocations/${again}/rerun`)).status).toBe(200);
      page = await list(`${filter}&limit=13&after=${encodeURIComponent(page.older)}`);
    }
    expect(met).toEqual(whole);
  });

  it.each(["", "x", "-", "9".repeat(300), "12:x", "[", '["x",1,"y"]', "[null,{}]", "\u0000", "日本"])(
    "an invalid cursor (%j) is answered with 200",
    async (place) => {
      for (const filter of ["", "status=success", "workflow_type=tasks.add", "from=2020-01-01", "q=run<1h"]) {
        const response = await monitorNow().get(`/invocations/?${filter}&after=${encodeURIComponent(place)}`);
        expect([filter, response.status]).toEqual([filter, 200]);
      }
    },
  );

  it.each(lists)("the page %s can be followed forwards and back by its cursors", async (path, list, id) => {
    const hrefs = async (address: string) => {
      const html = await monitorNow().text(address);
      const links = [...html.matchAll(/<a class="button" href="([^"]*)"[^>]*>(Newest|Newer|Older|Oldest)<\/a>/g)];
      return new Map(
        links.map(([, href = "", label = ""]) => [label, href.replaceAll("&amp;", "&").replace(/&app=\w+$/, "")]),
      );
    };
    const rows = async (address: string) => {
      const answer = await monitorNow().json<Record<string, Record<string, string>[]>>(address);
      return (answer[list] ?? []).map((row) => row[id]);
    };
    const first = `${path}?limit=2`;
    const trail = [first];
    for (let pages = 0; pages < 4; pages++) {
      const next = (await hrefs(trail.at(-1) ?? "")).get("Older") ?? "";
      expect(trail).not.toContain(next);
      trail.push(next);
    }
    const seen = await Promise.all(trail.map(rows));
    expect(seen.flat()).toEqual((await rows(`${path}?limit=200`)).slice(0, 10));
    for (let at = trail.length - 1; at > 0; at--) {
      const back = await hrefs(trail[at] ?? "");
      expect([back.get("Newer"), back.get("Newest")]).toEqual([trail[at - 1], first]);
    }
    const oldest = (await hrefs(first)).get("Oldest") ?? "";
    expect(new URL(oldest, "http://monitor").searchParams.get("page")).toMatch(/^\d+$/);
  });
}

describe("cursors of lists in a file", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: APP, now: NOW }));
  cases(() => monitor, [INVOCATIONS, ...RECORDED_LATER]);
});

describeWithRedis("cursors of lists on a server", () => {
  let server: RedisServer;
  let monitor: Monitor;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    monitor = await monitorOn({ url: server.url }, "in process", { app: APP, now: NOW });
  });
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });
  cases(() => monitor, [INVOCATIONS]);
});
