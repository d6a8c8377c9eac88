/** Why an invocation is in its state: what it failed with, what it waits for, or what keeps it from starting. */
import type { HistoryEntry, InvocationDetail } from "../../api/invocations.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { WhyLink } from "../../api/why.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { invocationRows, oneLine } from "../model/invocation-rows.ts";
import { queuesOf } from "../model/queue-health.ts";
import type { FoundVerdict } from "../verdicts/verdicts.ts";
import { ofInvocation, waitChain } from "./concerning.ts";
import { explanation, link, piece, ranked, type ThingWhy } from "./thing-verdict.ts";

/** Maximum length of a chain of failures. */
const LEVELS = 20;

/** Maximum notable history entries shown. */
const EVENTS_SHOWN = 12;

/** @param verdicts all on the app. */
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
    // The outcome comes first, then what was left unfinished in the run.
    return { ...base, ...ranked([ended(detail, below), ...by], null), chain: [...chain, ...below.map(failureLink)] };
  }
  const unfinished = await stillGoing(app, reads, detail, waits);
  return { ...base, ...ranked(by, unfinished), chain: [...chain, ...waits.map(waitLink)] };
}

function labelOf({ task_id_key, status }: InvocationDetail): string {
  return `${task_id_key ?? "invocation of an unknown task"}, ${status}`;
}

/** For one that has ended, or of which only the history is left. */
function ended(detail: InvocationDetail, below: readonly InvocationRow[]): FoundVerdict {
  const { status, status_source, answer, completed_at: since, elapsed_seconds: seconds } = detail;
  if (status_source === "none" || !statusInfo(status).known) {
    return explanation({
      code: "status_not_known",
      sentence: "Its status is not stored, so its state is not known.",
    });
  }
  if (!detail.final) {
    return explanation({ code: "status_not_known", sentence: answer?.sentence ?? "Its status is not known." });
  }
  const lasted = seconds === null ? "" : ` ${lasting(seconds)} after its registration`;
  if (status === "failed") {
    const deepest = below.at(-1);
    const sentence = answer?.sentence ?? "It failed.";
    if (deepest === undefined) {
      return explanation({ code: "failed", severity: "error", sentence, detail: failedWords(detail).join(""), since });
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
      evidence: [piece("invocation", deepest.invocation_id, "deepest failure")],
    });
  }
  if (status === "concurrency_controlled_final") {
    return explanation({
      code: "dropped_by_concurrency_control",
      sentence: answer?.sentence ?? "Concurrency control stopped it.",
      detail:
        "Its task limits how many of its invocations may exist or run at a time: of the whole task, or of those with equal arguments. Neither the limit nor which invocation took its slot is stored; the invocations of the task show which were there.",
      since,
      evidence: [
        ...(detail.task_id_key === null ? [] : [piece("task", detail.task_id_key, "its task")]),
        ...(detail.call_id_key === null ? [] : [piece("call", detail.call_id_key, "its call")]),
      ],
    });
  }
  return explanation({
    code: "ended_well",
    sentence: `It ended with ${status}${lasted}.`,
    detail: slowestWords(detail),
    since,
  });
}

function failedWords({ retry_count }: InvocationDetail): string[] {
  return retry_count === 0 ? ["It was not retried."] : [];
}

function wayWords(calls: number): string {
  return `${counted(calls, "call")} down${calls === 1 ? "" : " with failed ones alone in between"}`;
}

/** Where it spent most of its time. */
function slowestWords({ phases, elapsed_seconds: total }: InvocationDetail): string {
  const [longest] = [...(phases ?? [])].sort((a, b) => b.seconds - a.seconds);
  if (longest === undefined || total === null || total <= 0) return "";
  return `For the longest part of that, ${lasting(longest.seconds)}, it was ${PHASE_WORDS[longest.phase]}.`;
}

const PHASE_WORDS: Readonly<Record<NonNullable<InvocationDetail["phases"]>[number]["phase"], string>> = {
  queued: "in the queue",
  pending: "taken by a runner and not started",
  running: "running",
  paused: "paused, waiting for results of others",
  waiting: "stopped or being recovered",
};

