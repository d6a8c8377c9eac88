import type { ReferenceKind } from "../../src/log-lines/model.ts";
import type { LogReference } from "../../src/services/log-references.ts";
import type { Links } from "../links.ts";
import { visibleLine } from "../text.ts";

/** Plural names of what log lines can name. */
export const KIND_TITLES: Readonly<Record<ReferenceKind, string>> = {
  invocation: "Invocations",
  runner: "Runners",
  task: "Tasks",
  call: "Calls",
  workflow: "Workflows",
  event: "Events",
  trigger_run: "Trigger runs",
  trigger: "Triggers",
  condition: "Conditions",
  valid_condition: "Valid conditions",
  atomic_service_run: "Atomic-service runs",
};

/** The page of a thing that the store knows. */
export function logReferenceHref(links: Links, { kind, id }: Pick<LogReference, "kind" | "id">): string {
  switch (kind) {
    case "invocation":
      return links.invocation(id);
    case "runner":
      return links.runner(id);
    case "task":
      return links.task(id);
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
  }
}

/** What is known about it, over several lines; ids whole. */
export function logReferenceTitle({ kind, id, state, status, task_id_key, detail }: LogReference): string {
  const known = [id, kind === "task" ? null : task_id_key, status, detail]
    .filter((word) => word !== null)
    .map(visibleLine);
  return [...known, ...(state === "unknown" ? [NOT_STORED[kind] ?? "Not in this store"] : [])].join("\n");
}

/** Some things are gone from a store although all is well. */
const NOT_STORED: Partial<Record<ReferenceKind, string>> = {
  valid_condition: "No longer kept: valid conditions go when their triggers have run",
  condition: "Not registered in this store",
};
