import type { Links } from "./links.ts";

export type NavKey =
  | "dashboard"
  | "invocations"
  | "failures"
  | "stats"
  | "compare"
  | "timeline"
  | "tasks"
  | "workflows"
  | "events"
  | "trigger_runs"
  | "triggers"
  | "runners"
  | "atomic_service"
  | "store"
  | "broker"
  | "orchestrator"
  | "state_backend"
  | "client_data"
  | "log_explorer"
  | "audit";

/** The links that need no more than the app. */
type PlainLink = {
  [Name in keyof Links]: Links[Name] extends (query?: never) => string ? Name : never;
}[keyof Links];

export interface NavEntry {
  key: NavKey;
  label: string;
  /** The key that goes there after `g`. */
  letter: string;
  /** The link that leads there. */
  link: PlainLink;
  /** The page needs figures over time, which can be switched off. */
  figures?: true;
  /** Where it is listed: below the entry of this key, or among the pages that are folded. */
  below?: "triggers" | "runners" | "internals";
}

/** The pages of the sidebar, in the order shown. */
export const NAV_ENTRIES: readonly NavEntry[] = [
  { key: "dashboard", label: "Overview", letter: "n", link: "dashboard" },
  { key: "invocations", label: "Invocations", letter: "i", link: "invocations" },
  { key: "failures", label: "Failures", letter: "f", link: "failures", figures: true },
  { key: "tasks", label: "Tasks", letter: "t", link: "tasks" },
  { key: "workflows", label: "Workflows", letter: "w", link: "workflows" },
  { key: "timeline", label: "Timeline", letter: "l", link: "timeline" },
  { key: "stats", label: "Statistics", letter: "m", link: "stats", figures: true },
  { key: "compare", label: "Compare", letter: "p", link: "compare" },
  { key: "triggers", label: "Triggers", letter: "y", link: "triggers" },
  { key: "trigger_runs", label: "Trigger runs", letter: "x", link: "triggerRuns", below: "triggers" },
  { key: "events", label: "Events", letter: "e", link: "events", below: "triggers" },
  { key: "runners", label: "Runners", letter: "r", link: "runners" },
  { key: "atomic_service", label: "Atomic service", letter: "h", link: "atomicTimeline", below: "runners" },
  { key: "broker", label: "Queues", letter: "b", link: "broker" },
  { key: "log_explorer", label: "Log lookup", letter: "g", link: "logExplorer" },
  { key: "store", label: "Store", letter: "d", link: "store", below: "internals" },
  { key: "orchestrator", label: "Orchestrator", letter: "o", link: "orchestrator", below: "internals" },
  { key: "state_backend", label: "State backend", letter: "s", link: "stateBackend", below: "internals" },
  { key: "client_data", label: "Client data", letter: "c", link: "clientDataStore", below: "internals" },
  { key: "audit", label: "Audit", letter: "u", link: "audit", below: "internals" },
];

/** Everyday words by which the search finds a page, or a control of the header, besides its name. */
export const EVERYDAY_WORDS = {
  dashboard: "home dashboard problems health alerts alarms",
  invocations: "jobs list",
  failures: "errors exceptions crashes broken",
  tasks: "functions jobs",
  workflows: "pipelines",
  timeline: "gantt chart",
  stats: "slow slowest speed performance latency metrics charts",
  compare: "differences changes regression",
  triggers: "rules automation schedule cron periodic",
  trigger_runs: "fired causes",
  events: "signals",
  runners: "workers processes hosts consumers",
  atomic_service: "turns slots recovery schedule",
  log_explorer: "logs lines",
  store: "database disk size storage version purge delete",
  broker: "backlog waiting messages",
  orchestrator: "stuck blocked recovery statuses",
  state_backend: "results history registration",
  client_data: "large values",
  audit: "actions record who",
  theme: "colours appearance mode",
  times: "timezone clock",
  live: "refresh reload interval",
  alarm: "alerts alarms notifications",
  link: "share permalink url send",
  keys: "hotkeys help",
} as const satisfies Record<NavKey | "theme" | "times" | "live" | "alarm" | "link" | "keys", string>;

/** The entries that this server has. @param figures whether it has figures over time. */
export function offered(entries: readonly NavEntry[], figures: boolean): NavEntry[] {
  return entries.filter((entry) => figures || entry.figures !== true);
}

/** An action that needs no more than a confirmation, and the page that previews it. */
export interface ActionEntry {
  key: string;
  label: string;
  link: PlainLink;
  /** The words behind `monitor` that do the same. */
  command: string;
}

/** Actions that the search offers. */
export const ACTION_ENTRIES: readonly ActionEntry[] = [
  { key: "purge", label: "Purge all data", link: "purge", command: "purge all" },
  { key: "purge_broker", label: "Purge the broker queue", link: "purgeBroker", command: "purge broker" },
  {
    key: "purge_orchestrator",
    label: "Purge the orchestrator",
    link: "purgeOrchestrator",
    command: "purge orchestrator",
  },
  {
    key: "purge_state_backend",
    label: "Purge the state backend",
    link: "purgeStateBackend",
    command: "purge state-backend",
  },
  {
    key: "purge_client_data",
    label: "Purge the client data store",
    link: "purgeClientData",
    command: "purge client-data-store",
  },
  {
    key: "purge_triggers",
    label: "Purge triggers, events and trigger runs",
    link: "purgeTriggers",
    command: "purge triggers",
  },
  {
    key: "auto_purge_orchestrator",
    label: "Auto-purge the orchestrator",
    link: "autoPurgeOrchestrator",
    command: "auto-purge orchestrator",
  },
  { key: "auto_purge_events", label: "Auto-purge events", link: "autoPurgeEvents", command: "auto-purge events" },
];

/** Pages and actions with names that a search knows. @param figures whether the server has figures over time. */
export function searchedPages(
  figures: boolean,
  readOnly: boolean,
): { kind: "page" | "action"; key: string; label: string; words?: string }[] {
  return [
    ...offered(NAV_ENTRIES, figures).map(({ key, label }) => ({
      kind: "page" as const,
      key,
      label,
      words: EVERYDAY_WORDS[key],
    })),
    ...(readOnly ? [] : ACTION_ENTRIES.map(({ key, label }) => ({ kind: "action" as const, key, label }))),
  ];
}
