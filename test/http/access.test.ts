/** A monitor with a token: who gets in, who does not, and what those see. */
import { describe, expect, it } from "vitest";
import { Access, CODE_SECONDS, SESSION_SECONDS } from "../../src/http/access.ts";
import { allRoutes } from "../../src/http/routes/all.ts";
import { ownPath } from "../../src/http/sign-in.tsx";
import { Tries } from "../../src/http/tries.ts";
import { createLinks } from "../../src/presentation/links.ts";
import { changes, contentsOf } from "../support/contents.ts";
import { describeWithMonitor, monitorOf, sharedMonitor, testMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const TOKEN = "correct-horse-battery";
const HTML = { accept: "text/html" };
const BEARER = { authorization: `Bearer ${TOKEN}` };

/** Whether anything here tells of the store. */
const TELLING = /kitchen|\.db\b|sqlite|two\/β/i;

const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0] ?? "";

const form = (fields: Record<string, string>, origin: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html", origin, ...headers },
});

describeWithMonitor(
  "a monitor with a token",
  () => monitorOf("kitchen_sink.db", "over a socket", { alone: APP, token: TOKEN }),
  (monitor) => {
    it("answers strangers 401 without a word about the store on all routes but assets and the sign-in page", async () => {
      const routes = allRoutes({ dev: true });
      expect(routes.filter(({ open }) => open).map(({ method, path }) => `${method} ${path}`)).toEqual([
        "GET /assets/**:name",
        "GET /login",
        "POST /login",
      ]);
      for (const { method, path } of routes) {
        if (path.startsWith("/assets") || path === "/login") continue;
        for (const headers of [HTML, { accept: "application/json" }, { "hx-request": "true" }]) {
          const origin = monitor().origin;
          const target = path.replace(/(?:\*\*)?:\w+/g, "x");
          const answer = await monitor().get(target, { method, headers: { ...headers, origin } });
          expect([method, path, answer.status]).toEqual([method, path, 401]);
          expect(await answer.text()).not.toMatch(TELLING);
          expect(answer.headers.get("www-authenticate")).toContain("Bearer");
          expect(answer.headers.get("set-cookie")).toBeNull();
        }
      }
    });

    it.each([
      ["GET", "/nowhere", {}, 401],
      ["GET", "/%zz", {}, 401],
      ["DELETE", "/", {}, 401],
      ["POST", "/purge", { origin: "http://evil.example" }, 403],
      ["GET", "/assets/nothing.js", {}, 404],
      ["POST", "/login", { "content-type": "text/strange" }, 400],
      ["GET", "/?app=nobody", {}, 401],
    ])("answers %s %s with %j by an error without a word about the store", async (method, path, headers, status) => {
      const origin = monitor().origin;
      const body = method === "POST" ? { body: "x" } : {};
      const answer = await monitor().get(path, { method, headers: { ...HTML, origin, ...headers }, ...body });
      expect(answer.status).toBe(status);
      expect(await answer.text()).not.toMatch(TELLING);
    });

    it("answers every path to a client that sends the token", async () => {
      for (const path of ["/", "/health", "/metrics", "/invocations/", "/openapi.json"]) {
        expect([path, (await monitor().get(path, { headers: BEARER })).status]).toEqual([path, 200]);
      }
      const lower = await monitor().get("/health", { headers: { authorization: `bearer  ${TOKEN}` } });
      expect(lower.status).toBe(200);
    });

    it.each([
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Basic ${Buffer.from(`x:${TOKEN}`).toString("base64")}`,
      TOKEN,
      "Bearer",
    ])("refuses the authorization header %s", async (authorization) => {
      expect((await monitor().get("/health", { headers: { authorization } })).status).toBe(401);
    });

    it("signs a browser in by a form with the token, and redirects it to the page that it asked for", async () => {
      const wanted = await monitor().get("/invocations/?status=failed&app=kitchen_sink", { headers: HTML });
      const page = await wanted.text();
      expect([wanted.status, wanted.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(wanted.headers.get("cache-control")).toBe("no-store");
      expect(page).toContain('value="/invocations/?status=failed&amp;app=kitchen_sink"');
      const next = "/invocations/?status=failed";
      const answer = await monitor().get("/login", form({ token: TOKEN, next }, monitor().origin));
      expect([answer.status, answer.headers.get("location")]).toEqual([303, next]);
      const set = answer.headers.get("set-cookie") ?? "";
      expect(set).toMatch(/^pynenc-monitor-[0-9a-f]{8}=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
      expect(set).not.toContain(TOKEN);
      const cookie = cookieOf(answer);
      for (const path of ["/", "/health", next]) {
        const seen = await monitor().get(path, { headers: { ...HTML, cookie: `a=b; ${cookie}; c=d` } });
        expect([path, seen.status]).toEqual([path, 200]);
        const text = await seen.text();
        expect(text).not.toContain(TOKEN);
        if (path !== "/health") expect(text).toContain('<a href="/login">Sign another browser in</a>');
      }
      // The parts that a page renews by itself.
      const part = await monitor().get("/", { headers: { "hx-request": "true", cookie } });
      expect(part.status).toBe(200);
    });

    it.each([
      ["changed", (cookie: string) => cookie.replace(/.$/, (last) => (last === "A" ? "E" : "A"))],
      ["written in another way", otherSpelling],
      ["for longer", (cookie: string) => cookie.replace(/=(\d+)\./, (_, until) => `=${Number(until) + 1}.`)],
      ["without a signature", (cookie: string) => cookie.replace(/\..*$/, ".")],
      ["empty", (cookie: string) => cookie.replace(/=.*$/, "=")],
      ["under another name", (cookie: string) => cookie.replace("pynenc-monitor-", "pynenc-monitor_")],
    ])("refuses a cookie that is %s", async (_, change) => {
      const { access } = monitor().context;
      const cookie = access?.newCookie().split(";")[0] ?? "";
      expect((await monitor().get("/health", { headers: { cookie } })).status).toBe(200);
      expect((await monitor().get("/health", { headers: { cookie: change(cookie) } })).status).toBe(401);
    });

    it("signs a browser in by a one-time address, which works only once", async () => {
      const code = monitor().context.access?.newCode();
      // A program that looks ahead must not use it up.
      expect((await monitor().get(`/login?code=${code}`, { method: "HEAD" })).status).toBe(200);
      const first = await monitor().get(`/login?code=${code}`, { headers: HTML });
      expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
      expect((await monitor().get("/health", { headers: { cookie: cookieOf(first) } })).status).toBe(200);
      const again = await monitor().get(`/login?code=${code}`, { headers: HTML });
      expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
      expect(await again.text()).toContain("already used");
    });

    it("makes another one-time address for a signed-in browser only", async () => {
      const { origin, context } = monitor();
      const cookie = context.access?.newCookie().split(";")[0] ?? "";
      expect((await monitor().get("/login/code", form({}, origin))).status).toBe(401);
      expect((await monitor().get("/login/code", form({}, "http://evil.example", { cookie }))).status).toBe(403);
      const page = await (await monitor().get("/login/code", form({}, origin, { cookie }))).text();
      const url = /<code>(.*?)<\/code>/.exec(page)?.[1] ?? "";
      expect(url.startsWith(`${origin}/login?code=`)).toBe(true);
      const answer = await monitor().get(new URL(url).pathname + new URL(url).search, { headers: HTML });
      expect(answer.status).toBe(303);
      const json = await monitor().post("/login/code", {}, { cookie });
      expect(await json.json()).toMatchObject({ valid_seconds: CODE_SECONDS });
      const shown = await monitor().get("/login", { headers: { ...HTML, cookie } });
      expect(await shown.text()).toContain("This browser is signed in.");
    });

    it("reloads the sign-in page after a link from another site, because the browser withheld its cookie", async () => {
      const from = (site: string) => monitor().get("/", { headers: { ...HTML, "sec-fetch-site": site } });
      expect((await from("cross-site")).headers.get("refresh")).toBe("0");
      expect((await from("same-origin")).headers.get("refresh")).toBeNull();
    });
  },
);

describe("a wrong token in a form", () => {
  it("is refused, and after five tries every client at that address has to wait, even with the right token", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP, token: TOKEN }));
    const attempt = (token: string) => monitor.get("/login", form({ token }, monitor.origin));
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) {
      const answer = await attempt("wrong");
      statuses.push(answer.status);
      const page = await answer.text();
      if (answer.status === 401) expect(page).toContain("The token is wrong.");
      else expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await attempt(TOKEN)).status).toBe(429);
    expect((await monitor.get("/health", { headers: BEARER })).status).toBe(429);
    // A one-time address is nothing that one guesses.
    const code = monitor.context.access?.newCode();
    expect((await monitor.get(`/login?code=${code}`, { headers: HTML })).status).toBe(303);
    // Who is signed in does not notice.
    const cookie = monitor.context.access?.newCookie().split(";")[0] ?? "";
    expect((await monitor.get("/health", { headers: { cookie } })).status).toBe(200);
  });
});

it("wrong one-time addresses lock no client out, because any site can make a browser ask for them", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP, token: TOKEN }));
  for (let n = 0; n < 20; n++) {
    expect((await monitor.get(`/login?code=wrong${n}`, { headers: HTML })).status).toBe(401);
  }
  // Nor do forms of other sites.
  for (let n = 0; n < 20; n++) {
    expect((await monitor.get("/login", form({ token: "wrong" }, "http://evil.example"))).status).toBe(403);
  }
  expect((await monitor.get("/health", { headers: BEARER })).status).toBe(200);
  const long = form({ token: "x".repeat(20_000) }, monitor.origin);
  expect((await monitor.get("/login", long)).status).toBe(413);
});

describe("a request for another host", () => {
  it("does not count as a try, and its answer reveals neither the app nor whether the token was right", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP, token: TOKEN }));
    const ask = async (host: string, authorization: string, path = "/") => {
      const answer = await monitor.get(path, { headers: { ...HTML, host, authorization } });
      return { status: answer.status, body: await answer.text() };
    };
    for (const [host, status] of [
      ["evil.example", 403],
      ["127.0.0.1:8000@evil.example", 400],
    ] as const) {
      for (const path of ["/", "/health", "/invocations/"]) {
        const wrong = await ask(host, "Bearer wrong", path);
        for (let n = 0; n < 7; n++) await ask(host, "Bearer wrong", path);
        expect([path, await ask(host, BEARER.authorization, path)]).toEqual([path, wrong]);
        expect(wrong.status).toBe(status);
        expect(wrong.body).not.toMatch(/kitchen_sink/);
      }
    }
    expect((await monitor.get("/health", { headers: BEARER })).status).toBe(200);
    expect(monitor.warnings).toEqual([]);
  });

  it("gets an answer without the app's name from a monitor without a token", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP }));
    const answer = await monitor.get("/", { headers: { ...HTML, host: "evil.example" } });
    expect([answer.status, await answer.text()]).toEqual([403, expect.not.stringMatching(/kitchen_sink/)]);
  });
});

describe("wrong tokens from an address", () => {
  it("cost no wait at first, then up to 60 s, and are forgotten after 15 minutes", () => {
    let now = 0;
    const tries = new Tries(() => now);
    const waits: number[] = [];
    for (let n = 0; n < 14; n++) {
      tries.wrong("10.0.0.1");
      waits.push(tries.waitOf("10.0.0.1"));
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(tries.waitOf("10.0.0.2")).toBe(0);
    now += 59_000;
    expect(tries.waitOf("10.0.0.1")).toBe(1);
    now += 1_000;
    expect(tries.waitOf("10.0.0.1")).toBe(0);
    tries.wrong("10.0.0.1");
    expect(tries.waitOf("10.0.0.1")).toBe(60);
    now += 901_000;
    tries.wrong("10.0.0.1");
    expect(tries.waitOf("10.0.0.1")).toBe(0);
  });

  it("are forgotten after a right token", () => {
    const tries = new Tries(() => 0);
    for (let n = 0; n < 6; n++) tries.wrong("10.0.0.1");
    tries.right("10.0.0.1");
    expect(tries.waitOf("10.0.0.1")).toBe(0);
  });

  it("are counted for an IPv6 network, not for each of its addresses", () => {
    const tries = new Tries(() => 0);
    for (let n = 0; n < 8; n++) tries.wrong(`2001:db8:1:2::${n}`);
    expect(tries.waitOf("2001:db8:1:2:ffff::1")).toBeGreaterThan(0);
    expect(tries.waitOf("2001:DB8:1:2::9%eth0")).toBeGreaterThan(0);
    expect(tries.waitOf("2001:db8:1:3::1")).toBe(0);
    for (let n = 0; n < 8; n++) tries.wrong("::ffff:10.0.0.1");
    expect(tries.waitOf("10.0.0.1")).toBeGreaterThan(0);
    expect(tries.waitOf("::ffff:10.0.0.2")).toBe(0);
  });

  it("are counted together for all loopback addresses of the machine", () => {
    const tries = new Tries(() => 0);
    const addresses = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "::ffff:127.9.9.9", "0:0:0:0:0:0:0:1"];
    for (const address of addresses) tries.wrong(address);
    expect(tries.size).toBe(1);
    for (const address of [...addresses, "127.255.255.254"]) expect(tries.waitOf(address)).toBe(1);
    for (const other of ["128.0.0.1", "126.0.0.1", "::2"]) expect(tries.waitOf(other)).toBe(0);
  });

  it("are remembered for the latest 1,000 addresses only", () => {
    const tries = new Tries(() => 0);
    for (let n = 0; n < 8; n++) tries.wrong("10.0.0.1");
    for (let n = 0; n < 3_000; n++) tries.wrong(`10.1.${n >> 8}.${n & 255}`);
    expect(tries.size).toBe(1_000);
    expect(tries.waitOf("10.0.0.1")).toBe(0);
  });
});

describe("access", () => {
  const ignore = () => undefined;
  const headers = (given: Record<string, string>) => new Headers(given);

  it("by a cookie ends after its session time, and by a one-time code after its validity", () => {
    let now = 1_000_000;
    const access = new Access(
      TOKEN,
      false,
      ignore,
      () => now,
      () => now,
    );
    const [cookie = ""] = access.newCookie().split(";");
    const [early, late] = [access.newCode(), access.newCode()];
    now += CODE_SECONDS * 1_000 - 1;
    expect(access.enterWithCode(early)).toBe(true);
    now += 1;
    expect(access.enterWithCode(late)).toBe(false);
    now = 1_000_000 + SESSION_SECONDS * 1_000 - 1;
    expect(access.hasSession(headers({ cookie }))).toBe(true);
    now += 1;
    expect(access.hasSession(headers({ cookie }))).toBe(false);
  });

  it("keeps waits and one-time codes as long as they were when the clock of the machine is set", () => {
    let [wall, ticks] = [1_000_000, 0];
    const access = new Access(
      TOKEN,
      false,
      ignore,
      () => wall,
      () => ticks,
    );
    for (let n = 0; n < 6; n++) access.enterWithToken("wrong", "10.0.0.1");
    const [early, late] = [access.newCode(), access.newCode()];
    wall += 10 * 86_400_000;
    expect(access.enterWithToken(TOKEN, "10.0.0.1")).toEqual({ entered: false, wait: 1 });
    expect(access.enterWithCode(early)).toBe(true);
    wall -= 20 * 86_400_000;
    ticks += CODE_SECONDS * 1_000;
    expect(access.enterWithCode(late)).toBe(false);
    expect(access.enterWithToken(TOKEN, "10.0.0.1")).toEqual({ entered: true });
  });

  it("forgets the wrong tokens of an address once it sends the right one", () => {
    const access = new Access(TOKEN, false, ignore);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 4; n++)
        expect(access.enterWithToken("wrong", "10.0.0.1")).toEqual({ entered: false, wait: 0 });
      expect(access.enterWithToken(TOKEN, "10.0.0.1")).toEqual({ entered: true });
    }
  });

  it("logs wrong tokens with address and count, at most 20 lines a minute, and never a token", () => {
    let ticks = 0;
    const lines: string[] = [];
    const access = new Access(
      TOKEN,
      false,
      (words) => lines.push(words),
      () => 0,
      () => ticks,
    );
    for (let n = 0; n < 8; n++) access.enterWithToken("wrong-secret", "10.0.0.1");
    ticks += 1_000;
    access.enterWithToken("wrong-secret", "10.0.0.1");
    expect(lines.slice(0, 2)).toEqual([
      "Wrong token from 10.0.0.1: 1 wrong try.",
      "Wrong token from 10.0.0.1: 2 wrong tries.",
    ]);
    expect(lines.slice(6)).toEqual(["Wrong token from 10.0.0.1: 7 wrong tries, 2 more ignored while it had to wait."]);
    for (let n = 0; n < 1_000; n++) access.enterWithToken("wrong-secret", `10.1.${n >> 8}.${n & 255}`);
    expect(lines).toHaveLength(20);
    ticks += 60_000;
    access.enterWithToken("wrong-secret", "10.2.0.1");
    expect(lines.slice(20)).toEqual([
      "Wrong token from 10.2.0.1: 1 wrong try, 987 earlier ones from all addresses not logged.",
    ]);
    access.enterWithToken(TOKEN, "10.2.0.1");
    expect(lines).toHaveLength(21);
    expect(lines.join()).not.toMatch(/secret|correct/);
  });

  it("by a cookie survives a restart with the same token, and ends with another token", () => {
    const [cookie = ""] = new Access(TOKEN, false, ignore).newCookie().split(";");
    expect(new Access(TOKEN, false, ignore).hasSession(headers({ cookie }))).toBe(true);
    const other = new Access("another-token-of-mine", false, ignore);
    const [own = ""] = other.newCookie().split(";");
    const moved = cookie.replace(/^[^=]+/, own.split("=")[0] ?? "");
    expect([other.hasSession(headers({ cookie })), other.hasSession(headers({ cookie: moved }))]).toEqual([
      false,
      false,
    ]);
  });

  it("keeps the newest 20 one-time codes", () => {
    const access = new Access(TOKEN, false, ignore);
    const codes = Array.from({ length: 30 }, () => access.newCode());
    expect(codes.filter((code) => access.enterWithCode(code))).toEqual(codes.slice(-20));
  });
});

describe("the redirect after signing in", () => {
  it.each([
    ["/invocations/?status=failed", "/invocations/?status=failed"],
    ["//evil.example/", "/"],
    ["/\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["/.//evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["", "/"],
    [undefined, "/"],
    ["/a\r\nset-cookie: x=y", "/aset-cookie:%20x=y"],
  ])("with next=%j goes to %j", (next, path) => {
    expect(ownPath(next, createLinks(null))).toBe(path);
  });

  it.each([
    ["/mon/", "/mon/"],
    ["/mon", "/mon"],
    ["/mon/invocations/?a=b", "/mon/invocations/?a=b"],
    ["/monitoring/", "/mon/"],
    ["/mon/../other/", "/mon/"],
    ["/other/", "/mon/"],
    [undefined, "/mon/"],
  ])("below the base path /mon with next=%j goes to %j", (next, path) => {
    expect(ownPath(next, createLinks(null, { basePath: "/mon" }))).toBe(path);
  });
});

describe("the table of guards", () => {
  const OWN = "http://127.0.0.1:8000";
  const HOSTS = { own: "127.0.0.1:8000", rebound: "evil.example", none: "" };
  const ORIGINS = { none: null, own: OWN, foreign: "http://evil.example", null: "null" };
  const SITES = [null, "same-origin", "none", "same-site", "cross-site"] as const;
  const METHODS = ["GET", "POST", "DELETE"] as const;

  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: APP, token: TOKEN }));

  it("is the same for strangers and signed-in clients: signing in lifts no refusal", async () => {
    const cookie = monitor.context.access?.newCookie().split(";")[0] ?? "";
    const before = contentsOf(monitor.path);
    const wrong: unknown[] = [];
    let cells = 0;
    const WHO: Record<string, Record<string, string>> = { stranger: {}, cookie: { cookie }, bearer: BEARER };
    for (const [who, entry] of Object.entries(WHO)) {
      for (const method of METHODS) {
        for (const [hostName, host] of Object.entries(HOSTS)) {
          for (const [originName, origin] of Object.entries(ORIGINS)) {
            for (const site of SITES) {
              const headers = new Headers({ host, accept: "application/json", ...entry });
              if (origin !== null) headers.set("origin", origin);
              if (site !== null) headers.set("sec-fetch-site", site);
              const { status } = await monitor.get("/events/auto-purge", { method, headers });
              const reads = method === "GET";
              const ours = originName === "own" && (site === null || site === "same-origin" || site === "none");
              const passed = who === "stranger" ? 401 : reads || method === "POST" ? 200 : 405;
              const guarded = hostName === "none" ? 400 : hostName === "rebound" || !(reads || ours) ? 403 : passed;
              if (status !== guarded) wrong.push({ who, method, hostName, originName, site, status, guarded });
              cells++;
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(cells).toBe(3 * 3 * 3 * 4 * 5);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });
});

describe("--public-metrics", () => {
  it("opens /health and /metrics to strangers, and no other page", async () => {
    const monitor = await testMonitor(
      monitorOf("kitchen_sink.db", "over a socket", {
        alone: APP,
        token: TOKEN,
        publicMetrics: true,
      }),
    );
    const statuses = await Promise.all(
      ["/health", "/metrics", "/", "/openapi.json"].map(async (path) => (await monitor.get(path)).status),
    );
    expect(statuses).toEqual([200, 200, 401, 401]);
    const open = allRoutes({ dev: true }).filter(({ probe }) => probe);
    expect(open.map(({ path }) => path)).toEqual(["/health", "/metrics"]);
  });
});

it("a monitor without a token redirects its sign-in page to the page that was asked for", async () => {
  const monitor = await testMonitor(monitorOf("kitchen_sink.db", "in process", { alone: APP }));
  const answer = await monitor.get("/login?next=/tasks/", { headers: HTML });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/tasks/"]);
  expect((await monitor.post("/login", { token: "x" })).status).toBe(303);
  expect((await monitor.post("/login/code")).status).toBe(303);
});

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The last letter of a signature has two bits that stand for nothing. */
function otherSpelling(cookie: string): string {
  return cookie.replace(/.$/, (last) => BASE64URL[BASE64URL.indexOf(last) ^ 1] ?? "");
}
