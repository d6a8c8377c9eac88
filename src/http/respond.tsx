/** Responses: documents, fragments with ETags, JSON, redirects, streams. */

import { createHash } from "node:crypto";
import type { VNode } from "preact";
import type { Past, Permalink, Problems, TimeControl } from "../../templates/layout/page-context.ts";
import { renderFragment, renderPage } from "../../templates/layout/render.tsx";
import { type Correctable, ErrorPage } from "../../templates/pages/error.tsx";
import type { Failure } from "../api/problem.ts";
import { versioned } from "../api/version.ts";
import { isUnknown } from "../errors.ts";
import { ownTurn } from "../event-loop.ts";
import type { Query } from "../presentation/links.ts";
import type { NavKey } from "../presentation/nav-entries.ts";
import { duration } from "../presentation/text.ts";
import { writeJson } from "../pynenc/stored-json.ts";
import { isoFromEpoch } from "../pynenc/time.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { ShownApp } from "../services/app/workspace.ts";
import { canonicalNames } from "../services/input/parameter-names.ts";
import type { RouteRequest } from "./context.ts";

const HTML = "text/html; charset=utf-8";
const VARY = "accept, hx-request";

/** Stored data must not reach a cache on disk; the client sends ETags itself (client/live.ts). */
const NO_STORE = "no-store";

/** A JSON answer with the version of the schemas. */
export function json(value: object, status = 200): Response {
  const { body, headers } = jsonAnswer(value, status);
  return new Response(bytes(body), { status, headers });
}

/** A text as it is sent. `Response` would look for lone surrogates one by one first, which takes a millisecond for a large page. */
function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text);
}

/** The same, for code that writes to a socket. */
export function jsonAnswer(value: object, status: number): { body: string; headers: Record<string, string> } {
  const type = status >= 400 ? "application/problem+json" : "application/json; charset=utf-8";
  return {
    body: `${writeJson(versioned(value))}\n`,
    headers: { "content-type": type, "cache-control": NO_STORE, vary: VARY },
  };
}

export function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": NO_STORE } });
}

/** A part of a page; 304 if the client already has it. */
export async function fragment(request: RouteRequest, body: VNode): Promise<Response> {
  const today = isoFromEpoch(request.server.workspace.now()).slice(0, 10);
  const html = await renderFragment(request.links, body, today, { nonce: request.nonce, turn: ownTurn });
  const etag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 20)}"`;
  const headers = { etag, "cache-control": NO_STORE, vary: VARY };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(bytes(html), { headers: { ...headers, "content-type": HTML } });
}

export interface DocumentInput {
  title: string;
  nav: NavKey | null;
  /** Null on pages that must not touch the store: refusals, and errors of the store. */
  app: Pick<OpenedApp, "app_id" | "store"> | null;
  live: boolean;
  /** Why the page shows the present also when an instant of the past is asked for; null if it does not. */
  present?: string | null;
  /** Result of `listedApps`, if that was called earlier. */
  apps?: ReturnType<typeof listedApps>;
  /** As in PageContext; `/` by default. */
  path?: string;
  /** Absent on pages without the time range control: errors and actions. */
  time?: TimeControl;
  /** Absent on pages whose address says all, apart from the app. */
  permalink?: Permalink;
  problems?: Problems;
  status?: number;
  headers?: Record<string, string>;
}

/** Of a page that does not say more. */
export const PRESENT_ONLY = "This page shows the present: the history does not have what is on it.";

/** The apps that a page offers. If the store cannot be read, the error page has none. */
export function listedApps({ server }: RouteRequest): Promise<ShownApp[]> {
  return server.workspace.apps(true).catch(() => []);
}

export async function document(request: RouteRequest, input: DocumentInput, body: VNode): Promise<Response> {
  const { workspace, readOnly, version, access } = request.server;
  // The page of an error that says that the store cannot be read, or not now, has no list of apps.
  const apps = input.status === 503 ? [] : await (input.apps ?? listedApps(request));
  const html = await renderPage(
    {
      links: request.links,
      nonce: request.nonce,
      title: input.title,
      nav: input.nav,
      app:
        input.app === null
          ? null
          : { app_id: input.app.app_id, phantom: apps.find((a) => a.app_id === input.app?.app_id)?.phantom },
      apps,
      path: input.path ?? "/",
      location: workspace.store.location,
      read_only: readOnly,
      sign_in: access !== null,
      figures: workspace.figures,
      now: isoFromEpoch(workspace.now()),
      clock_fixed: workspace.clockFixed,
      live: input.live,
      time: input.time ?? null,
      problems: input.problems ?? null,
      permalink: input.permalink ?? addressOf(request, input.app),
      gaps: input.app?.store.gaps ?? [],
      past: pastOf(request, input),
      notice: doneNotice(request, input.app),
      version,
    },
    body,
    ownTurn,
  );
  return new Response(bytes(html), {
    status: input.status ?? 200,
    headers: { "content-type": HTML, "cache-control": NO_STORE, vary: VARY, ...input.headers },
  });
}

