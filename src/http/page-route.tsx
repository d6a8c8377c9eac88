/** A page, its partial refresh and its JSON from one definition, so that they cannot drift apart. */
import type { VNode } from "preact";
import { LiveRegion } from "../../templates/fragments/ui/live-region.tsx";
import type { Permalink, Problems, TimeControl } from "../../templates/layout/page-context.ts";
import type { Page, View } from "../../templates/pages/view.ts";
import { at, TIME_RANGE } from "../inputs/common.ts";
import { encode } from "../presentation/links.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../pynenc/time.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { RawInput } from "../services/input/input.ts";
import { restOf } from "../services/input/input.ts";
import { timeRange } from "../services/input/time-bounds.ts";
import { AmbiguousIdError, type IdWanted, withId } from "../services/model/resolve-ids.ts";
import { refuseOtherInstants, takesInstant, untilThen } from "./as-of.ts";
import { chosenColumns, columnsCookie } from "./chosen-columns.ts";
import type { Route, RouteRequest } from "./context.ts";
import { document, fragment, json, listedApps, PRESENT_ONLY, redirect } from "./respond.tsx";

export interface PageDefinition<Model extends object> extends Page<Model> {
  path: string;
  /** Path of the partial refresh that behaviour.md 3 names. Every page also refreshes under its own address. */
  refresh?: string;
  load(app: OpenedApp, request: RouteRequest): Promise<Model>;
  /** What the page shows as of an instant of the past, if that is another model than that of the present: only what rows can show. */
  past?(app: OpenedApp, request: RouteRequest, at: EpochSeconds): Promise<{ title: string; content: VNode }>;
  /** The current problems of the app, if the model has them. */
  problems?(model: Model): Problems;
  /** The address to redirect a browser to, if any. */
  elsewhere?(model: Model): string | null;
  /** The JSON, if it is not the complete model: leaves out what only drawing needs. */
  json?(model: Model): object;
}

export function pageRoutes<Model extends object>(page: PageDefinition<Model>): Route[] {
  return routesOf(page, async () => page);
}

/** As `pageRoutes`, for a page that is loaded when it is first requested. */
export function routesOf<Model extends object>(
  { path, refresh }: Pick<PageDefinition<Model>, "path" | "refresh">,
  load: () => Promise<PageDefinition<Model>>,
): Route[] {
  const routes: Route[] = [{ method: "GET", path, handle: async (request) => answer(await load(), request) }];
  if (refresh !== undefined) {
    routes.push({
      method: "GET",
      path: refresh,
      handle: async (request) =>
        answer(await load(), request.wanted === "json" ? request : { ...request, wanted: "fragment" }),
    });
  }
  return routes;
}

async function answer<Model extends object>(page: PageDefinition<Model>, request: RouteRequest): Promise<Response> {
  const app = await request.app();
  const fields = page.columns === undefined ? [] : chosenColumns(request, page.columns);
  const make = () => made(page, request, app, fields);
  return page.beyondStore ? make() : request.server.remembered.answer(request, app, fields, make);
}

/** @param fields columns that the viewer chose. */
async function made<Model extends object>(
  page: PageDefinition<Model>,
  given: RouteRequest,
  app: OpenedApp,
  fields: readonly string[],
): Promise<Response> {
  const request = page.timed === undefined ? untimed(given) : given;
  if (request.wanted !== "json") refuseOtherInstants(request.query, app.now());
  const wanted = idIn(page, request);
  if (wanted === null) return loaded(page, request, app, fields);
  try {
    return await withId(app, wanted, async (id) =>
      id === wanted.text ? loaded(page, request, app, fields) : redirect(addressWith(page, given, id)),
    );
  } catch (error) {
    // In a browser, the reader chooses from a list of links.
    if (!(error instanceof AmbiguousIdError) || request.wanted !== "page") throw error;
    return redirect(request.links.search({ q: wanted.text, kind: wanted.kinds }));
  }
}

/** The query without the time range, which only matters to other pages. JSON clients get an error instead: it filters nothing here. */
export function untimed(request: RouteRequest): RouteRequest {
  return request.wanted === "json" ? request : { ...request, query: restOf(request.query, TIME_RANGE) };
}

/** The range of the address, for figures beside what is shown of all time. */
export function rangeAsked({ links }: RouteRequest): RawInput {
  return links.timeRange as RawInput;
}

function withoutFields(request: RouteRequest): RouteRequest {
  const { fields: _fields, ...query } = request.query;
  return { ...request, query };
}

/** Whether the model of the page can be that of an instant of the past. */
function isOfThen<Model extends object>({ follows, path }: PageDefinition<Model>): boolean {
  return follows !== undefined || takesInstant(path);
}

/** The state of the time control in the header. */
function timeControl<Model extends object>(
  page: PageDefinition<Model>,
  request: RouteRequest,
  model: Model | null,
  app: OpenedApp,
): TimeControl {
  // A page of the past has no model of this kind: its range ends at the instant.
  const { timed } = model === null ? {} : page;
  const { from = null, to = null } = timeRange(request.links.timeRange as RawInput, app.now()).bounds;
  const requested = { start: isoOrNull(from), end: isoOrNull(to) };
  const window = { preset: "", ...(model !== null && typeof timed === "function" ? timed(model) : requested) };
  return {
    applies: timed !== undefined,
    open: typeof timed !== "function",
    goes_back: page.past !== undefined || isOfThen(page),
    ...window,
    path: pagePath(page, request),
    query: request.query,
  };
}

