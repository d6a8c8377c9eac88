/** Answers the main question about an invocation: why it failed, or what it waits for. */
import type { InvocationAnswer, InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { counted } from "../../pynenc/numbers.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { oneLine } from "../model/invocation-rows.ts";

/** Maximum depth, and maximum number of failures followed per level. */
const LEVELS = 12;
const FOLLOWED = 20;
const CHILDREN_EACH = 100;

/**
 * The deepest failed descendant with only failed invocations in between; if there are several, the one that failed first. Null if no child failed.
 * Two reads per level.
 */
export async function deepestFailure(reads: AppReads, id: string): Promise<string | null> {
  const seen = new Set([id]);
  let level = [id];
  let deepest: string | null = null;
  for (let depth = 0; depth < LEVELS; depth++) {
    const children = await reads.state_backend.childrenOf(level, { each: CHILDREN_EACH });
    const ids = [...new Set(children.map((child) => child.invocation_id))].filter((child) => !seen.has(child));
    for (const child of ids) seen.add(child);
    const statuses = ids.length === 0 ? [] : await reads.orchestrator.statusesByIds(ids);
    const failed = statuses
      .filter(({ status }) => status === "failed")
      .sort((a, b) => a.status_timestamp - b.status_timestamp);
    if (failed[0] === undefined) break;
    deepest = failed[0].invocation_id;
    level = failed.slice(0, FOLLOWED).map((row) => row.invocation_id);
  }
  return deepest;
}

type Known = Pick<
  InvocationDetail,
  "status" | "status_source" | "final" | "retry_count" | "exception" | "queued" | "requeueable" | "waits_for"
>;

/**
 * Null if it succeeded or its status is not known.
 *
 * @param below its deepest failed descendant.
 * @param more it may wait for further invocations.
 */
export function answerOf(detail: Known, below: InvocationRow | null, more: boolean): InvocationAnswer | null {
  const { status, status_source, final, waits_for } = detail;
  const info = statusInfo(status);
  if (status_source === "none" || !info.known) return null;
  if (status === "failed") {
    const label = below === null ? null : "Deepest failed invocation below it";
    return { sentence: whyFailed(detail), label, invocation: below };
  }
  if (final) {
    return status === "concurrency_controlled_final"
      ? plain("Concurrency control stopped it: it did not run, and will not.")
      : null;
  }
  if (status_source === "history") {
    const ends = `Its history ends with ${status}, and the orchestrator has no status for it`;
    return plain(`${ends}: whether it continued is not known.`);
  }
  const [first] = waits_for;
  if (first !== undefined) {
    const many = waits_for.length > 1 || more;
    const results = many ? `the results of ${more ? "at least " : ""}${counted(waits_for.length, "invocation")}` : "";
    return {
      sentence: `It waits for ${many ? results : "the result of another invocation"}.`,
      label: many ? "One of them" : "Waits for",
      invocation: first,
    };
  }
  return plain(whatItDoes(detail));
}

function plain(sentence: string): InvocationAnswer {
  return { sentence, label: null, invocation: null };
}

function whyFailed({ exception, retry_count }: Known): string {
  const retries = (retry_count ?? 0) > 0 ? ` after ${counted(retry_count ?? 0, "retry", "retries")}` : "";
  if (exception === null) return `It failed${retries}; its exception is not stored.`;
  const { error_name, type, message } = exception.exception;
  if (type === null) return `It failed${retries}; its exception is stored, but not readable.`;
  const line = message === null ? "" : oneLine(message);
  return `It failed${retries} with ${error_name}${line === "" ? "." : `: ${line}`}`;
}

/** For an invocation that is not final and waits for no other. */
function whatItDoes({ status, queued, requeueable }: Known): string {
  const info = statusInfo(status);
  if (info.available) {
    if (queued === true) return "It waits for a runner: its message is in the queue.";
    return queued === false && requeueable
      ? "It waits for a runner, but its message is not in the queue, so no runner takes it."
      : "It waits for a runner.";
  }
  if (status === "paused") {
    return "It is paused, which means that it waits for a result, but no active wait is recorded.";
  }
  return `It is ${status}: ${info.meaning}.`;
}
