/**
 * The only place that builds addresses. Ids come from stores and may contain anything (`/`, `%`, `#`, quotes, markup); a component never
 * concatenates an address itself, and never puts stored text into `href`.
 */
import type { appsInput } from "../inputs/health.ts";
import type { signInInput } from "../inputs/sign-in.ts";
import type { Questions } from "../questions/all.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";

export type QueryValue = string | number | boolean | null | undefined;

/** Absent, null and empty members are left out; a list repeats the parameter. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/**
 * A query with the parameters of an input; other names do not compile. The parameters of the page may be spread into it,
 * and names written next to them are still checked.
 */
export type QueryOf<Input> = { readonly [Name in keyof Input]?: QueryValue | readonly QueryValue[] };

/** Names of a timeline's window in the HTTP contract. */
interface WindowQuery {
  start_date: string;
  end_date: string;
}

/** A list as a file. */
interface FileQuery {
  format: string;
}

/** Parameters of a question. */
type InputOf<Name extends keyof Questions> = Questions[Name]["input"];

type Address = Questions[keyof Questions]["addresses"][number]["path"];

/** An address with an id in its path. */
type AddressOfOne = Extract<Address, `${string}:${string}`>;

/** A lone surrogate cannot be encoded in UTF-8 and makes `encodeURIComponent` throw, so it becomes the replacement character. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** `?a=1&b=2&b=3`, or an empty text. */
export function queryString(query: Query): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue]) {
      if (one === undefined || one === null || one === "") continue;
      pairs.push(`${encode(name)}=${encode(String(one))}`);
    }
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** What the addresses of one answer have in common, besides the app. */
export interface Place {
  /** In front of every path, because a proxy serves the monitor below it: `/mon`. Empty without one. */
  basePath?: string;
  /** `range`, `from` and `to` of the page, as given. */
  timeRange?: Query;
  /** The range is the window of a drawing: what is drawn is reached without it, by shorter addresses. */
  zoomed?: boolean;
  /** The instant of the past that the answer shows, in ISO 8601: links stay in it. Null for the present. */
  at?: string | null;
}