/** The address that shows others what the page shows now. */
function permalink<Model extends object>(
  page: PageDefinition<Model>,
  request: RouteRequest,
  { path, start, end, applies }: TimeControl,
  app: OpenedApp,
): Permalink {
  const { done: _done, at: asked, ...given } = request.query;
  const { from, to, range, ...rest } = { ...given, ...request.links.timeRange } as RawInput;
  const dated = [from, to].some((values) => /^\d{4}-/.test(values?.at(-1) ?? ""));
  const shown = request.at ?? (takesInstant(page.path) ? app.now() : null);
  const then = asked ?? (shown === null ? undefined : [isoFromEpoch(shown)]);
  const window =
    applies || range !== undefined || from !== undefined || to !== undefined
      ? { from: start, to: end ?? (start && isoFromEpoch(app.now())) }
      : {};
  return {
    href: request.links.inApp(app.app_id).current(path, { ...rest, ...window, at: then }),
    moving: !dated && (start !== null || (request.at === null && asked === undefined && then !== undefined)),
  };
}

/** Whether the page is about something that other apps do not have. */
function isAboutThing<Model extends object>(page: PageDefinition<Model>, request: RouteRequest): boolean {
  return page.path.includes(":") || idIn(page, request) !== null;
}

function idIn<Model extends object>(
  { about }: PageDefinition<Model>,
  { params, query }: RouteRequest,
): IdWanted | null {
  const text = about?.in === "path" ? params[about.name] : query[about?.name ?? ""]?.at(-1);
  return about === undefined || !text ? null : { parameter: about.name, kinds: [about.kind].flat(), text };
}

/** The address of the same page for another id. */
function addressWith<Model extends object>(
  { path, about }: PageDefinition<Model>,
  request: RouteRequest,
  id: string,
): string {
  const given = query(request);
  if (about?.in === "query") return request.links.current(path, { ...given, [about.name]: id });
  return request.links.current(
    path.replace(/(\*\*)?:\w+/, () => encode(id)),
    given,
  );
}

async function loaded<Model extends object>(
  page: PageDefinition<Model>,
  request: RouteRequest,
  app: OpenedApp,
  fields: readonly string[],
): Promise<Response> {
  const { columns } = page;
  if (request.at !== null && page.past !== undefined) {
    const { title, content } = await page.past(app, request, request.at);
    if (request.wanted === "fragment") return fragment(request, content);
    const time = timeControl(page, request, null, app);
    return document(request, { title, nav: page.nav, app, live: false, present: null, time }, content);
  }
  // Requested in parallel with the model, because a distant server takes a while to answer.
  const apps = request.wanted === "page" ? listedApps(request) : undefined;
  const asked =
    page.follows === "range" && request.at !== null
      ? { ...request, query: untilThen(request.query, request.at) }
      : request;
  const model = await page.load(app, columns === undefined ? asked : withoutFields(asked));
  if (request.wanted === "json") return json(page.json === undefined ? model : page.json(model));
  const elsewhere = request.wanted === "page" ? page.elsewhere?.(model) : null;
  if (elsewhere) return redirect(request.links.keeping(elsewhere));
  const view: View<Model> = {
    model,
    path: pagePath(page, request),
    // Links and forms have the instant of the past by themselves.
    query: request.at === null ? request.query : restOf(request.query, { at }),
    now: isoFromEpoch(app.now()),
    readOnly: request.server.readOnly,
    fields,
  };
  const { content: Content, header: Header } = page;
  const content = <Content {...view} />;
  if (request.wanted === "fragment") return fragment(request, content);
  const own = query(request);
  // In the order of the page's own address, so that links in what is refreshed are those of the page.
  const href = request.links.current(refreshPath(page, request), { ...own, ...request.links.timeRange, ...own });
  const body = (
    <>
      {Header !== undefined && <Header {...view} />}
      {page.still ? (
        content
      ) : (
        <LiveRegion id={page.region} href={href}>
          {content}
        </LiveRegion>
      )}
    </>
  );
  const cookie = columns === undefined ? null : columnsCookie(request, page.path, columns);
  const time = timeControl(page, request, model, app);
  return document(
    request,
    {
      title: page.title(model),
      nav: page.nav,
      app,
      live: !page.still,
      present: page.present ?? (isOfThen(page) ? null : PRESENT_ONLY),
      time,
      permalink: permalink(page, request, time, app),
      ...(page.problems !== undefined && { problems: page.problems(model) }),
      ...(isAboutThing(page, request) ? {} : { path: view.path }),
      ...(apps !== undefined && { apps }),
      ...(cookie !== null && { headers: { "set-cookie": cookie } }),
    },
    body,
  );
}

/** The path of the page itself, even if the fragment is requested under the refresh path; pagers link there. */
function pagePath<Model extends object>({ path, refresh }: PageDefinition<Model>, { pathname }: RouteRequest): string {
  if (refresh === undefined) return pathname;
  if (!refresh.includes(":")) return pathname === refresh ? path : pathname;
  return pathname.replace(/\/refresh$/, "");
}

function refreshPath<Model extends object>(page: PageDefinition<Model>, request: RouteRequest): string {
  return page.refresh === undefined || page.refresh.includes(":") ? request.pathname : page.refresh;
}

function query(request: RouteRequest): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(request.query).flatMap(([name, values]) => (values === undefined ? [] : [[name, values]])),
  );
}
