/** The summary of a context that remains after its valid condition is cleared (storage-format.md 5.5). */

/** Kinds of contexts that can satisfy a condition, as named in filters. */
export const CONTEXT_KINDS = ["event", "status", "result", "exception", "cron"] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

const CLASS_OF_KIND: Readonly<Record<ContextKind, string>> = {
  event: "EventContext",
  status: "StatusContext",
  result: "ResultContext",
  exception: "ExceptionContext",
  cron: "CronContext",
};

/** `EventContext` for `event`. */
export function contextClass(kind: ContextKind): string {
  return CLASS_OF_KIND[kind];
}

/** `event` for `EventContext`; null for an unknown class. */
export function contextKind(className: string | null): ContextKind | null {
  return CONTEXT_KINDS.find((kind) => CLASS_OF_KIND[kind] === className) ?? null;
}

export interface SummaryWords {
  event_code: string | null;
  /** Lower case, as everywhere else. */
  status: string | null;
  exception_type: string | null;
  task_id_key: string | null;
  /** ISO time of a schedule's check. */
  timestamp: string | null;
}

const KEY = /(?:^|\s)(status|exception|task|timestamp):/g;

/** Reads `code:order.created`, `status:FAILED exception:ValueError task:tasks.add` and the like. A code may contain anything, including spaces. */
export function summaryWords(summary: string | null): SummaryWords {
  const text = summary?.trim() ?? "";
  const words: SummaryWords = {
    event_code: null,
    status: null,
    exception_type: null,
    task_id_key: null,
    timestamp: null,
  };
  if (text.startsWith("code:")) return { ...words, event_code: text.slice("code:".length) };
  const keys = [...text.matchAll(KEY)];
  keys.forEach((match, index) => {
    const value = text.slice(match.index + match[0].length, keys[index + 1]?.index).trim();
    if (value === "") return;
    if (match[1] === "status") words.status ??= value.toLowerCase();
    else if (match[1] === "exception") words.exception_type ??= value;
    else if (match[1] === "task") words.task_id_key ??= value;
    else words.timestamp ??= value;
  });
  return words;
}

/** Describes what satisfied a condition in a few words: `event order.created`, `tasks.add became failed`, `schedule`. */
export function causeWords(cause: Omit<SummaryWords, "timestamp"> & { kind: ContextKind | null }): string {
  const { kind, event_code, status, exception_type } = cause;
  const task = cause.task_id_key ?? "an invocation";
  switch (kind) {
    case "event":
      return event_code === null ? "event" : `event ${event_code}`;
    case "status":
      return status === null ? `status of ${task}` : `${task} became ${status}`;
    case "result":
      return `result of ${task}`;
    case "exception":
      return `${exception_type ?? "exception"} in ${task}`;
    case "cron":
      return "schedule";
    case null:
      return task;
  }
}
