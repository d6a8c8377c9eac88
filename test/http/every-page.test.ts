/** What holds for every page of real data, whatever it shows. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, expect, it } from "vitest";
import { figuresRead, type Monitor, monitorOf } from "../support/monitor.ts";
import { type PageAddress, pagesOf } from "../support/pages.ts";

const APP = "kitchen_sink";
const HTML = { accept: "text/html" };
const FRAGMENT = { "hx-request": "true" };

/** Headers that the server sets for the connection; the routes give none of them. */
const OF_THE_CONNECTION = ["connection", "keep-alive", "date", "transfer-encoding", "content-length"];

interface Shown extends PageAddress {
  response: Response;
  html: string;
}

let monitor: Monitor;
let pages: Shown[];
/** Those that show something, and do not ask for something first. */
let showing: Shown[];
beforeAll(async () => {
  monitor = await figuresRead(await monitorOf("kitchen_sink.db", "over a socket", { app: APP }));
  pages = [];
  for (const page of await pagesOf(monitor)) {
    const response = await monitor.get(page.path, { headers: HTML });
    pages.push({ ...page, response, html: await response.text() });
  }
  showing = pages.filter(({ status = 200, asks = false }) => status === 200 && !asks);
  expect(showing.length).toBeGreaterThan(50);
});
afterAll(() => monitor.close());

/** The pages for which something is not as it should be. */
async function wrong(some: readonly Shown[], isRight: (page: Shown) => boolean | Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const page of some) if (!(await isRight(page))) found.push(page.path);
  return found;
}

it("every page is HTML with its status, one heading, the app in its title, and no inline styles or scripts", async () => {
  const found = await wrong(pages, ({ status = 200, response, html }) => {
    const root = parse(html);
    return (
      response.status === status &&
      response.headers.get("content-type") === "text/html; charset=utf-8" &&
      html.endsWith("</html>") &&
      root.querySelectorAll("h1").length === 1 &&
      (status !== 200 || root.querySelector("title")?.text.includes(APP) === true) &&
      root.querySelectorAll("[style]:not(style), script:not([src])").length === 0
    );
  });
  expect(found).toEqual([]);
});

it("every page over a socket is the one that the routes give in process", async () => {
  const comparable = ({ headers }: Response, body: string) => {
    const nonce = /'nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1] ?? "none";
    const kept = [...headers].filter(([name]) => !OF_THE_CONNECTION.includes(name));
    return JSON.stringify([kept.sort(), body]).replaceAll(nonce, "NONCE");
  };
  const host = new URL(monitor.origin).host;
  const found = await wrong(pages, async ({ path, response, html }) => {
    const inProcess = await monitor.inProcess(path, { headers: { host, ...HTML } });
    return comparable(inProcess, await inProcess.text()) === comparable(response, html);
  });
  expect(found).toEqual([]);
});

it("every page has exactly the content that its refresh brings, and 304 while nothing changes", async () => {
  const found = await wrong(showing, async ({ html }) => {
    const refresh = / data-live="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const first = await monitor.get(refresh, { headers: FRAGMENT });
    const fragment = await first.text();
    const etag = first.headers.get("etag") ?? "";
    const again = await monitor.get(refresh, { headers: { ...FRAGMENT, "if-none-match": etag } });
    const isUnchanged = /^"[\w-]{20}"$/.test(etag) && again.status === 304 && (await again.text()) === "";
    return isUnchanged && fragment.length > 100 && !fragment.includes("<html") && html.includes(fragment);
  });
  expect(found).toEqual([]);
});

it("every page is also JSON, answers HEAD, and refuses other methods with the allowed ones", async () => {
  const found = await wrong(showing, async ({ path }) => {
    const json = await monitor.get(path, { headers: { accept: "application/json" } });
    const body: unknown = await json.json();
    const head = await monitor.get(path, { method: "HEAD", headers: HTML });
    const post = await monitor.post(path);
    return (
      json.status === 200 &&
      json.headers.get("content-type") === "application/json; charset=utf-8" &&
      typeof body === "object" &&
      head.status === 200 &&
      (await head.text()) === "" &&
      post.status === 405 &&
      post.headers.get("allow") === "GET, HEAD"
    );
  });
  expect(found).toEqual([]);
});