function addresses(app: string | null, { basePath = "", timeRange = {}, zoomed = false, at: then = null }: Place) {
  /** A path of this server, already encoded, with its query. */
  const always = (path: string, query: Query = {}): string => {
    const { app: _appWins, ...rest } = query;
    return basePath + path + queryString(app === null ? query : { ...rest, app });
  };
  /** The same for pages: in the past, unless the query has another `at`, or `at: undefined` for the present. */
  const current = (path: string, query: Query = {}): string =>
    always(path, then === null || Object.hasOwn(query, "at") ? query : { ...query, at: then });
  const to = (path: Exclude<Address, AddressOfOne>, query?: Query) => current(path, query);
  /** The page of a thing, from which the way leads on: it keeps the time range that was chosen. */
  const at = (path: AddressOfOne, id: string, query?: Query) =>
    current(
      path.replace(/:\w+/, () => encode(id)),
      zoomed ? query : { ...timeRange, ...query },
    );
  const extended = (href: string, query: Query) => {
    const more = queryString(query);
    return href.includes("?") ? href + more.replace("?", "&") : href + more;
  };
  return {
    app,
    basePath,
    timeRange,
    at: then,
    /** The address of a page with the time range of this one, which a thing's has by itself. */
    keeping: (href: string) => (href.includes(queryString(timeRange).slice(1)) ? href : extended(href, timeRange)),
    /** The address of a page that shows the outcome of an action. @param id of its entry in the action log */
    afterAction: (href: string, id: string) => extended(href, { done: id }),
    /** The home page of whatever app the server shows. */
    start: () => `${basePath}/`,
    dashboard: (query?: QueryOf<InputOf<"dashboard">>) => to("/", query),
    apps: (query?: QueryOf<typeof appsInput>) => to("/apps/", query),
    search: (query?: QueryOf<InputOf<"find">>) => to("/search", query),
    verdicts: () => always("/verdicts"),
    signIn: (query?: QueryOf<typeof signInInput>) => always("/login", query),
    signInCode: () => always("/login/code"),
    why: (id?: string) => to("/why", { id }),
    mute: (query: QueryOf<InputOf<"mute">>) => to("/why/mute", query),
    unmute: (query: QueryOf<InputOf<"unmute">>) => to("/why/unmute", query),
    /** The client adds `q`, the beginning of a query. */
    queryCompletion: () => always("/search/complete"),
    broker: () => to("/broker/"),
    queue: (query?: QueryOf<InputOf<"queue">>) => to("/broker/queue", query),
    orchestrator: () => to("/orchestrator/"),
    runners: (query?: QueryOf<InputOf<"runners">>) => to("/runners/", query),
    runner: (runnerId: string) => at("/runners/:runner_id", runnerId),
    atomicTimeline: (query?: QueryOf<InputOf<"atomicService">>) => to("/runners/atomic-service/timeline", query),
    atomicRun: (atomicServiceRunId: string) => at("/runners/atomic-service/runs/:run_id", atomicServiceRunId),
    atomicScheduling: () => to("/runners/atomic-service/scheduling"),
    tasks: (query?: QueryOf<InputOf<"tasks">>) => to("/tasks/", query),
    task: (taskIdKey: string, query?: QueryOf<InputOf<"task">>) => at("/tasks/:task_id_key", taskIdKey, query),
    stats: (query?: QueryOf<InputOf<"stats">>) => to("/stats/", query),
    failures: (query?: QueryOf<InputOf<"failures">>) => to("/failures/", query),
    compare: (query?: QueryOf<InputOf<"compare">>) => to("/compare/", query),
    invocations: (query?: QueryOf<InputOf<"invocations">>) => to("/invocations/", query),
    invocationsExport: (query?: QueryOf<InputOf<"invocations"> & FileQuery>) => always("/invocations/export", query),
    invocation: (invocationId: string) => at("/invocations/:id", invocationId),
    family: (id: string, query?: QueryOf<InputOf<"tree">>) => at("/trace/:id", id, query),
    diff: (query?: Partial<QueryOf<InputOf<"diff">>>) => to("/diff", query),
    call: (callIdKey: string) => to("/calls/", { call_id_key: callIdKey }),
    workflows: () => to("/workflows/"),
    workflowType: (workflowTypeKey: string, query?: QueryOf<InputOf<"workflows">>) =>
      at("/workflows/:type_key", workflowTypeKey, query),
    workflowRuns: (query?: QueryOf<InputOf<"workflows">>) => to("/workflows/runs", query),
    workflowRun: (workflowId: string, query?: QueryOf<InputOf<"workflow">>) =>
      at("/workflows/runs/:workflow_id", workflowId, query),
    purge: () => to("/purge"),
    purgeBroker: (query?: QueryOf<InputOf<"purge">>) => to("/broker/purge", query),
    purgeOrchestrator: () => to("/orchestrator/purge"),
    purgeStateBackend: () => to("/state-backend/purge"),
    purgeClientData: () => to("/client-data-store/purge"),
    purgeTriggers: () => to("/triggers/purge"),
    autoPurgeOrchestrator: () => to("/orchestrator/auto-purge"),
    autoPurgeEvents: () => to("/events/auto-purge"),
    rerun: (invocationId: string, query?: QueryOf<InputOf<"rerun">>) =>
      current(`/invocations/${encode(invocationId)}/rerun`, query),
    rerunMany: (query?: QueryOf<InputOf<"rerun">>) => to("/invocations/rerun", query),
    requeue: (invocationId: string, query?: QueryOf<InputOf<"requeue">>) =>
      at("/invocations/:id/requeue", invocationId, query),
    requeueMany: (query?: QueryOf<InputOf<"requeue">>) => to("/invocations/requeue", query),
    audit: (query?: QueryOf<InputOf<"audit">>) => to("/audit", query),
    store: () => to("/store/"),
    stateBackend: () => to("/state-backend/"),
    clientDataStore: (query?: QueryOf<InputOf<"clientDataStore">>) => to("/client-data-store/", query),
    clientValue: (reference: string) => to("/client-data-store/", { reference }),
    events: (query?: QueryOf<InputOf<"events">>) => to("/events/", query),
    event: (eventId: string) => at("/events/:event_id", eventId),
    eventsExport: (query?: QueryOf<InputOf<"events"> & FileQuery>) => always("/events/export", query),
    eventApi: (eventId: string) => current(`/events/${encode(eventId)}/api`),
    eventTrace: (eventId: string, query?: QueryOf<InputOf<"trace">>) => at("/events/:event_id/trace", eventId, query),
    triggerRuns: (query?: QueryOf<InputOf<"triggerRuns">>) => to("/trigger-runs/", query),
    triggerRun: (triggerRunId: string) => at("/trigger-runs/:id", triggerRunId),
    triggerRunApi: (triggerRunId: string) => current(`/trigger-runs/${encode(triggerRunId)}/api`),
    condition: (conditionId: string) => to("/trigger-runs/condition", { condition_id: conditionId }),
    validCondition: (validConditionId: string) =>
      to("/trigger-runs/valid-condition", { valid_condition_id: validConditionId }),
    triggers: (query?: QueryOf<InputOf<"triggers">>) => to("/triggers/", query),
    trigger: (triggerId: string) => at("/triggers/:id", triggerId),
    logExplorer: (query?: { reference: string }) => to("/log-explorer/", query),
    timeline: (query?: QueryOf<InputOf<"timeline"> & WindowQuery & FileQuery>) => to("/invocations/timeline", query),
    compactTimeline: (query?: QueryOf<InputOf<"timeline"> & WindowQuery>) => to("/invocations/timeline/compact", query),
    asset: (name: string) => `${basePath}/assets/${name.split("/").map(encode).join("/")}`,
    /** For GET forms, whose fields replace the query: `KeptParameters` names the app there. */
    formAction: (path: string) => basePath + path,
    /** A path of this server with another query, for pagers, filters, refresh routes and form actions. Never pass stored text as `path`, nor a prefix. */
    current,
  };
}

/**
 * Addresses of everything that can be shown. With an app, every address except `start` and `asset` has `?app=`: which app
 * the server shows by default may change while a page is open.
 *
 * Links of the navigation (`keeping`) and to a single thing keep the time range of the page; a link to a list says its own.
 *
 * A limit of the URL standard: a path segment that is exactly `.` or `..` cannot be addressed, encoded or not.
 *
 * @param app named by every address; null if the store has only one (`OpenedApp.addressedAs`).
 */
export function createLinks(app: string | null, place: Place = {}): Links {
  return { ...addresses(app, place), inApp: (other) => createLinks(other, place) };
}

export interface Links extends ReturnType<typeof addresses> {
  /** Links for another app of the store, or, with null, for the one that the server shows. */
  inApp(appId: string | null): Links;
}

/** Addresses of an app, for those who do not know where its monitor is served. */
export async function linksTo(app: Pick<OpenedApp, "addressedAs">): Promise<Links> {
  return createLinks(await app.addressedAs());
}
