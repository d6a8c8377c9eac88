/** What never reaches a route: text that is no HTTP, requests that never end, and too many of them. Bytes on sockets, because clients are too polite. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ConnectionLimits, guardConnections } from "../../src/http/connections.ts";
import { type Monitor, monitorOf, sharedMonitor } from "../support/monitor.ts";
import { exchange, openRaw, parsed } from "../support/raw-http.ts";

const APP = "kitchen_sink";
const FAR_AWAY = 3_600_000;

/** What an answer of ours has, whoever wrote it. */
async function expectOurs(monitor: Monitor, text: string, status: number, detail: string): Promise<void> {
  const { headers, body, ...answer } = parsed(text);
  expect([answer.status, JSON.parse(body)]).toEqual([
    status,
    {
      schema_version: 2,
      type: "about:blank",
      title: expect.any(String),
      status,
      detail: expect.stringContaining(detail),
    },
  ]);
  const ordinary = await monitor.get("/nope", { headers: { accept: "application/json" } });
  const names = [...ordinary.headers.keys()].filter((name) => name.includes("-") || name === "vary");
  for (const name of names.filter((one) => !["keep-alive", "transfer-encoding", "content-length"].includes(one))) {
    const plain = (value: string | null | undefined) => value?.replace(/nonce-[\w-]+/g, "nonce");
    expect([name, plain(headers[name])]).toEqual([name, plain(ordinary.headers.get(name))]);
  }
  expect(names).toContain("content-security-policy");
  expect([headers.connection, Number(headers["content-length"])]).toEqual(["close", Buffer.byteLength(body)]);
}

describe("bytes that are not a valid request", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { app: APP }));

  const HOST = "Host: 127.0.0.1\r\n";
  const POST = `POST /log-explorer/ HTTP/1.1\r\n${HOST}Origin: http://127.0.0.1\r\nAccept: application/json\r\n`;

  it.each<[string, string, number, string]>([
    ["no HTTP at all", "hello\r\n\r\n", 400, "not a valid HTTP request"],
    ["a method that is none", `NOPE / HTTP/1.1\r\n${HOST}\r\n`, 400, "not a valid HTTP request"],
    ["a header without a name", `GET / HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 400, "not a valid HTTP request"],
    ["two lengths", `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, "not a valid HTTP request"],
    [
      "a piece of a body without its length",
      `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      "not a valid HTTP request",
    ],
    ["long headers", `GET / HTTP/1.1\r\n${HOST}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, 431, "16 KB"],
    ["an expectation", `GET / HTTP/1.1\r\n${HOST}Expect: coffee\r\nConnection: close\r\n\r\n`, 417, "100-continue"],
  ])("%s get an answer with the usual headers", async (_, text, status, detail) => {
    await expectOurs(monitor, await exchange(monitor.origin, text), status, detail);
  });

  it("a request without a Host header gets an answer that says so", async () => {
    const { status, headers, body } = parsed(
      await exchange(monitor.origin, "GET /nope HTTP/1.1\r\nConnection: close\r\n\r\n"),
    );
    expect([status, headers["x-content-type-options"]]).toEqual([400, "nosniff"]);
    expect(body).toContain("The request has no Host header.");
  });
});

describe("request bodies", () => {
  let monitor: Monitor;
  const open = async (bodies: { deadlineMs: number; atOnce: number }) => {
    monitor = await monitorOf("kitchen_sink.db", "over a socket", { app: APP, bodies });
    onTestFinished(() => monitor.close());
  };
  /** The beginning of a log of 100 bytes. */
  const begin = (headers = "") => {
    const { origin } = monitor;
    const connection = openRaw(origin);
    connection.send(
      `POST /log-explorer/ HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nOrigin: ${origin}\r\n${headers}Accept: application/json\r\n` +
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nlog=x",
    );
    return connection;
  };

  it("that take too long are answered with 408, and their connection is closed", async () => {
    await open({ deadlineMs: 30, atOnce: 8 });
    const { status, headers, body } = parsed(await begin().closed);
    expect([status, headers.connection, headers["x-content-type-options"]]).toEqual([408, "close", "nosniff"]);
    expect(body).toContain("The body of the request took longer than 0.03 s to arrive.");
  });

  it("above the number that may arrive at once get 429, and are accepted again when one has ended", async () => {
    await open({ deadlineMs: FAR_AWAY, atOnce: 2 });
    const first = begin();
    const second = begin();
    // Which one comes too late is only certain when the others have begun.
    await vi.waitFor(async () => expect(parsed(await begin().closed).status).toBe(429), { timeout: 60_000 });
    const { body, headers } = parsed(await begin().closed);
    expect(body).toContain("2 requests with a body are being received already");
    expect(headers.connection).toBe("close");
    expect([first.received(), second.received()]).toEqual(["", ""]);
    first.send("x".repeat(95));
    await vi.waitFor(() => expect(parsed(first.received()).status).toBe(200), { timeout: 60_000 });
    const third = begin();
    third.send("x".repeat(95));
    await vi.waitFor(() => expect(parsed(third.received()).status).toBe(200), { timeout: 60_000 });
    for (const { socket } of [first, second, third]) socket.destroy();
  });

  it("that break off log no error and free their place", async () => {
    await open({ deadlineMs: FAR_AWAY, atOnce: 1 });
    const first = begin();
    await vi.waitFor(async () => expect(parsed(await begin().closed).status).toBe(429), { timeout: 60_000 });
    first.socket.destroy();
    await vi.waitFor(async () => {
      const next = begin();
      next.send("x".repeat(95));
      await vi.waitFor(() => expect(next.received()).not.toBe(""), { timeout: 60_000 });
      next.socket.destroy();
      expect(parsed(next.received()).status).toBe(200);
    }, 60_000);
  });
});

describe("connections that stay open", () => {
  /** A server that looks for late requests often. */
  async function serve(limits: Partial<ConnectionLimits>, answer: RequestListener): Promise<string> {
    const server = createServer({ connectionsCheckingInterval: 10 }, answer);
    guardConnections(server, { headersMs: FAR_AWAY, requestMs: FAR_AWAY, connections: 100, ...limits });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("with unfinished headers are answered with 408 and closed", async () => {
    const origin = await serve({ headersMs: 20 }, () => undefined);
    const { status, headers, body } = parsed(await exchange(origin, "GET / HTTP/1.1\r\nX-Slow: "));
    expect([status, headers.connection, headers["x-content-type-options"]]).toEqual([408, "close", "nosniff"]);
    expect(body).toContain("took too long to arrive");
  });

  it("with an unfinished body that the route does not read are closed", async () => {
    const origin = await serve({ requestMs: 20, headersMs: 10 }, (_, response) => response.end("early"));
    const text = await exchange(origin, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab");
    expect(text).toContain("early");
    expect(parsed(text.slice(text.indexOf("early") + "early".length)).status).toBe(408);
  });

  it("after a broken answer get no second answer inside it", async () => {
    const origin = await serve({}, (_, response) => {
      response.writeHead(200);
      response.write("half");
    });
    const connection = openRaw(origin);
    connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await vi.waitFor(() => expect(connection.received()).toContain("half"), { timeout: 60_000 });
    connection.send("no HTTP\r\n\r\n");
    expect(await connection.closed).not.toContain("400");
  });

  it("above the limit are closed at once", async () => {
    const origin = await serve({ connections: 2 }, (_, response) => response.end());
    const held = [openRaw(origin), openRaw(origin)];
    await Promise.all(held.map(({ socket }) => once(socket, "connect")));
    expect(await exchange(origin, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    for (const { socket } of held) socket.destroy();
  });
});
