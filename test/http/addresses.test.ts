/** Every address that an answer holds names the app of the answer if the store has several, and begins with the base path. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crawl, type FoundAddress, type Visit } from "../support/crawl.ts";
import { type Monitor, monitorOf, sharedMonitor, testMonitor } from "../support/monitor.ts";
import { type PrefixProxy, startProxy } from "../support/proxy.ts";

const APP = "kitchen_sink";
const OTHER = "kitchen-sink.two/β";
const ORIGIN = "http://monitor.test";
const BASE = "/ops/the-mon.1";
const TOKEN = "a-token-of-20-letters";

const appIn = (address: string) => new URL(address, ORIGIN).searchParams.get("app");

/** Addresses that do not lead to this app below this path. @param app null in a store with one app */
function strays(visits: readonly Visit[], basePath: string, app: string | null): string[] {
  const isOwn = ({ address, fields, switches }: FoundAddress) => {
    const { pathname, searchParams } = new URL(address, ORIGIN);
    if (!pathname.startsWith(`${basePath}/`)) return false;
    if (pathname.startsWith(`${basePath}/assets/`)) return true;
    const named = fields ?? searchParams.getAll("app");
    if (app === null) return named.length === 0;
    return named.length === 1 && (named[0] === app || (switches && named[0] === OTHER));
  };
  const found = visits.flatMap(({ address: on, found }) =>
    found.filter((one) => !isOwn(one)).map(({ address, place }) => `${on}: ${place} ${address}`),
  );
  return [...new Set(found)];
}

/**
 * Visits that did not lead to an answer. A comparison without its two invocations is a form for people and an error for programs.
 */
function failures(visits: readonly Visit[]): string[] {
  return visits.flatMap(({ address, response: { status, headers } }) => {
    const isForm = /\/diff(\?app=[^&]*)?$/.test(address) && headers.get("content-type")?.includes("json");
    return status === 200 || status === 303 || isForm ? [] : [`${status} ${address}`];
  });
}

type Ask = Parameters<typeof crawl>[2];

const asking =
  (monitor: Monitor): Ask =>
  (address, accept) =>
    monitor.get(address, { headers: { accept } });

/** Visits pages, without those of the other app, which only the menu of apps leads to. */
async function visited(ask: Ask, basePath: string, start: string, ofARoute?: number): Promise<Visit[]> {
  const visits = await crawl(start, basePath, ask, (address) => appIn(address) !== OTHER, ofARoute);
  return visits.filter(({ address }) => appIn(address) !== OTHER);
}

it("in a store with two apps, all addresses lead to the app of the page they are on", {
  timeout: 300_000,
}, async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db"));
  await monitor.workspace.activate(OTHER);
  const visits = await visited(asking(monitor), "", `/?app=${APP}`, 6);
  expect(visits.length).toBeGreaterThan(150);
  expect(strays(visits, "", APP)).toEqual([]);
  expect(failures(visits)).toEqual([]);
  const others = visits.filter(({ body }) => body.includes('class="app-name">') && !body.includes(`name">${APP}<`));
  expect(others.map(({ address }) => address)).toEqual([]);
});

it("addresses in a store with one app are short", { timeout: 300_000 }, async () => {
  const monitor = await testMonitor(monitorOf("pending_triggers.db"));
  const visits = await visited(asking(monitor), "", "/");
  expect(visits.length).toBeGreaterThan(60);
  expect(strays(visits, "", null)).toEqual([]);
  expect(failures(visits)).toEqual([]);
});

