/** The h3 application: every request passes the guards, finds its route, and gets the security headers. */

import { H3, type H3Event, type HTTPMethod } from "h3";
import { AbandonedError, NotFoundError, quote } from "../errors.ts";
import { createLinks, type Query } from "../presentation/links.ts";
import { thingHref } from "../presentation/thing-links.ts";
import { addTo } from "../pynenc/groups.ts";
import { isoOrNull } from "../pynenc/time.ts";
import { type OpenedApp, untilAborted } from "../services/app/opened-app.ts";
import { canonicalNames, withGivenNames } from "../services/input/parameter-names.ts";
import { timeRange } from "../services/input/time-bounds.ts";
import { orElsewhere } from "../services/model/resolve-ids.ts";
import { instantAsked, isPage, takesInstant } from "./as-of.ts";
import { refuseAmbiguous, withoutBasePath } from "./base-path.ts";
import type { Route, RouteRequest, ServerContext } from "./context.ts";
import { failure, failureOf } from "./failures.ts";
import { refusalOf } from "./guards.ts";
import { newNonce, securityHeaders } from "./headers.ts";
import { wantedForm } from "./negotiate.ts";
import { failed, json } from "./respond.tsx";
import { allRoutes } from "./routes/all.ts";
import { notSignedIn } from "./sign-in.tsx";

export function createApp(server: ServerContext): H3 {
  // Malformed percent-encoding gets our own 400 instead of h3's.
  const app = new H3({ allowMalformedURL: true, silent: true });
  const methodsByPath = new Map<string, string[]>();
  const routes = allRoutes(server);
  refuseAmbiguous(server.basePath, routes);
  // A proxy may pass the base path on or strip it.
  const on = (method: HTTPMethod | "", path: string, handler: (event: H3Event) => Promise<Response>) => {
    for (const base of new Set(["", server.basePath])) app.on(method, base + path, handler);
  };
  for (const route of routes) {
    addTo(methodsByPath, route.path, route.method);
    on(route.method, route.path, (event) => handle(server, event, (request) => route.handle(request), route));
    if (route.method === "GET")
      on("HEAD", route.path, (event) => handle(server, event, (request) => headOf(route, request), route));
  }
  for (const [path, methods] of methodsByPath) {
    const allow = (methods.includes("GET") ? ["GET", "HEAD", ...methods.slice(1)] : methods).join(", ");
    on("", path, (event) => handle(server, event, (request) => wrongMethod(request, allow)));
  }
  app.all("/**", (event) => handle(server, event, unknownPath));
  return app;
}

async function headOf(route: Route, request: RouteRequest): Promise<Response> {
  const { status, headers } = await route.handle(request);
  return new Response(null, { status, headers });
}

/** Statuses after which the rest of the body is left unread, so the connection is closed. */
const BODY_LEFT = [408, 413, 429];

async function handle(
  server: ServerContext,
  event: H3Event,
  respond: (request: RouteRequest) => Promise<Response>,
  route?: Route,
): Promise<Response> {
  const { headers } = event.req;
  const parsed = routeRequest(server, event, route);
  const { method, pathname } = parsed;
  const refusal = refusalOf({ method, pathname, headers }, server, route);
  // The guards come first: a token in a request that they refuse does not count as an attempt to sign in.
  const entry = refusal === null ? (server.access?.entryOf(headers, parsed.peer) ?? null) : null;
  const isIn = entry?.entered ?? server.access?.hasSession(headers) ?? true;
  let request = { ...parsed, stranger: refusal?.misaddressed === true || !isIn };
  let response: Response;
  try {
    if (refusal !== null) response = await refused(request, refusal.status, refusal.title, refusal.detail);
    else if (entry !== null && !entry.entered && !isOpen(server, route)) response = notSignedIn(request, entry.wait);
    else
      response = isMalformed(request.pathname)
        ? await malformed(request)
        : await inTurn(server, event, route, async () => {
            if (!route?.open && !route?.probe) request = await addressed(request);
            return respond(request);
          });
  } catch (error) {
    if (error instanceof AbandonedError) return new Response(null, { status: CLIENT_LEFT });
    const wider = await elsewhereToo(request, error);
    const problem = failureOf(withGivenNames(wider, event.url.searchParams.keys()), (id, defect) =>
      server.log.error(`${id} ${request.method} ${request.pathname}`, defect),
    );
    if (wider instanceof NotFoundError && wider.elsewhere.length > 0)
      problem.elsewhere = wider.elsewhere.map((one) => ({
        app_id: one.app_id,
        path: thingHref(request.links.inApp(one.app_id), one),
      }));
    // The page still names its app, unless the store or the app itself could not be opened.
    const app = problem.status < 500 ? await shownApp(request) : null;
    // An app that does not exist has no pages that could be linked to.
    if (app === null && problem.status === 404) request = { ...request, links: request.links.inApp(null) };
    response = await failed(request, problem, BODY_LEFT.includes(problem.status) ? { connection: "close" } : {}, app);
  }
  for (const [name, value] of Object.entries(securityHeaders(request.nonce))) response.headers.set(name, value);
  server.log.debug(`${request.method} ${request.pathname} ${response.status}`);
  return response;
}

