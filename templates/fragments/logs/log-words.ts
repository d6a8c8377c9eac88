import type { LogReference } from "../../../src/api/logs.ts";
import type { ReferenceKind } from "../../../src/log-lines/model.ts";
import { visibleLine } from "../../../src/presentation/text.ts";

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

/** What is known about it, on several lines, with full ids. */
export function logReferenceTitle({ kind, id, state, status, task_id_key, detail }: LogReference): string {
  const known = [id, kind === "task" ? null : task_id_key, status, detail]
    .filter((word) => word !== null)
    .map(visibleLine);
  return [...known, ...(state === "unknown" ? [NOT_STORED[kind] ?? "Not in this store"] : [])].join("\n");
}

/** Some things are missing from a store although nothing is wrong. */
const NOT_STORED: Partial<Record<ReferenceKind, string>> = {
  valid_condition: "No longer stored: a valid condition is cleared when its triggers have run",
  condition: "Not registered in this store",
};
