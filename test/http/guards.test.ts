import { describe, expect, it } from "vitest";
import { type GuardOptions, refusalOf } from "../../src/http/guards.ts";

/** security.md 2 as a table: every combination of what a request can say about where it comes from. */
const HOSTS = {
  own: "127.0.0.1:8000",
  localhost: "localhost:8000",
  rebound: "evil.example",
  allowed: "monitor.internal:8000",
  none: null,
};
const ORIGINS = {
  none: null,
  own: "own",
  foreign: "http://evil.example",
  null: "null",
  tls: "tls",
  otherPort: "http://127.0.0.1:9999",
};
const REFERERS = { none: null, own: "own", foreign: "http://evil.example/page", garbage: "not a url" };
const SITES = [null, "same-origin", "none", "same-site", "cross-site"] as const;
const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"] as const;

/** 127.0.0.1 is what the server is bound to, and no name that was given by hand. */
const OPTIONS: GuardOptions = {
  allowedHosts: ["monitor.internal", "127.0.0.1"],
  proxiedHosts: ["monitor.internal"],
  readOnly: false,
};

function decide(
  method: string,
  host: string | null,
  origin: string | null,
  referer: string | null,
  site: string | null,
  more: Partial<GuardOptions> = {},
  pathname = "/purge",
) {
  const headers = new Headers();
  if (host !== null) headers.set("host", host);
  if (origin !== null) headers.set("origin", origin);
  if (referer !== null) headers.set("referer", referer);
  if (site !== null) headers.set("sec-fetch-site", site);
  return refusalOf({ method, pathname, headers }, { ...OPTIONS, ...more })?.status ?? 200;
}

