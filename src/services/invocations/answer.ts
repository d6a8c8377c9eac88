/** Answers the main question about an invocation: why it failed, or what it waits for. */
import type { InvocationAnswer, InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { coarse, counted } from "../../pynenc/numbers.ts";
import { PASSING_STATUSES, statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { graceOf } from "../../stores/requeue-rule.ts";
import { lifeOf } from "../model/invocation-life.ts";
import { oneLine } from "../model/invocation-rows.ts";
import { CHILDREN } from "../model/time-spent.ts";

/** Maximum depth, and maximum number of failures followed and children read per level. */
const LEVELS = 12;
const FOLLOWED = 20;

export interface DeepestFailure {
  invocation_id: string;
  /** Not all of them could be followed: there may be a deeper one. */
  more: boolean;
  /** All that failed without a failed call below them, and so on their own, the deepest last. Not all of them if `more`. */
  own: readonly string[];
}

/**
 * The deepest failed descendant with only failed invocations in between; if there are several, the one that failed first. Null if no child failed.
 * Three reads per level at most.
 */
export async function deepestFailure(reads: AppReads, id: string): Promise<DeepestFailure | null> {
  const seen = new Set([id]);
  let level = [id];
  const own = new Set<string>();
  let deepest: string | null = null;
  let more = false;
  for (let depth = 0; depth < LEVELS; depth++) {
    const each = Math.ceil(CHILDREN / level.length);
    const children = await reads.state_backend.childrenOf(level, { each: each + 1 });
    more ||= level.some((parent) => children.filter((child) => child.parent_id === parent).length > each);
    const ids = [...new Set(children.map((child) => child.invocation_id))].filter((child) => !seen.has(child));
    for (const child of ids) seen.add(child);
    const failed = ids.length === 0 ? [] : await failedAmong(reads, ids);
    if (failed[0] === undefined) return deepest === null ? null : { invocation_id: deepest, more, own: [...own] };
    const failures = new Set(failed);
    for (const child of children) if (failures.has(child.invocation_id)) own.delete(child.parent_id);
    for (const child of failed) own.add(child);
    deepest = failed[0];
    level = failed.slice(0, FOLLOWED);
    more ||= failed.length > FOLLOWED;
  }
  return deepest === null ? null : { invocation_id: deepest, more: true, own: [...own] };
}

/** In the order in which they failed, also those that the orchestrator has forgotten. */
async function failedAmong(reads: AppReads, ids: readonly string[]): Promise<string[]> {
  const statuses = await reads.orchestrator.statusesByIds(ids);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const forgotten = ids.filter((id) => !statusById.has(id));
  const spans = forgotten.length === 0 ? [] : await reads.state_backend.historySpanOf(forgotten);
  const spanById = new Map(spans.map((span) => [span.invocation_id, span]));
  return ids
    .map((id) => ({ id, life: lifeOf(statusById.get(id), spanById.get(id)) }))
    .filter(({ life }) => life.status === "failed")
    .sort((a, b) => (a.life.changedAt ?? 0) - (b.life.changedAt ?? 0))
    .map(({ id }) => id);
}

/** A runner that counts as silent although it holds the invocation. */
export interface SilentOwner {
  /** Seconds since its last heartbeat; null if none is stored. */
  silent_for: number | null;
}

type Known = Pick<
  InvocationDetail,
  | "status"
  | "status_at"
  | "status_source"
  | "final"
  | "retry_count"
  | "exception"
  | "queued"
  | "requeueable"
  | "waits_for"
  | "waited_by"
  | "stale_waits_for"
  | "stale_waited_by"
>;

/** A runner with a free slot takes what another invocation waits for, unless it waits itself, even without its message (storage-format.md 7.8). */
export function isTakenForWaiter({
  waits_for,
  waited_by,
  stale_waits_for,
  stale_waited_by,
}: Pick<Known, "waits_for" | "waited_by" | "stale_waits_for" | "stale_waited_by">): boolean {
  return waited_by.length + stale_waited_by.length > 0 && waits_for.length + stale_waits_for.length === 0;
}

/**
 * Null if it succeeded or its status is not known.
 *
 * @param below its deepest failed descendant, whether there may be a deeper one, and a sentence if several failed on their own.
 * @param more it may wait for further invocations.
 * @param silent its runner, if that counts as silent.
 */
export function answerOf(
  detail: Known,
  below: { row: InvocationRow; more: boolean; several: string | null } | null,
  more: boolean,
  silent: SilentOwner | null,
  now: EpochSeconds,
): InvocationAnswer | null {
  const { status, status_source, final, waits_for } = detail;
  const info = statusInfo(status);
  if (status_source === "none" || !info.known) return null;
  if (status === "failed") {
    const one = below?.several == null ? "Root failure" : "Deepest failure";
    const label = below === null ? null : below.more ? "Deepest failure found" : one;
    const details = below?.several == null ? [] : [below.several];
    return { sentence: whyFailed(detail), details, label, invocation: below?.row ?? null };
  }
  if (final) {
    return status === "concurrency_controlled_final"
      ? plain("Concurrency control dropped it: it did not run and will not.")
      : null;
  }
  if (status_source === "history") {
    return plain(
      `Its last recorded status is ${status}; the orchestrator has none. Whether it continued is not known.`,
    );
  }
  if (silent !== null) return plain(whyNothingHappens(status, silent));
  const [first] = waits_for;
  if (first !== undefined) {
    const many = waits_for.length > 1 || more;
    const results = many ? `the results of ${more ? "at least " : ""}${counted(waits_for.length, "invocation")}` : "";
    return {
      sentence: `It waits for ${many ? results : "the result of another invocation"}.`,
      details: [],
      label: many ? "One of them" : "Waits for",
      invocation: first,
    };
  }
  return plain(whatItDoes(detail, now));
}

function plain(sentence: string): InvocationAnswer {
  return { sentence, details: [], label: null, invocation: null };
}

/** The answer with more details: what concurrency control holds it back for, where it waits for a runner, or how often its failure happens. */
export function withDetails(
  answer: InvocationAnswer | null,
  ...details: readonly (readonly string[] | undefined)[]
): InvocationAnswer | null {
  return answer && { ...answer, details: details.flatMap((sentences) => sentences ?? []) };
}

function whyFailed({ exception, retry_count }: Known): string {
  const retries = (retry_count ?? 0) > 0 ? ` after ${counted(retry_count ?? 0, "retry", "retries")}` : "";
  if (exception === null) return `It failed${retries}; pynenc recorded no exception.`;
  const { error_name, type, message } = exception.exception;
  if (type === null) return `It failed${retries}; its exception cannot be read.`;
  const line = message === null ? "" : oneLine(message);
  return `It failed${retries} with ${error_name}${line === "" ? "." : `: ${line}`}`;
}

function whyNothingHappens(status: string, { silent_for }: SilentOwner): string {
  return silent_for === null
    ? `It is ${status}, but its runner is silent: no heartbeat of it is stored. Whether it worked on the invocation is not known.`
    : `It is ${status}, but its runner is silent: the last heartbeat was ${coarse(silent_for)} ago.`;
}

/** For an invocation that is not final and waits for no other. */
function whatItDoes(known: Known, now: EpochSeconds): string {
  const { status, status_at, queued, requeueable } = known;
  const info = statusInfo(status);
  if (info.available) {
    if (queued === true) return "It waits in the queue for a runner.";
    return queued === false && requeueable && !isTakenForWaiter(known)
      ? "It waits for a runner, but is missing from the queue, so no runner takes it."
      : "It waits for a runner.";
  }
  if (status === "paused") {
    return "It is paused, waiting for a result, but what it waits for is not recorded.";
  }
  if (status === "running") return "It is running.";
  if (!PASSING_STATUSES.includes(status)) return `It is ${status}: ${info.meaning}.`;
  const left = now - (epochFromIso(status_at ?? "") ?? now) > graceOf(status);
  return `It was ${info.meaning}, and ${left ? "was not requeued: nothing will run it" : "is about to be requeued"}.`;
}
