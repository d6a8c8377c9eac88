/** `/health` is answered ahead of the routes, and its answers must be the same as theirs. */
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { healthFirst } from "../../src/http/health.ts";
import { type Monitor, monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";

/** Asks as no browser can: any host, any path as it is written. */
interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
}

interface Answered {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What differs between any two answers, and what belongs to the connection. */
const OF_THE_CONNECTION = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

function ask(origin: string, { method = "GET", path = "/health", headers = {} }: Asked): Promise<Answered> {
  const { hostname, port, host } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, method, path, setHost: false, headers: rawHeaders({ host, ...headers }) },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: comparable(response.headers), body }),
        );
      },
    );
    asked.on("error", reject).end();
  });
}

/** In pairs: only so a name can be sent twice. */
function rawHeaders(headers: Record<string, string | string[]>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
}

function comparable(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value).replace(/nonce-[\w-]+/g, "nonce")]));
}

describe("/health over a socket", () => {
  const monitor = sharedMonitor(() =>
    monitorOf("kitchen_sink.db", "over a socket", { app: APP, allowedHosts: ["monitor.internal"] }),
  );

  it.each<[string, Asked]>([
    ["GET", {}],
    ["HEAD", { method: "HEAD" }],
    ["a query", { path: "/health?app=other&x=%" }],
    ["an allowed name", { headers: { host: "monitor.internal:8000" } }],
    [
      "what a browser sends",
      { headers: { accept: "text/html", "sec-fetch-site": "cross-site", origin: "http://a.b" } },
    ],
  ])("%s is answered as by the route", async (_, asked) => {
    const answered = await ask(monitor.origin, asked);
    const routed = await monitor.inProcess(asked.path ?? "/health", {
      method: asked.method ?? "GET",
      headers: { host: "127.0.0.1:8000", ...(asked.headers as Record<string, string>) },
    });
    expect(answered).toEqual({
      status: 200,
      headers: comparable(Object.fromEntries(routed.headers)),
      body: await routed.text(),
    });
    expect(answered.headers["content-security-policy"]).toContain("default-src 'none'");
    if (asked.method !== "HEAD") expect(JSON.parse(answered.body)).toMatchObject({ status: "ok", app: APP });
  });

  it("has another nonce each time", async () => {
    const policy = async () => (await monitor.get("/health")).headers.get("content-security-policy");
    expect(await policy()).not.toBe(await policy());
  });

  it.each<[string, Asked, number, string]>([
    ["another host", { headers: { host: "evil.example" } }, 403, "Unknown host name"],
    ["an empty host", { headers: { host: "" } }, 400, "No Host header"],
    ["two hosts", { headers: { host: ["127.0.0.1", "evil.example"] } }, 400, "Malformed Host header"],
    ["a host behind our own as a user name", { headers: { host: "127.0.0.1:1@evil.example" } }, 400, "Malformed Host"],
    ["POST", { method: "POST", headers: { origin: "self" } }, 405, "Method not allowed"],
    ["POST from elsewhere", { method: "POST", headers: { origin: "http://evil.example" } }, 403, "Cross-origin"],
    ["DELETE", { method: "DELETE", headers: { origin: "self" } }, 405, "Method not allowed"],
    ["a longer path", { path: "/health/x" }, 404, "Not found"],
    ["a path that begins like it", { path: "/healthy" }, 404, "Not found"],
  ])("%s is refused as on other routes, with all headers", async (_, asked, status, title) => {
    const headers = Object.fromEntries(
      Object.entries(asked.headers ?? {}).map(([name, value]) => [name, value === "self" ? monitor.origin : value]),
    );
    const answered = await ask(monitor.origin, { ...asked, headers: { accept: "application/json", ...headers } });
    expect([answered.status, answered.body]).toEqual([status, expect.stringContaining(title)]);
    expect(answered.headers["x-content-type-options"]).toBe("nosniff");
    expect(answered.headers["content-security-policy"]).toContain("default-src 'none'");
  });
});

describe("the shortcut for /health", () => {
  let monitor: Monitor;
  let server: Server;
  const left: string[] = [];
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: APP });
    server = createServer(
      healthFirst(monitor.context, (asked, response) => {
        left.push(`${asked.method} ${asked.url}`);
        response.writeHead(299).end();
      }),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(async () => {
    server.close();
    await monitor.close();
  });

  it.each<[Asked, number]>([
    [{}, 200],
    [{ method: "HEAD" }, 200],
    [{ path: "/health?x=1" }, 200],
    [{ method: "OPTIONS" }, 299],
    [{ method: "POST" }, 299],
    [{ headers: { host: "evil.example" } }, 299],
    [{ path: "/" }, 299],
    [{ path: "/healthy" }, 299],
    [{ path: "//health" }, 299],
  ])("answers %j with %i (299: passed on to the routes)", async (asked, status) => {
    left.length = 0;
    const { port } = server.address() as AddressInfo;
    expect((await ask(`http://127.0.0.1:${port}`, asked)).status).toBe(status);
    expect(left).toHaveLength(status === 299 ? 1 : 0);
  });
});
