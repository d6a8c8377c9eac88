/** Kinds of objects with an id. A workflow run has the id of the invocation that defines it. */
export const ID_KINDS = [
  "invocation",
  "workflow",
  "event",
  "trigger_run",
  "trigger",
  "condition",
  "valid_condition",
  "runner",
  "atomic_service_run",
  "call",
  "client_data",
] as const;

export type IdKind = (typeof ID_KINDS)[number];
