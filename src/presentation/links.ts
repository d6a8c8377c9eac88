/**
 * The only builder of addresses. Ids come from stores and may hold anything (`/`, `%`, `#`, quotes, markup); a component never
 * concatenates an address itself, and never puts stored text into `href`.
 */
export type QueryValue = string | number | boolean | null | undefined;

/** Absent, null and empty members are left out; a list repeats its name. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** A lone surrogate cannot be written in UTF-8 and makes `encodeURIComponent` throw: it becomes the replacement character. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** `?a=1&b=2&b=3`, or nothing at all. */
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

/**
 * Addresses of everything that can be shown. With a pinned app every address but `switchApp` and `asset` carries `?app=`, so that two
 * tabs can look at two apps.
 *
 * One limit is the URL standard's: a path segment that is exactly `.` or `..` cannot be addressed, encoded or not.
 */
export function createLinks(pinnedApp: string | null) {
  /** An own path, already encoded, with its query. */
  const to = (path: string, query: Query = {}): string => {
    const { app: _pinnedWins, ...rest } = query;
    return path + queryString(pinnedApp === null ? query : { ...rest, app: pinnedApp });
  };
  return {
    /** The app pinned with `?app=`, or null when the active app counts. */
    pinnedApp,
    dashboard: () => to("/"),
    search: (query?: Query) => to("/search", query),
    broker: () => to("/broker/"),
    queue: (query?: Query) => to("/broker/queue", query),
    orchestrator: () => to("/orchestrator/"),
    runners: (query?: Query) => to("/runners/", query),
    runner: (runnerId: string) => to(`/runners/${encode(runnerId)}`),
    atomicTimeline: (query?: Query) => to("/runners/atomic-service/timeline", query),
    atomicRun: (atomicServiceRunId: string) => to(`/runners/atomic-service/runs/${encode(atomicServiceRunId)}`),
    atomicScheduling: () => to("/runners/atomic-service/scheduling"),
    tasks: () => to("/tasks/"),
    task: (taskIdKey: string, query?: Query) => to(`/tasks/${encode(taskIdKey)}`, query),
    invocations: (query?: Query) => to("/invocations/", query),
    invocation: (invocationId: string) => to(`/invocations/${encode(invocationId)}`),
    familyTree: (invocationId: string, query?: Query) => to(`/invocations/${encode(invocationId)}/family-tree`, query),
    call: (callIdKey: string) => to("/calls/", { call_id_key: callIdKey }),
    workflows: () => to("/workflows/"),
    workflowType: (workflowTypeKey: string, query?: Query) => to(`/workflows/${encode(workflowTypeKey)}`, query),
    workflowRuns: (query?: Query) => to("/workflows/runs", query),
    workflowRun: (workflowId: string, query?: Query) => to(`/workflows/runs/${encode(workflowId)}`, query),
    purge: () => to("/purge"),
    purgeBroker: (query?: Query) => to("/broker/purge", query),
    purgeOrchestrator: () => to("/orchestrator/purge"),
    purgeStateBackend: () => to("/state-backend/purge"),
    purgeClientData: () => to("/client-data-store/purge"),
    purgeTriggers: () => to("/triggers/purge"),
    autoPurgeOrchestrator: () => to("/orchestrator/auto-purge"),
    autoPurgeEvents: () => to("/events/auto-purge"),
    rerun: (invocationId: string, query?: Query) => to(`/invocations/${encode(invocationId)}/rerun`, query),
    rerunMany: (query?: Query) => to("/invocations/rerun", query),
    requeue: (invocationId: string, query?: Query) => to(`/invocations/${encode(invocationId)}/requeue`, query),
    requeueMany: (query?: Query) => to("/invocations/requeue", query),
    audit: (query?: Query) => to("/audit", query),
    stateBackend: () => to("/state-backend/"),
    clientDataStore: (query?: Query) => to("/client-data-store/", query),
    clientValue: (reference: string) => to("/client-data-store/", { reference }),
    events: (query?: Query) => to("/events/", query),
    event: (eventId: string) => to(`/events/${encode(eventId)}`),
    eventsExport: (query?: Query) => to("/events/export", query),
    eventApi: (eventId: string) => to(`/events/${encode(eventId)}/api`),
    eventTrace: (eventId: string, query?: Query) => to(`/events/${encode(eventId)}/trace`, query),
    triggerRuns: (query?: Query) => to("/trigger-runs/", query),
    triggerRun: (triggerRunId: string) => to(`/trigger-runs/${encode(triggerRunId)}`),
    triggerRunApi: (triggerRunId: string) => to(`/trigger-runs/${encode(triggerRunId)}/api`),
    condition: (conditionId: string) => to("/trigger-runs/condition", { condition_id: conditionId }),
    validCondition: (validConditionId: string) =>
      to("/trigger-runs/valid-condition", { valid_condition_id: validConditionId }),
    triggers: (query?: Query) => to("/triggers/", query),
    trigger: (triggerId: string) => to(`/triggers/${encode(triggerId)}`),
    logExplorer: () => to("/log-explorer/"),
    timeline: (query?: Query) => to("/invocations/timeline", query),
    compactTimeline: (query?: Query) => to("/invocations/timeline/compact", query),
    switchApp: (appId: string) => `/switch-app/${encode(appId)}`,
    asset: (name: string) => `/assets/${name.split("/").map(encode).join("/")}`,
    /** A path of ours with another query: pagers, filters, refresh routes and form actions. Never pass stored text as `path`. */
    current: (path: string, query: Query = {}) => to(path, query),
  };
}

export type Links = ReturnType<typeof createLinks>;