describe("switching the app in one tab", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: APP }));

  it("leaves what another tab refreshes as it was, whether that was opened with an app or not", async () => {
    const [live] = /data-live="[^"]*"/.exec(await monitor.text("/invocations/")) ?? [];
    const address = live?.slice('data-live="'.length, -1).replaceAll("&amp;", "&") ?? "";
    const before = await monitor.get(address, { headers: { "hx-request": "true" } });
    const answer = await monitor.get(`/switch-app/${encodeURIComponent(OTHER)}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
    const after = await monitor.get(address, { headers: { "hx-request": "true" } });
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
    expect(appIn(address)).toBe(APP);
    expect(await monitor.text("/")).toContain("two/β</bdi>");
  });

  it("leaves an action where its preview was", async () => {
    await monitor.workspace.activate(APP);
    const page = await monitor.text("/broker/purge");
    const action = /<form class="confirm-form[^"]*" action="([^"]*)"/.exec(page)?.[1] ?? "";
    await monitor.workspace.activate(OTHER);
    const done = await monitor.post(action.replaceAll("&amp;", "&"), { app_id: APP });
    expect((await done.json()) as object).toMatchObject({ app_id: APP });
  });
});

it("the page of an app that the store does not have links to the apps that it has", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { app: APP }));
  const page = await monitor.get("/?app=gone", { headers: { accept: "text/html" } });
  expect(page.status).toBe(404);
  const text = await page.text();
  expect(text).toContain(`href="/?app=${APP}"`);
  expect(text).not.toContain("app=gone");
});

describe("below the path of a proxy", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "over a socket", { app: APP, basePath: BASE }));

  const through = (proxy: PrefixProxy) => (address: string, accept: string) =>
    fetch(proxy.origin + address, { headers: { accept }, redirect: "manual" });

  it("no address leaves the path, and all name the app though the first one does not", {
    timeout: 300_000,
  }, async () => {
    const proxy = await startProxy(monitor.origin, BASE, true);
    try {
      const visits = await visited(through(proxy), BASE, `${BASE}/`);
      expect(visits.length).toBeGreaterThan(120);
      expect(strays(visits, BASE, APP)).toEqual([]);
      expect(failures(visits)).toEqual([]);
      expect(proxy.outside).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  it("a proxy that does not strip the path gets the same pages", async () => {
    const [stripping, passing] = await Promise.all(
      [true, false].map((strips) => startProxy(monitor.origin, BASE, strips)),
    );
    try {
      for (const path of ["/", "/tasks/", "/assets/app.css", "/switch-app/gone", "/no/such/page"]) {
        const answers = [stripping, passing].map((proxy) => fetch(`${proxy?.origin}${BASE}${path}`));
        const [one, other] = await Promise.all(answers);
        expect([path, other?.status]).toEqual([path, one?.status]);
      }
    } finally {
      await Promise.all([stripping?.close(), passing?.close()]);
    }
  });

  it("the cookie of chosen columns is sent to that list only", async () => {
    const answer = await monitor.get(`${BASE}/tasks/?fields=task_id_key`, { headers: { accept: "text/html" } });
    expect(answer.headers.get("set-cookie")).toContain(`; Path=${BASE}/tasks/;`);
  });
});

describe("a monitor with a token behind a proxy", () => {
  let monitor: Monitor;
  let proxy: PrefixProxy;
  beforeAll(async () => {
    const options = { app: APP, basePath: "/mon", token: TOKEN, allowedHosts: ["monitor.example"] };
    monitor = await monitorOf("kitchen_sink.db", "over a socket", options);
    proxy = await startProxy(monitor.origin, "/mon", true);
  });
  afterAll(async () => {
    await proxy.close();
    await monitor.close();
  });

  const ask = (path: string, init: RequestInit = {}) => fetch(proxy.origin + path, { redirect: "manual", ...init });
  const signIn = (next: string) =>
    ask("/mon/login", {
      method: "POST",
      headers: { origin: proxy.origin },
      body: new URLSearchParams({ token: TOKEN, next }),
    });

  it("asks to sign in, and leads back to the page that was asked for", async () => {
    const page = await (await ask("/mon/tasks/?range=1h", { headers: { accept: "text/html" } })).text();
    expect(page).toContain('action="/mon/login"');
    expect(page).toContain('value="/mon/tasks/?range=1h"');
    const answer = await signIn("/mon/tasks/?range=1h");
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/mon/tasks/?range=1h"]);
    expect(answer.headers.get("set-cookie")).toContain("; Path=/mon;");
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await ask("/mon/tasks/", { headers: { cookie } })).status).toBe(200);
  });

  it("does not leave the base path", async () => {
    expect((await signIn("/other/")).headers.get("location")).toBe("/mon/");
  });

  it("makes a one-time address below the path", async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, origin: proxy.origin, accept: "application/json" };
    const made = (await (await ask("/mon/login/code", { method: "POST", headers })).json()) as { url: string };
    expect(made.url.startsWith(`${proxy.origin}/mon/login?code=`)).toBe(true);
    expect((await fetch(made.url, { redirect: "manual" })).headers.get("location")).toBe(`/mon/?app=${APP}`);
  });

  it("accepts changes from the https address of the proxy if its name is allowed", async () => {
    const post = (host: string, origin: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host, origin, authorization: `Bearer ${TOKEN}`, accept: "application/json" };
        const url = new URL("/mon/broker/purge", proxy.origin);
        request(url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode ?? 0))
          .on("error", reject)
          .end();
      });
    expect(await post("monitor.example", "https://other.example")).toBe(403);
    expect(await post("other.example", "https://other.example")).toBe(403);
    expect(await post("monitor.example", "https://monitor.example")).toBe(200);
  });

  it("says in its description where it is", async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await (await ask("/mon/openapi.json", { headers })).json()).toMatchObject({ servers: [{ url: "/mon" }] });
  });

  it("answers health checks with and without the path", async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const path of ["/health", "/mon/health"]) {
      expect((await fetch(monitor.origin + path, { headers })).status).toBe(200);
    }
    expect((await fetch(`${monitor.origin}/monitoring/health`, { headers })).status).toBe(404);
  });

  it("refuses a switch of the app from another site below the path too", async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, "sec-fetch-site": "cross-site" };
    expect((await fetch(`${monitor.origin}/mon/switch-app/${APP}`, { headers })).status).toBe(403);
  });
});

it.each(["/tasks", "/invocations/x", "/assets"])(
  "a monitor cannot be served below its own page %s",
  async (basePath) => {
    await expect(monitorOf("kitchen_sink.db", "in process", { basePath })).rejects.toThrow("pages of its own");
  },
);