/** For one that has not ended and has no problem of its own. */
async function stillGoing(
  app: OpenedApp,
  reads: AppReads,
  detail: InvocationDetail,
  waits: readonly InvocationRow[],
): Promise<FoundVerdict> {
  const { status, status_at: since, answer } = detail;
  const sentence = answer?.sentence ?? `It is ${status}.`;
  const last = waits.at(-1);
  if (last !== undefined) {
    const steps = waits.length === 1 ? "" : `, ${counted(waits.length, "wait")} away`;
    return explanation({
      code: "waits_for_invocation",
      sentence,
      detail: `The last invocation in ${detail.waits_for.length > 1 ? "the chain of waits of the first recorded" : "its chain of waits"} is ${nameOf(last)}${steps}: ${last.status}${sinceWords(last.status_at, app.now())}.`,
      since: status === "paused" ? since : null,
      evidence: waits.map((row, at) =>
        piece("invocation", row.invocation_id, at === waits.length - 1 ? "awaited last" : "awaited"),
      ),
    });
  }
  if (statusInfo(status).available) {
    const { queues, unreachable } = await queuesOf(app, reads);
    const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
    return explanation({
      code: "waits_for_runner",
      sentence,
      detail:
        unreachable === null
          ? `${counted(waiting, "message waits", "messages wait")} in ${queues.length > 1 ? "all queues" : "the queue"}.`
          : "",
      since,
    });
  }
  return explanation({
    code: "in_progress",
    sentence,
    detail: `In this status${sinceWords(since, app.now()).replace(",", "")}.`,
    since,
    evidence: detail.owner === null ? [] : [piece("runner", detail.owner.runner_id, "its runner")],
  });
}

function sinceWords(at: string | null, now: number): string {
  const epoch = at === null ? null : epochFromIso(at);
  return epoch === null ? "" : `, for ${lasting(Math.max(0, now - epoch))}`;
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

function nameOf({ invocation_id, task_id_key }: InvocationRow): string {
  return `${invocation_id.slice(0, 8)} (${task_id_key ?? "unknown task"})`;
}

function exceptionWords({ exception }: InvocationRow): string {
  if (exception === null) return "";
  const message = exception.message === null ? "" : `: ${oneLine(exception.message)}`;
  return `, which failed with ${exception.type}${message}`;
}

function failureLink(row: InvocationRow): WhyLink {
  return link(`${nameOf(row)} failed${exceptionWords(row).replace(", which failed", "")}`, {
    at: row.status_at,
    kind: "invocation",
    id: row.invocation_id,
  });
}

function waitLink(row: InvocationRow): WhyLink {
  return link(`waits for ${nameOf(row)}, which is ${row.status}`, {
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
  return [link(`called by ${nameOf(parent)}`, { at, kind: "invocation", id: parent.invocation_id })];
}

/** The meaning of history entries that are not part of the normal path from queue to outcome. */
const NOTABLE_ENTRIES: Readonly<Record<string, string>> = {
  retry: "failed with an exception that is retried, and was queued again",
  rerouted: "was put back into the queue",
  concurrency_controlled: "was held back by running concurrency control",
  pending_recovery: "had been pending for too long and was taken from its runner by the recovery",
  running_recovery: "was taken by the recovery from a runner that counted as dead",
  killed: "was stopped by its runner at shutdown",
};

/** Its notable entries, oldest first; if there are many, the middle is omitted. */
function notableEntries({ history }: InvocationDetail): WhyLink[] {
  const notable = history.filter(({ status }) => NOTABLE_ENTRIES[status] !== undefined);
  const links = notable.map((entry) => entryLink(entry));
  if (links.length <= EVENTS_SHOWN) return links;
  const half = EVENTS_SHOWN / 2;
  const left = links.length - EVENTS_SHOWN;
  return [...links.slice(0, half), link(`${grouped(left)} more of these`), ...links.slice(-half)];
}

function entryLink({ status, timestamp, runner }: HistoryEntry): WhyLink {
  const by = runner === null ? {} : ({ kind: "runner", id: runner.runner_id } as const);
  return link(NOTABLE_ENTRIES[status] ?? status, { at: timestamp, ...by });
}
