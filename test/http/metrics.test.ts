/** `/metrics`, as Prometheus asks for it. */
import { describe, expect, it } from "vitest";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const OTHER = "kitchen-sink.two/β";

const monitor = sharedMonitor(() =>
  monitorOf("kitchen_sink.db", "over a socket", { app: APP, now: Date.parse("2026-11-22") / 1_000 }),
);

const ACCEPT = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,*/*;q=0.1";

describe("/metrics", () => {
  it("answers in the text format and forbids caching, whatever the client accepts", async () => {
    const response = await monitor.get("/metrics", { headers: { accept: ACCEPT } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await response.text();
    expect(text).toContain(`pynenc_store_up{app="${APP}"} 1\n`);
    // Of the database: sqlite3 kitchen_sink.db "SELECT status, count(*) ... GROUP BY status".
    expect(text).toContain(`pynenc_invocations{app="${APP}",status="success"} 183\n`);
    expect(text).toContain(`pynenc_monitor_info{app="${APP}",version="0.0.0-test"} 1\n`);
    // HELP and TYPE of a metric come once, right before its samples.
    const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name);
    expect(new Set(families).size).toBe(families.length);
    expect(text.endsWith("\n")).toBe(true);
    expect((await monitor.get("/metrics", { method: "HEAD" })).status).toBe(200);
  });

  it("has as many verdicts as the dashboard", async () => {
    const { verdicts } = await monitor.json<{ verdicts: unknown[] }>("/");
    const told = [...(await monitor.text("/metrics")).matchAll(/^pynenc_verdicts\{.*\} (\d+)$/gm)];
    expect(verdicts.length).toBeGreaterThan(0);
    expect(told.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(verdicts.length);
  });

  it("is about the app of ?app=, or the first one, whichever app the browser shows", async () => {
    const about = async (path: string) => /pynenc_store_up\{app="(.*)"\}/.exec(await monitor.text(path))?.[1];
    expect(await about(`/metrics?app=${encodeURIComponent(OTHER)}`)).toBe(OTHER);
    await monitor.get(`/switch-app/${encodeURIComponent(OTHER)}`);
    expect((await monitor.json("/health")).app).toBe(OTHER);
    expect(await about("/metrics")).toBe(APP);
    await monitor.get(`/switch-app/${APP}`);
    expect(await about("/metrics")).toBe(APP);
  });

  it("answers errors as JSON", async () => {
    const missing = await monitor.get("/metrics?app=nobody", { headers: { accept: "text/html" } });
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  });
});

it("/verdicts has the verdicts of the dashboard, each with a key", async () => {
  const { verdicts } = await monitor.json<{ verdicts: unknown[] }>("/");
  const found = await monitor.json<{ verdicts: unknown[]; keys: string[] }>("/verdicts");
  expect(found.verdicts).toEqual(verdicts);
  expect(new Set(found.keys).size).toBe(verdicts.length);
  expect((await monitor.get("/verdicts?severity=error", { headers: { accept: "text/html" } })).status).toBe(400);
});