/** The request with links that name its app, if the store has several. */
async function addressed(request: RouteRequest): Promise<RouteRequest> {
  const { links } = request;
  if (links.app !== null) return request;
  // If the store cannot be read, the route says so.
  const named = () => request.app().then((app) => app.addressedAs());
  return { ...request, links: links.inApp(await named().catch(() => null)) };
}

/** The error, which says in which other apps of the store a missing thing is. */
async function elsewhereToo(request: RouteRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof NotFoundError) || request.stranger) return error;
  try {
    return await orElsewhere(await request.app(), error);
  } catch {
    return error;
  }
}

/** The app that an error page names in its header; null for other answers and without an app. */
async function shownApp(request: Pick<RouteRequest, "wanted" | "app" | "stranger">): Promise<OpenedApp | null> {
  return request.wanted === "page" && !request.stranger ? request.app().catch(() => null) : null;
}

/** Whether the route answers without a token. */
function isOpen({ access }: ServerContext, route: Route | undefined): boolean {
  return route?.open === true || (route?.probe === true && access?.publicMetrics === true);
}

/** Actions do not wait: they are few, and other programs write too. */
function inTurn<T>(
  { turns }: ServerContext,
  { req }: H3Event,
  route: Route | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const waits = route !== undefined && !route.open && !route.light && READING.includes(req.method);
  return waits ? turns.take(work, req.signal) : work();
}

/** Address of a request without a socket. */
const LOCAL = "local";

/** Methods that change nothing, so their work can be dropped if the client disconnects. */
const READING = ["GET", "HEAD"];

/** Only for the log: the client disconnected. */
const CLIENT_LEFT = 499;

/** Parameters of every page that are not filters. */
const OWN = ["app", "done"];

function routeRequest(server: ServerContext, event: H3Event, route?: Route): Omit<RouteRequest, "stranger"> {
  const { headers } = event.req;
  const { searchParams } = event.url;
  const pathname = withoutBasePath(event.url.pathname, server.basePath);
  const pinned = searchParams.getAll("app").at(-1) || null;
  const query: Record<string, string[]> = {};
  for (const name of new Set(searchParams.keys())) if (!OWN.includes(name)) query[name] = searchParams.getAll(name);
  const canonical = canonicalNames(query);
  const { given } = timeRange(canonical, server.workspace.now());
  const wanted = route?.json ? "json" : wantedForm(headers, event.req.method);
  const at = wanted === "json" ? null : instantAsked(canonical, server.workspace.now());
  const { at: _instant, ...others } = canonical;
  const presentOnly = at !== null && route !== undefined && isPage(route.path) && !takesInstant(route.path);
  let opened: Promise<OpenedApp> | null = null;
  const params = Object.fromEntries(
    Object.entries(event.context.params ?? {}).map(([name, value]) => [name, decoded(String(value))]),
  );
  return {
    server,
    method: event.req.method,
    params,
    query: presentOnly ? others : canonical,
    at,
    pathname,
    search: event.url.search,
    headers,
    wanted,
    links: createLinks(pinned, {
      ...{ basePath: server.basePath, timeRange: given as Query, at: isoOrNull(at) },
      zoomed: /^\/invocations\/timeline|\/panel$/.test(route?.path ?? ""),
    }),
    nonce: newNonce(),
    pinned,
    peer: event.req.ip ?? LOCAL,
    done: searchParams.get("done"),
    body: async () => canonicalNames(await server.bodies.read(event.req, route?.bodyLimit)),
    app: async () => {
      // Once, so that the whole answer is about one app even if another is switched to meanwhile.
      opened ??= server.workspace.open(pinned);
      const app = await opened;
      return READING.includes(event.req.method) ? untilAborted(app, event.req.signal) : app;
    },
  };
}

/** h3 leaves `%2F` and the like encoded in parameters so that they do not affect routing; an id is decoded here, exactly once. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isMalformed(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return false;
  } catch {
    return true;
  }
}

/** Requests that never reach a route are answered without touching the store. */
function refused(request: RouteRequest, status: number, title: string, detail: string): Promise<Response> {
  const problem = { ...failure(status, detail), title };
  return request.wanted === "page" && status !== 400 && request.headers.get("accept")?.includes("text/html")
    ? failed(request, problem)
    : Promise.resolve(json(problem, status));
}

async function malformed(request: RouteRequest): Promise<Response> {
  const problem = failure(400, "The address contains an invalid percent-encoding.");
  return failed(request, problem, {}, await shownApp(request));
}

async function wrongMethod(request: RouteRequest, allow: string): Promise<Response> {
  const problem = failure(405, `${request.method} is not allowed here; use ${allow}.`);
  return failed(request, problem, { allow }, await shownApp(request));
}

async function unknownPath(request: RouteRequest): Promise<Response> {
  throw new NotFoundError("page", request.pathname, null, `There is no page ${quote(request.pathname)}.`);
}