describe("guards", () => {
  const cells: [string, number, number][] = [];
  for (const method of METHODS) {
    for (const [hostName, host] of Object.entries(HOSTS)) {
      for (const [originName, originValue] of Object.entries(ORIGINS)) {
        for (const [refererName, refererValue] of Object.entries(REFERERS)) {
          for (const site of SITES) {
            const origin =
              originValue === "own" ? `http://${host}` : originValue === "tls" ? `https://${host}` : originValue;
            const referer = refererValue === "own" ? `http://${host}/page?x=1` : refererValue;
            const name = `${method} host ${hostName}, origin ${originName}, referer ${refererName}, site ${site}`;
            for (const pathname of ["/purge", "/switch-app/shop"]) {
              cells.push([
                `${pathname} ${name}`,
                decide(method, host, origin, referer, site, {}, pathname),
                expected(method, pathname, hostName, originName, refererName, site),
              ]);
            }
          }
        }
      }
    }
  }

  it(`decide all ${cells.length} combinations as the rules say`, () => {
    expect(cells.filter(([, actual, wanted]) => actual !== wanted)).toEqual([]);
    // Both answers occur, so that a guard that always says the same would be noticed.
    expect(new Set(cells.map(([, actual]) => actual))).toEqual(new Set([200, 400, 403]));
  });

  it("accept changes from the monitor's own pages and allowed hosts", () => {
    expect(decide("POST", HOSTS.own, "http://127.0.0.1:8000", null, "same-origin")).toBe(200);
    expect(decide("POST", HOSTS.own, null, "http://127.0.0.1:8000/broker/", null)).toBe(200);
    expect(decide("POST", HOSTS.allowed, "https://monitor.internal:8000", null, null)).toBe(200);
    expect(decide("POST", HOSTS.own, null, null, null)).toBe(403);
    // A foreign page beside our own origin, and TLS where we speak none.
    expect(decide("POST", HOSTS.own, "http://127.0.0.1:8000", "http://evil.example/page", null)).toBe(403);
    expect(decide("POST", HOSTS.own, "https://127.0.0.1:8000", null, null)).toBe(403);
    expect(decide("POST", HOSTS.rebound, "http://evil.example", null, "same-origin")).toBe(403);
  });

  it("accept service names and subdomains that are allowed, and any IP address", () => {
    const allow = (host: string, ...allowedHosts: string[]) => decide("GET", host, null, null, null, { allowedHosts });
    expect(allow("pynenc-monitor:8000")).toBe(403);
    expect(allow("pynenc-monitor:8000", "pynenc-monitor")).toBe(200);
    expect(allow("a.example.org", ".example.org")).toBe(200);
    expect(allow("example.org.evil", ".example.org")).toBe(403);
    expect(allow("192.168.1.4:8000")).toBe(200);
    expect(allow("[::1]:8000")).toBe(200);
  });

  it.each([
    "127.0.0.1:8000@evil.example",
    "localhost@evil.example",
    "localhost/path",
    "localhost:8000/",
    "localhost:evil.example",
    "localhost:",
    "localhost:123456",
    "localhost evil.example",
    "127.0.0.1, 127.0.0.1",
    "[::1].evil.example",
    "[::1",
    "[::1]@evil.example",
    "chrome-extension:evil.example",
    "file:",
    "localhost?x",
    "localhost#x",
    "localhost\\evil.example",
    "%6cocalhost",
  ])("refuse the malformed Host header %s for every method and path", (host) => {
    for (const method of METHODS)
      for (const pathname of ["/", "/health"])
        expect(decide(method, host, `http://${host}`, null, "same-origin", {}, pathname)).toBe(400);
  });

  it.each(["localhost", "a.localhost:8000", "[::1]", "[fe80::1]:80", "[::ffff:127.0.0.1]:8000", "10.0.0.1"])(
    "accept the Host header %s",
    (host) => expect(decide("GET", host, null, null, null)).toBe(200),
  );

  it("name the flag that allows a refused host", () => {
    const headers = new Headers({ host: "build-box:8000" });
    const refusal = refusalOf({ method: "GET", pathname: "/", headers }, { ...OPTIONS, allowedHosts: [] });
    expect(refusal?.detail).toContain("--allowed-host build-box");
  });

  it("refuse every change in read-only mode, and no reading", () => {
    for (const method of METHODS) {
      const status = decide(method, HOSTS.own, "http://127.0.0.1:8000", null, "same-origin", { readOnly: true });
      expect([method, status]).toEqual([method, ["GET", "HEAD", "OPTIONS"].includes(method) ? 200 : 403]);
    }
  });

  it("refuse links of other sites that would switch the app", () => {
    const at = (site: string) =>
      refusalOf(
        {
          method: "GET",
          pathname: "/switch-app/x",
          headers: new Headers({ host: "localhost", "sec-fetch-site": site }),
        },
        OPTIONS,
      )?.status ?? 200;
    // Another port of this machine is the same site.
    expect([at("cross-site"), at("same-site"), at("same-origin"), at("none")]).toEqual([403, 403, 200, 200]);
  });

  it("refuse a body that is larger than any form of the monitor", () => {
    const headers = new Headers({ host: "localhost", origin: "http://localhost", "content-length": "1048577" });
    expect(refusalOf({ method: "POST", pathname: "/purge", headers }, OPTIONS)?.status).toBe(413);
  });

  it("apply a route's own rules for bodies, but check the origin all the same", () => {
    const options = { ...OPTIONS, readOnly: true };
    const post = (origin: string, length: number, rules: { reads?: true; bodyLimit?: number }) => {
      const headers = new Headers({ host: "localhost", origin, "content-length": String(length) });
      return refusalOf({ method: "POST", pathname: "/x", headers }, options, rules)?.status ?? 200;
    };
    expect(post("http://localhost", 10, { reads: true })).toBe(200);
    expect(post("http://evil.example", 10, { reads: true })).toBe(403);
    expect(post("http://localhost", 2_000_000, { reads: true })).toBe(413);
    expect(post("http://localhost", 2_000_000, { reads: true, bodyLimit: 3_000_000 })).toBe(200);
    expect(post("http://localhost", 3_000_001, { reads: true, bodyLimit: 3_000_000 })).toBe(413);
    expect(post("http://localhost", 10, { bodyLimit: 3_000_000 })).toBe(403);
  });
});

/** The rules in the words of security.md 2, independent of the implementation's order of checks. */
function expected(
  method: string,
  pathname: string,
  host: string,
  origin: string,
  referer: string,
  site: string | null,
): number {
  if (host === "none") return 400;
  if (host === "rebound") return 403;
  const safe = ["GET", "HEAD", "OPTIONS"].includes(method);
  if (safe && pathname === "/purge") return 200;
  if (site === "same-site" || site === "cross-site") return 403;
  const ownOrigin = origin === "own" || (origin === "tls" && host === "allowed");
  if (origin !== "none" && !ownOrigin) return 403;
  if (referer !== "none" && referer !== "own") return 403;
  // A link that is typed or bookmarked names nothing; a change has to.
  return safe || origin !== "none" || referer !== "none" ? 200 : 403;
}
