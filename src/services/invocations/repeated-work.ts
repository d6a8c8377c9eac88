/** Whether an invocation repeats work. pynenc stores result and exception before the final status (storage-format.md 2.1). */
import type { Repeats } from "../../api/invocations.ts";
import { statusInfo } from "../../pynenc/statuses.ts";

/** Statuses of a run in progress. */
const AT_WORK: ReadonlySet<string> = new Set(["running", "paused", "resumed"]);

/** @param status the one in the orchestrator; undefined if there is none, and then no runner can run the invocation. */
export function repeatsOf(status: string | undefined, outcomeStored: boolean): Repeats {
  if (status === undefined || !outcomeStored) return "no";
  const info = statusInfo(status);
  if (AT_WORK.has(status)) return "may";
  return info.final || !info.known ? "no" : "will";
}

/** Whether an invocation repeats its work, as a sentence for its notes. */
export function repeatNotes(repeats: Repeats, status: string, result: boolean, exception: boolean): string[] {
  if (repeats === "no") return [];
  const outcome = [...(result ? ["result"] : []), ...(exception ? ["exception"] : [])].join(" and an ");
  const stored = `${outcome.startsWith("e") ? "An" : "A"} ${outcome} of it ${outcome.includes(" ") ? "are" : "is"} stored`;
  return repeats === "will"
    ? [`${stored}, so its work was done, but it is ${status}: a runner that takes it repeats it.`]
    : [`${stored}, but it is ${status}: it is about to end, or repeats its work.`];
}
