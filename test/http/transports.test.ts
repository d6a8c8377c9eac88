/** An answer over a socket is the one that the routes give in process: the server in front of them changes nothing. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { factsOf, fixturePath } from "../support/fixtures.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const WAITER = factsOf("kitchen_sink.db", APP).blocking[0]?.[0] ?? "";
const EVENT = "c0baec27-3325-4d0f-8485-a0cb205c8e46";

/** Headers that the server sets for the connection; the routes give none of them. */
const OF_THE_CONNECTION = ["connection", "keep-alive", "date", "transfer-encoding", "content-length"];

const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { app: APP }));

/** The answer without its nonce, which is new each time. */
async function received(response: Response) {
  const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
  const withoutNonce = (text: string) => (nonce === undefined ? text : text.replaceAll(nonce, "NONCE"));
  return {
    status: response.status,
    headers: [...response.headers]
      .filter(([name]) => !OF_THE_CONNECTION.includes(name))
      .map(([name, value]) => `${name}: ${withoutNonce(value)}`)
      .sort(),
    body: withoutNonce(await response.text()),
  };
}

/** @param init made again for each request: a body can be sent only once. @returns the answer over the socket. */
async function expectAlike(path: string, init: () => RequestInit): Promise<Awaited<ReturnType<typeof received>>> {
  const { headers, ...rest } = init();
  const inProcess = {
    ...rest,
    headers: { host: new URL(monitor.origin).host, ...(headers as Record<string, string>) },
  };
  const expected = await received(await monitor.inProcess(path, inProcess));
  const overSocket = await received(await monitor.get(path, init()));
  expect([path, overSocket]).toEqual([path, expected]);
  return overSocket;
}

const HTML = { accept: "text/html" };
const JSON_WANTED = { accept: "application/json" };
const FRAGMENT = { "hx-request": "true" };

describe("answers over a socket equal those in process", () => {
  it.each([
    ["/", JSON_WANTED],
    ["/invocations/?limit=1000", JSON_WANTED],
    ["/invocations/timeline", JSON_WANTED],
    [`/invocations/${WAITER}/history`, {}],
    [`/events/${EVENT}/trace`, {}],
    ["/openapi.json", {}],
    ["/health", {}],
    ["/broker/refresh", FRAGMENT],
    ["/invocations/table", FRAGMENT],
    ["/invocations/timeline", FRAGMENT],
    ["/invocations/timeline?format=svg", {}],
    ["/invocations/timeline?format=trace", {}],
    [`/invocations/${WAITER}/family-tree`, HTML],
    ["/runners/atomic-service/timeline", FRAGMENT],
    ["/trigger-runs/", FRAGMENT],
    ["/assets/app.css", {}],
  ] as const)("for %s with %j", async (path, headers) => {
    const { status, body } = await expectAlike(path, () => ({ headers }));
    expect([status, body.length > 20]).toEqual([200, true]);
  });

  it.each(["/invocations/export?format=csv", "/invocations/export?format=jsonl", "/events/export?format=csv"])(
    "for the download %s",
    async (path) => {
      const { headers, body } = await expectAlike(path, () => ({}));
      expect(headers.join("\n")).toContain("content-disposition: attachment");
      expect(body.trimEnd().split("\n").length).toBeGreaterThan(5);
    },
  );

  it("for HEAD, an unchanged fragment, a redirect and refusals", async () => {
    const head = await expectAlike("/invocations/", () => ({ method: "HEAD", headers: HTML }));
    expect([head.status, head.body]).toEqual([200, ""]);
    const etag = (await monitor.get("/broker/refresh", { headers: FRAGMENT })).headers.get("etag") ?? "";
    const same = await expectAlike("/broker/refresh", () => ({ headers: { ...FRAGMENT, "if-none-match": etag } }));
    expect([same.status, same.body]).toEqual([304, ""]);
    const found = await expectAlike(`/search?q=${WAITER}`, () => ({ headers: HTML }));
    expect(found.status).toBe(303);
    for (const [path, headers, status] of [
      ["/nope", HTML, 404],
      ["/invocations/nope/api", {}, 404],
      ["/invocations/?limit=x", HTML, 400],
      ["/invocations/?limit=x", JSON_WANTED, 400],
      ["/invocations/%ZZ", JSON_WANTED, 400],
      ["/assets/..%2f..%2fpackage.json", {}, 404],
    ] as const) {
      expect([path, (await expectAlike(path, () => ({ headers }))).status]).toEqual([path, status]);
    }
    const refused = await expectAlike("/tasks/", () => ({ method: "POST", headers: { origin: monitor.origin } }));
    expect(refused.status).toBe(405);
    const strange = await expectAlike("/purge", () => ({ method: "POST", headers: { origin: "http://evil.example" } }));
    expect(strange.status).toBe(403);
  });

  it("for what a form, a script and a file send", async () => {
    const log = readFileSync(fixturePath("kitchen_sink.log"), "utf8").slice(0, 100_000);
    const sent = (headers: Record<string, string>, body: () => NonNullable<RequestInit["body"]>) => () => ({
      method: "POST",
      headers: { origin: monitor.origin, ...JSON_WANTED, ...headers },
      body: body(),
    });
    const parts = () => {
      const form = new FormData();
      form.set("log", log);
      return form;
    };
    const file = () => {
      const form = new FormData();
      form.set("file", new File([log], "worker.log", { type: "text/plain" }));
      return form;
    };
    const bodies: Record<string, () => RequestInit> = {
      parts: sent({}, parts),
      file: sent({}, file),
      fields: sent({}, () => new URLSearchParams({ log })),
      JSON: sent({ "content-type": "application/json" }, () => JSON.stringify({ log })),
    };
    for (const [kind, init] of Object.entries(bodies)) {
      const { status, body } = await expectAlike("/log-explorer/", init);
      expect([kind, status, body.length > 100_000]).toEqual([kind, 200, true]);
    }
  });
});