/** Steps in time, in seconds. */
const STEPS = [
  { name: "An hour earlier", sign: "\u22121 h", by: -3_600 },
  { name: "A minute earlier", sign: "\u22121 min", by: -60 },
  { name: "A minute later", sign: "+1 min", by: 60 },
  { name: "An hour later", sign: "+1 h", by: 3_600 },
];

function pastOf({ at, links, pathname, query, server }: RouteRequest, { status, present }: DocumentInput): Past | null {
  if (at === null) return null;
  const to = (then: number | undefined) =>
    links.current(pathname, { ...(query as Query), at: then && isoFromEpoch(then) });
  const now = server.workspace.now();
  return {
    at: isoFromEpoch(at),
    ago: duration(now - at),
    back: to(undefined),
    steps: STEPS.flatMap(({ by, ...step }) => (at + by < now ? [{ ...step, href: to(at + by) }] : [])),
    present: status === undefined ? (present === undefined ? PRESENT_ONLY : present) : null,
  };
}

function addressOf({ method, links, pathname, query }: RouteRequest, app: DocumentInput["app"]): Permalink | null {
  if (method !== "GET") return null;
  return { href: links.inApp(app?.app_id ?? links.app).current(pathname, query as Query), moving: false };
}

/** The outcome of the action that redirected here; null if it was about another app or is no longer in memory. */
function doneNotice({ server, done }: RouteRequest, app: { app_id: string } | null): string | null {
  const entry = done === null ? undefined : server.actions.entry(done);
  return entry !== undefined && entry.app_id === app?.app_id ? entry.message : null;
}

/**
 * An error in the format the client accepts. If the store is unreachable, the page retries by itself, also without scripts.
 *
 * @param app shown in the header; null if the store must not be touched.
 */
export async function failed(
  request: RouteRequest,
  failure: Failure,
  headers: Record<string, string> = {},
  app: OpenedApp | null = null,
): Promise<Response> {
  const retry: Record<string, string> = failure.status === 503 ? { "retry-after": "3" } : {};
  if (request.wanted !== "page" || request.stranger) {
    const body = request.method === "POST" ? { ...failure, success: false as const, message: failure.detail } : failure;
    const response = json(body, failure.status);
    for (const [name, value] of Object.entries({ ...retry, ...headers })) response.headers.set(name, value);
    return response;
  }
  return document(
    request,
    {
      title: failure.title,
      nav: null,
      app,
      live: false,
      status: failure.status,
      headers: { ...retry, ...(failure.status === 503 && { refresh: "3" }), ...headers },
    },
    <ErrorPage
      failure={failure}
      correctable={correctable(request, failure)}
      sentFrom={request.method === "POST" ? request.links.current(request.pathname, request.query as Query) : null}
    />,
  );
}

/** The rejected parameters of the address, for correction; null if the error is about something else. */
function correctable(request: RouteRequest, { errors = [] }: Failure): Correctable | null {
  if (request.method !== "GET") return null;
  const isWrong = (name: string) => errors.some(({ parameter }) => parameter === name);
  const wrong = [...new URLSearchParams(request.search)].filter(([name]) => isWrong(name));
  if (wrong.length === 0) return null;
  const left = canonicalNames(Object.fromEntries(wrong.map(([name, value]) => [name, [value]])));
  const kept = Object.entries(request.query).flatMap(([name, values = []]) =>
    Object.hasOwn(left, name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const unknown = errors.filter(isUnknown).map(({ parameter }) => parameter);
  return { path: request.pathname, wrong: wrong.filter(([name]) => !unknown.includes(name)), unknown, kept };
}

/** A stream of text; the source stops when the client disconnects. */
export function download(pieces: AsyncGenerator<string>, type: string, filename: string): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "content-disposition": `attachment; filename="${filename}"`,
      "cache-control": NO_STORE,
    },
  });
}
