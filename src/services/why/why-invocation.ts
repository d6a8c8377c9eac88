/** Why an invocation is in its state: what it failed with, what it waits for, or what keeps it from starting. */
import type { HistoryEntry, InvocationDetail } from "../../api/invocations.ts";
import type { PathPhase } from "../../api/model/critical-path.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { Evidence } from "../../api/verdicts.ts";
import type { WhyLink } from "../../api/why.ts";
import { TOLERATED_SECONDS } from "../../pynenc/life.ts";
import { coarse, counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { saysSilent, unsaid } from "../../pynenc/sentences.ts";
import { PASSING_STATUSES, statusInfo } from "../../pynenc/statuses.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { REQUEUE_GRACE_SECONDS } from "../../stores/requeue-rule.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { isTakenForWaiter } from "../invocations/answer.ts";
import { invocationRows, oneLine } from "../model/invocation-rows.ts";
import { holderRole } from "../model/slot-holders.ts";
import { waitingPlace } from "../model/waiting-place.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { ofInvocation, waitChain } from "./concerning.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** Maximum length of a chain of failures. */
const LEVELS = 20;

/** Maximum notable history entries shown. */
const EVENTS_SHOWN = 12;

/** @param verdicts all verdicts on the app. */
export async function whyInvocation(
  app: OpenedApp,
  reads: AppReads,
  detail: InvocationDetail,
  verdicts: readonly FoundVerdict[],
): Promise<ThingWhy> {
  const waits = await waitChain(reads, detail);
  const by = await ofInvocation(app, reads, verdicts, detail, waits);
  const chain = [...originOf(detail), ...notableEntries(detail)];
  const base = { label: labelOf(detail), phases: detail.phases, critical_path: detail.critical_path };
  if (detail.final || detail.status_source !== "orchestrator") {
    const below = detail.status === "failed" ? await failureChain(reads, detail) : [];
    const own = ended(detail, below);
    // The outcome comes first, then what was left unfinished in the run.
    const found = ranked(detail.final ? [own, ...by] : [...by, own], null);
    return { ...base, ...found, chain: [...chain, ...below.map(failureLink)] };
  }
  const said = waits.length === 0 && saysSilent(by, detail.invocation_id);
  // A long wait of another message in its queue is no answer to why this one waits.
  const beside = waits.length > 0 ? [] : by.filter((one) => isLongWaitOfAnother(one, detail.invocation_id));
  const about = by.filter((one) => !beside.includes(one));
  const unfinished = said ? [] : [await stillGoing(app, reads, detail, waits, about)];
  return { ...base, ...ranked([...about, ...unfinished, ...beside], null), chain: [...chain, ...waits.map(waitLink)] };
}

function isLongWaitOfAnother({ code, evidence }: FoundVerdict, id: string): boolean {
  const named = evidence.flatMap((one) => (one.kind === "invocation" ? [one.id] : []));
  return code === "old_message" && named.length > 0 && !named.includes(id);
}

function labelOf({ task_id_key, status }: InvocationDetail): string {
  return `${task_id_key ?? "invocation of an unknown task"}, ${status}`;
}

/** The answer for an invocation that has ended, or that only the history knows. */
function ended(detail: InvocationDetail, below: readonly InvocationRow[]): FoundVerdict {
  const { status, status_source, answer, completed_at: since, duration_seconds: seconds, duration_meaning } = detail;
  if (status_source === "none" || !statusInfo(status).known) {
    return explanation({
      code: "status_not_known",
      sentence: "Its status is not stored.",
    });
  }
  if (!detail.final) {
    return explanation({ code: "status_not_known", sentence: answer?.sentence ?? "Its status is not known." });
  }
  const least = duration_meaning === "took_at_least" ? "at least " : "";
  const lasted = seconds === null ? "" : ` ${least}${lasting(seconds)} after its registration`;
  if (status === "failed") {
    const deepest = below.at(-1);
    const sentence = answer?.sentence ?? "It failed.";
    if (deepest === undefined) {
      return explanation({ code: "failed", severity: "error", sentence, detail: failedWords(detail).join(" "), since });
    }
    return explanation({
      code: "failed_below",
      severity: "error",
      sentence,
      detail: [
        ...failedWords(detail),
        `${answer?.label ?? ""}: ${nameOf(deepest)}, ${wayWords(below.length)}${exceptionWords(deepest)}.`,
      ].join(" "),
      since,
      evidence: [piece("invocation", deepest.invocation_id, (answer?.label ?? "").toLowerCase())],
    });
  }
  if (status === "concurrency_controlled_final") {
    return explanation({
      code: "dropped_by_concurrency_control",
      sentence: answer?.sentence ?? "Concurrency control stopped it.",
      detail: (answer?.details ?? []).join(" "),
      since,
      evidence: [
        ...slotEvidence(detail.slot),
        ...(detail.task_id_key === null ? [] : [piece("task", detail.task_id_key, "its task")]),
        ...(detail.call_id_key === null ? [] : [piece("call", detail.call_id_key, "its call")]),
      ],
    });
  }
  return explanation({
    code: "ended_well",
    sentence: `It succeeded${lasted}.`,
    detail: slowestWords(detail),
    since,
  });
}

function failedWords({ retry_count, answer }: InvocationDetail): string[] {
  return [...(retry_count === 0 ? ["It was not retried."] : []), ...(answer?.details ?? [])];
}

function wayWords(calls: number): string {
  return `${counted(calls, "call")} down`;
}

/** Where most of its time went, by the critical path; by its own phases if that is not known. */
function slowestWords({ invocation_id, phases, critical_path, duration_seconds: total }: InvocationDetail): string {
  const longest =
    critical_path?.shares[0] ?? [...(phases ?? [])].sort((a, b) => b.duration_seconds - a.duration_seconds)[0];
  if (longest === undefined || total === null || total <= 0) return "";
  const words = PHASE_WORDS[longest.phase];
  if (words === null) return "";
  const other = "link" in longest && longest.invocation_id !== invocation_id ? longest : null;
  // A caller that kept running is not known to have waited.
  const who =
    other === null ? "it" : `${nameOf(other)}, ${other.link === "run" ? "called below it" : "for which it waited"},`;
  return `For most of that (${lasting(longest.duration_seconds)}), ${who} was ${words}.`;
}

/** Null if the rows do not say what it did. */
const PHASE_WORDS: Readonly<Record<PathPhase, string | null>> = {
  queued: "in the queue",
  pending: "picked up but not started",
  running: "running",
  paused: "paused, waiting for results",
  waiting: "stopped or being recovered",
  dead_runner: "on a silent runner",
  clock_skew: null,
  not_known: null,
};

/** For one that has not ended. @param causes verdicts on the app that are about it: what they say is not repeated. */
async function stillGoing(
  app: OpenedApp,
  reads: AppReads,
  detail: InvocationDetail,
  waits: readonly InvocationRow[],
  causes: readonly FoundVerdict[],
): Promise<FoundVerdict> {
  const { status, status_at: since, answer } = detail;
  const sentence = answer?.sentence ?? `It is ${status}.`;
  const last = waits.at(-1);
  if (last !== undefined) {
    const steps = waits.length === 1 ? "" : `, ${counted(waits.length, "wait")} away`;
    const place = statusInfo(last.status).available
      ? await waitingPlace(app, reads, await reads.broker.messagesOf([last.invocation_id]), 1)
      : null;
    const first = detail.waits_for.length > 1;
    const end = `At the end of ${first ? "the first" : "the"} chain of waits: `;
    const words = `${waits.length === 1 && !first ? "That is " : end}${nameOf(last)}${steps}, ${last.status}${sinceWords(last.status_at, app.now())}.`;
    return explanation({
      code: "waits_for_invocation",
      sentence,
      detail: [words, ...(place?.sentences ?? [])].join(" "),
      since: status === "paused" ? since : null,
      evidence: waits.map((row, at) =>
        piece("invocation", row.invocation_id, at === waits.length - 1 ? "awaited last" : "awaited"),
      ),
    });
  }
  const evidence = slotEvidence(detail.slot);
  const details = unsaid(answer?.details ?? [], causes);
  if (statusInfo(status).available && detail.queued === false) {
    // A held invocation is without its message for as long as a runner looks whether its slot is free.
    const words = isTakenForWaiter(detail) ? TAKEN_FOR_WAITER : detail.requeueable ? MESSAGE_LOST : WITHOUT_MESSAGE;
    details.unshift(words);
  }
  if (statusInfo(status).available)
    return explanation({ code: "waits_for_runner", sentence, detail: details.join(" "), since, evidence });
  return explanation({
    code: "in_progress",
    sentence,
    detail: [`In this status${sinceWords(since, app.now())}.`, ...details].join(" "),
    since,
    evidence: [...(detail.owner === null ? [] : [piece("runner", detail.owner.runner_id, "its runner")]), ...evidence],
  });
}

function slotEvidence(slot: InvocationDetail["slot"]): Evidence[] {
  return (slot?.holders ?? []).map((holder, _, all) =>
    piece("invocation", holder.invocation_id, holderRole(holder, all)),
  );
}

/** Before `waiting_in_no_queue` is said, which takes the same time. */
const WITHOUT_MESSAGE = `Its message is not in the queue: it may be on its way, or just taken. If nothing changes within ${REQUEUE_GRACE_SECONDS} s of its last status, the message counts as lost, and requeue can put it back.`;

const MESSAGE_LOST = "Its message is not in the queue, and counts as lost: requeue can put it back.";

const TAKEN_FOR_WAITER =
  "Its message is not in the queue, but another invocation waits for it, so a free runner takes it anyway.";

function sinceWords(at: string | null, now: number): string {
  const epoch = at === null ? null : epochFromIso(at);
  if (epoch === null) return "";
  return epoch - now > TOLERATED_SECONDS
    ? " since a time in the future: the clock of a host is ahead"
    : ` for ${coarse(Math.max(0, now - epoch))}`;
}

/** Failed invocations from its child down to the deepest one, along parent-child edges. */
async function failureChain(reads: AppReads, { answer, invocation_id }: InvocationDetail): Promise<InvocationRow[]> {
  const deepest = answer?.label === null ? null : (answer?.invocation ?? null);
  if (deepest === null) return [];
  const chain = [deepest];
  for (let at = deepest; at.parent_invocation_id !== invocation_id && chain.length < LEVELS; ) {
    const [parent] = at.parent_invocation_id === null ? [] : await invocationRows(reads, [at.parent_invocation_id]);
    if (parent === undefined) break;
    chain.unshift(parent);
    at = parent;
  }
  return chain;
}

function nameOf({ invocation_id, task_id_key }: Pick<InvocationRow, "invocation_id" | "task_id_key">): string {
  return `${invocation_id.slice(0, 8)} (${task_id_key ?? "unknown task"})`;
}

/** In a step of the chain, which has the id beside it. */
function taskOf({ task_id_key }: Pick<InvocationRow, "task_id_key">): string {
  return task_id_key ?? "an unknown task";
}

function exceptionWords({ exception }: InvocationRow): string {
  if (exception === null) return "";
  const message = exception.message === null ? "" : `: ${oneLine(exception.message)}`;
  return `, which failed with ${exception.type}${message}`;
}

function failureLink(row: InvocationRow): WhyLink {
  return link(`${taskOf(row)} failed${exceptionWords(row).replace(", which failed", "")}`, {
    at: row.status_at,
    kind: "invocation",
    id: row.invocation_id,
  });
}

function waitLink(row: InvocationRow): WhyLink {
  return link(`waits for ${taskOf(row)}, which is ${row.status}`, {
    at: row.status_at,
    kind: "invocation",
    id: row.invocation_id,
  });
}

/** What called or triggered it; empty if that is not stored, or it was called from outside. */
function originOf({ parent, triggered_by, registered_at: at }: InvocationDetail): WhyLink[] {
  if (triggered_by !== null) {
    const { trigger_run_id: id } = triggered_by;
    return [link("started by a trigger", { at, kind: "trigger_run", id })];
  }
  if (parent === null) return [];
  return [link(`called by ${taskOf(parent)}`, { at, kind: "invocation", id: parent.invocation_id })];
}

/** What a history entry says that is not part of the normal path from queue to outcome; null for others. */
function notableWords(status: string): string | null {
  if (status === "retry") return "failed and was retried";
  if (status === "rerouted") return "was requeued";
  return PASSING_STATUSES.includes(status) ? `was ${statusInfo(status).meaning}` : null;
}

/** Its notable entries, oldest first; if there are many, the middle is omitted. */
function notableEntries({ history, history_gap: gap }: InvocationDetail): WhyLink[] {
  const links = history.flatMap((entry, at) =>
    notableWords(entry.status) === null ? [] : [entryLink(entry, history[at - 1])],
  );
  if (links.length <= EVENTS_SHOWN) return links;
  const half = EVENTS_SHOWN / 2;
  const left = links.length - EVENTS_SHOWN;
  // Which of the entries in the gap are of this kind was not read.
  const more = link(`${gap === null ? "" : "at least "}${grouped(left)} more of these`);
  return [...links.slice(0, half), more, ...links.slice(-half)];
}

/** @param before the entry before it. A recovery names the runner that it took the invocation from. */
function entryLink({ status, timestamp, runner }: HistoryEntry, before: HistoryEntry | undefined): WhyLink {
  const id = statusInfo(status).overrides_ownership ? before?.owner_runner_id : runner?.runner_id;
  const by = id == null ? {} : ({ kind: "runner", id } as const);
  return link(notableWords(status) ?? status, { at: timestamp, ...by });
}
