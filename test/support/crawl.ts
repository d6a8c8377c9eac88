/** Follows the addresses of pages, as a browser with and without scripts would request them. */
import { parse } from "node-html-parser";
import { allRoutes } from "../../src/http/routes/all.ts";

/** An address in a page, and where it stands. */
export interface FoundAddress {
  address: string;
  /** `a href`, `form action`, `div data-live`. */
  place: string;
  /** It is requested as it is: not the action of a form. */
  get: boolean;
  /** Of a GET form: the values of its field `app`, because the fields replace the query of the action. */
  fields: string[] | null;
  /** It is in the menu of apps. */
  switches: boolean;
}

const ATTRIBUTE = /^(?:href|xlink:href|src|action|formaction|hx-.*|data-.*)$/;

/** Stored text that a click copies. */
const NOT_ADDRESSES = ["data-copy", "data-row"];

/** Whatever looks like an address of this server in a page or in JSON. */
export function addressesIn(body: string, type: string): FoundAddress[] {
  if (/^application\/(problem\+)?json\b/.test(type)) return jsonAddresses(JSON.parse(body));
  if (!type.includes("html")) return [];
  const page = parse(body, { comment: true });
  // Once for all: to ask each element what it is in took as long as everything else that is asked of it.
  const ofSwitcher = new Set(page.querySelectorAll(".app-switcher, .app-switcher *, #apps tbody *"));
  // What is copied names the app also where no other address does.
  return page.querySelectorAll("*:not(.copy-link)").flatMap((element) => {
    const tag = element.rawTagName.toLowerCase();
    const isGetForm = tag === "form" && element.getAttribute("method") !== "post";
    return Object.entries(element.attributes).flatMap(([name, address]): FoundAddress[] => {
      const attribute = name.toLowerCase();
      if (!ATTRIBUTE.test(attribute) || NOT_ADDRESSES.includes(attribute) || !address.startsWith("/")) return [];
      const fields = isGetForm
        ? element.querySelectorAll("input[name=app]").map((input) => input.getAttribute("value") ?? "")
        : null;
      const get = tag !== "form" && attribute !== "formaction";
      const switches = ofSwitcher.has(element);
      return [{ address, place: `${tag} ${attribute}`, get, fields, switches }];
    });
  });
}

/** The members that hold paths. */
function jsonAddresses(value: unknown, key = ""): FoundAddress[] {
  if (typeof value === "string") {
    const isPath = key === "path" && value.startsWith("/");
    return isPath ? [{ address: value, place: "JSON path", get: true, fields: null, switches: false }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => jsonAddresses(member, Array.isArray(value) ? key : name));
}

/** Few addresses of each route, and with the same parameters, are followed: a timeline alone leads to thousands. */
const OF_A_KIND = 1;

const ROUTES = allRoutes({ dev: false })
  .map(({ path }) => ({
    path,
    pattern: new RegExp(
      `^${path
        .replace(/\/$/, "/?")
        .replace(/\*\*:\w+/g, ".+")
        .replace(/:\w+/g, "[^/]+")}$`,
    ),
  }))
  .sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));

export interface Visit {
  address: string;
  response: Response;
  body: string;
  found: FoundAddress[];
}

/**
 * Visits what can be reached from `start` by GET: a few addresses of each route, as a page and the first of them as JSON.
 *
 * @param ask requests an address as it stands in a page
 * @param follows whether the addresses in an answer are followed
 * @param ofARoute addresses of one route that are visited
 */
export async function crawl(
  start: string,
  basePath: string,
  ask: (address: string, accept: "text/html" | "application/json") => Promise<Response>,
  follows: (address: string) => boolean = () => true,
  ofARoute = 3,
): Promise<Visit[]> {
  const waiting = [start];
  const known = new Set(waiting);
  const counts = new Map<string, number>();
  const isAmong = (kind: string, most: number) => {
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return count < most;
  };
  const visits: Visit[] = [];
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const { pathname, searchParams } = new URL(address, "http://monitor.test");
    const own = pathname.slice(basePath.length);
    const route = ROUTES.find(({ pattern }) => pattern.test(own))?.path ?? own;
    const app = searchParams.get("app");
    const names = [...new Set(searchParams.keys())].sort();
    if (!isAmong([route, app, ...names].join(" "), OF_A_KIND) || !isAmong(`${route} ${app}`, ofARoute)) continue;
    const forms = isAmong(`JSON ${route}`, 1) ? (["text/html", "application/json"] as const) : (["text/html"] as const);
    for (const form of forms) {
      const response = await ask(address, form);
      const body = await response.text();
      const found = addressesIn(body, response.headers.get("content-type") ?? "");
      const location = response.headers.get("location");
      if (location !== null)
        found.push({ address: location, place: "Location", get: true, fields: null, switches: false });
      visits.push({ address, response, body, found });
      for (const one of follows(address) ? found : []) {
        const next = one.address.split("#", 1)[0] ?? "";
        if (!one.get || known.has(next)) continue;
        known.add(next);
        waiting.push(next);
      }
    }
  }
  return visits;
}
