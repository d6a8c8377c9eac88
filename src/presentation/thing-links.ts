import type { FindAnswer, FoundKind } from "../api/find.ts";
import type { Evidence } from "../api/verdicts.ts";
import type { Findings } from "../services/find/find.ts";
import type { Links } from "./links.ts";
import { ACTION_ENTRIES, NAV_ENTRIES } from "./nav-entries.ts";
import { visibleLine } from "./text.ts";

/** The page of an object of any kind. */
export function thingHref(links: Links, { kind, id }: { kind: FoundKind; id: string }): string {
  switch (kind) {
    case "invocation":
      return links.invocation(id);
    case "runner":
      return links.runner(id);
    case "task":
      return links.task(id);
    case "queue":
      return links.queue({ queue: id });
    case "call":
      return links.call(id);
    case "workflow":
      return links.workflowRun(id);
    case "event":
      return links.event(id);
    case "trigger_run":
      return links.triggerRun(id);
    case "trigger":
      return links.trigger(id);
    case "condition":
      return links.condition(id);
    case "valid_condition":
      return links.validCondition(id);
    case "atomic_service_run":
      return links.atomicRun(id);
    case "client_data":
      return links.clientValue(id);
    case "event_code":
      return links.events({ event_code: id });
    case "workflow_type":
      return links.workflowType(id);
    case "family":
      return links.family(id);
    case "query":
      return links.invocations({ q: id });
    case "action":
      return (ACTION_ENTRIES.find((entry) => entry.key === id) ?? ACTION_ENTRIES[0])?.href(links) ?? links.store();
    case "page":
      return (NAV_ENTRIES.find((entry) => entry.key === id) ?? NAV_ENTRIES[0])?.href(links) ?? links.dashboard();
  }
}

/** A match with the addresses of its pages. */
export function withPaths(links: Links, { matches, near, ...answer }: Findings): FindAnswer {
  const placed = (found: Findings["matches"]) =>
    found.map((one) => {
      const there = one.app_id === undefined ? links : links.inApp(one.app_id);
      return { ...one, path: thingHref(there, one) };
    });
  return { ...answer, matches: placed(matches), near: placed(near) };
}

/** Names of kinds as shown to users. */
export const KIND_WORDS: Readonly<Record<FoundKind, string>> = {
  invocation: "invocation",
  workflow: "workflow run",
  event: "event",
  trigger_run: "trigger run",
  trigger: "trigger",
  condition: "condition",
  valid_condition: "valid condition",
  runner: "runner",
  atomic_service_run: "service run",
  call: "call",
  client_data: "client data value",
  task: "task",
  queue: "queue",
  event_code: "event code",
  workflow_type: "workflow type",
  family: "family",
  page: "page",
  action: "action",
  query: "invocations",
};

/** A piece of evidence in words: its kind and its role, unless the role names the kind. */
export function evidenceWords({ kind, role }: Pick<Evidence, "kind" | "role">): string {
  if (role === null) return KIND_WORDS[kind];
  return visibleLine(role.includes(KIND_WORDS[kind]) ? role : `${KIND_WORDS[kind]}, ${role}`);
}

/** The words for each kind as a label, with a capital letter. */
export const KIND_LABELS = Object.fromEntries(
  Object.entries(KIND_WORDS).map(([kind, words]) => [kind, `${words[0]?.toUpperCase()}${words.slice(1)}`]),
) as Readonly<Record<FoundKind, string>>;
