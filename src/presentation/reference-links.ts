import type { ReferenceKind } from "../log-lines/model.ts";
import type { Links } from "./links.ts";

/** The page of a thing that a log line names. */
export function referenceHref(links: Links, { kind, id }: { kind: ReferenceKind; id: string }): string {
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
