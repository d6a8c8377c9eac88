import type { FindAnswer, FoundKind } from "../api/find.ts";
import type { Evidence } from "../api/verdicts.ts";
import { sentenceCase } from "../pynenc/sentences.ts";
import type { Findings } from "../services/find/find.ts";
import type { Links } from "./links.ts";
import { ACTION_ENTRIES, NAV_ENTRIES } from "./nav-entries.ts";
import { visibleLine } from "./text.ts";

const HREFS: Readonly<Record<FoundKind, (links: Links, id: string) => string>> = {
  invocation: (links, id) => links.invocation(id),
  runner: (links, id) => links.runner(id),
  task: (links, id) => links.task(id),
  queue: (links, queue) => links.queue({ queue }),
  call: (links, id) => links.call(id),
  workflow: (links, id) => links.workflowRun(id),
  event: (links, id) => links.event(id),
  trigger_run: (links, id) => links.triggerRun(id),
  trigger: (links, id) => links.trigger(id),
  condition: (links, id) => links.condition(id),
  valid_condition: (links, id) => links.validCondition(id),
  atomic_service_run: (links, id) => links.atomicRun(id),
  client_data: (links, id) => links.clientValue(id),
  event_code: (links, event_code) => links.events({ event_code }),
  workflow_type: (links, id) => links.workflowType(id),
  family: (links, id) => links.family(id),
  query: (links, q) => links.invocations({ q }),
  action: (links, id) => links[ACTION_ENTRIES.find((entry) => entry.key === id)?.link ?? "store"](),
  page: (links, id) => links[NAV_ENTRIES.find((entry) => entry.key === id)?.link ?? "dashboard"](),
};

/** The page of an object of any kind. */
export function thingHref(links: Links, { kind, id }: { kind: FoundKind; id: string }): string {
  return HREFS[kind](links, id);
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
  Object.entries(KIND_WORDS).map(([kind, words]) => [kind, sentenceCase(words)]),
) as Readonly<Record<FoundKind, string>>;
