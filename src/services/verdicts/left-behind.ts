/**
 * Invocations that will never run, although they are not final: they have neither a message nor an owner, and nothing wakes them. Where only the
 * message is missing, it can be put back; otherwise only a rerun helps.
 */
import { counted } from "../../pynenc/numbers.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { PASSING_STATUSES, statusInfo, WAITING_STATUSES } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { StatusFilter } from "../../stores/ports/orchestrator.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { graceOf, REQUEUE_GRACE_SECONDS } from "../../stores/requeue-rule.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { type Queues, SHORT_QUEUE } from "../model/queue-health.ts";
import type { InvocationFacts, LeftBehind, Waits } from "./facts.ts";
import { countOf, earliest, evidence, type Finding, NAMED, numbered, upTo } from "./finding.ts";

/** How many in a passing status are counted, to read those that were registered first. */
const COUNTED = 1_000;

export interface NeverTaken {
  /** Waiting for a runner without a message: it can be put back. */
  unqueued: InvocationStatusRecord[];
  left: LeftBehind[];
}

/** At most `NAMED` of each kind. */
export async function neverTaken(
  app: OpenedApp,
  reads: AppReads,
  queues$: Promise<Queues>,
  waits$: Promise<Waits>,
): Promise<NeverTaken> {
  const now = app.now();
  const [passing, { waiting, defined, forgotten }] = await Promise.all([
    notPutBack(reads, now),
    Promise.all([queues$, reads.layout.capabilities()]).then(async ([queues, { queue_peek }]) => {
      const nothing = { waiting: [], defined: new Set<string>(), forgotten: [] };
      if (!queue_peek || !canBeSearched(queues)) return nothing;
      const [found, forgotten] = await Promise.all([
        waitingInNoQueue(reads, queues, waits$, now),
        forgottenInNoQueue(app, reads, now),
      ]);
      return { ...found, forgotten };
    }),
  ]);
  const undefinedOnes = waiting.filter((row) => !defined.has(row.invocation_id));
  return {
    unqueued: waiting.filter((row) => defined.has(row.invocation_id)),
    left: [...passing, ...forgotten, ...undefinedOnes.map((row) => leftSince(row, "without_definition"))],
  };
}

/** Whether it is known which invocations have no message, without much reading. */
function canBeSearched({ queues, complete, unreachable }: Queues): boolean {
  return unreachable === null && complete && waitingMessages(queues) <= SHORT_QUEUE;
}

function waitingMessages(queues: Queues["queues"]): number {
  return queues.reduce((sum, { waiting }) => sum + waiting, 0);
}

/** In a status that pynenc leaves in the same step, for longer than that takes. */
async function notPutBack(reads: AppReads, now: EpochSeconds): Promise<LeftBehind[]> {
  const filter = { statuses: PASSING_STATUSES };
  const many = await reads.orchestrator.countInvocations(filter, COUNTED);
  const rows = await registeredFirst(reads, filter, many);
  return rows.flatMap((row) => (now - row.status_timestamp > graceOf(row.status) ? [leftSince(row, row.status)] : []));
}

/** The oldest of `many` invocations: of the newest, messages may still be on their way. */
function registeredFirst(reads: AppReads, filter: StatusFilter, many: number): Promise<InvocationStatusRecord[]> {
  if (many === 0) return Promise.resolve([]);
  return reads.orchestrator.listInvocations(filter, { limit: NAMED, offset: Math.max(0, many - NAMED) });
}

/**
 * Waiting for a runner, and neither a message nor a waiter makes one take them. Only searched if the queue has fewer messages than there are waiting
 * invocations.
 */
async function waitingInNoQueue(
  reads: AppReads,
  { queues }: Queues,
  waits$: Promise<Waits>,
  now: EpochSeconds,
): Promise<{ waiting: InvocationStatusRecord[]; defined: ReadonlySet<string> }> {
  const filter = { statuses: WAITING_STATUSES };
  const messages = waitingMessages(queues);
  const many = await reads.orchestrator.countInvocations(filter, messages + NAMED);
  // If messages of final invocations were not counted separately, they are included, so equal numbers prove nothing.
  if (many <= messages && queues.every(({ finished }) => finished !== null)) {
    return { waiting: [], defined: new Set() };
  }
  const rows = await registeredFirst(reads, filter, many);
  const settled = rows.filter((row) => row.status_timestamp <= now - REQUEUE_GRACE_SECONDS);
  const ids = settled.map(idOf);
  const [found, definitions, { edges }] = await Promise.all([
    reads.broker.messagesOf(ids),
    ids.length === 0 ? [] : reads.state_backend.invocationsByIds(ids, 0),
    waits$,
  ]);
  const queued = new Set(found.map(idOf));
  // A runner takes what another invocation waits for, unless it waits itself, without its message.
  const waiters = new Set(edges.map(({ waiter_id }) => waiter_id));
  const woken = new Set(edges.flatMap(({ waited_id }) => (waiters.has(waited_id) ? [] : [waited_id])));
  const waiting = settled.filter((row) => !queued.has(row.invocation_id) && !woken.has(row.invocation_id));
  return { waiting, defined: new Set(definitions.map(idOf)) };
}

/** Without a status, and by their history without an owner. Whether one that a runner had taken has ended is not known. */
async function forgottenInNoQueue(app: OpenedApp, reads: AppReads, now: EpochSeconds): Promise<LeftBehind[]> {
  const statuses = [...WAITING_STATUSES, ...PASSING_STATUSES];
  const matches = app.knownInventory()?.forgotten.matching({ statuses });
  if (matches === undefined || matches.length === 0) return [];
  const ids = matches.slice(Math.max(0, matches.length - NAMED), NAMED).map(idOf);
  // First what is written last: the known inventory may be of an earlier state of the store, and a server has no snapshots.
  const spans = await reads.state_backend.historySpanOf(ids);
  const [queued, kept] = await Promise.all([reads.broker.messagesOf(ids), reads.orchestrator.statusesByIds(ids)]);
  const other = new Set([...queued, ...kept].map(idOf));
  return spans.flatMap(({ invocation_id, last }) =>
    !other.has(invocation_id) && statuses.includes(last.status) && now - last.timestamp > graceOf(last.status)
      ? [{ invocation_id, why: "without_status", since: last.timestamp }]
      : [],
  );
}

function leftSince({ invocation_id, status_timestamp }: InvocationStatusRecord, why: string): LeftBehind {
  return { invocation_id, why, since: status_timestamp };
}

function idOf({ invocation_id }: { invocation_id: string }): string {
  return invocation_id;
}

/** What happened to one invocation, or to several. Others are in a passing status. */
const REASONS: Readonly<Record<string, (have: string) => string>> = {
  without_status: (have) =>
    `${have} neither a status nor a message: the orchestrator was purged, and the queue too, or a runner took the message`,
  without_definition: (have) =>
    `${have} neither a definition nor a message: the state backend was purged, and the queue too, or a runner took the message`,
};

export function leftBehind({ left }: InvocationFacts): Finding | null {
  if (left.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { why } of left) counts.set(why, (counts.get(why) ?? 0) + 1);
  const reasons = [...counts].map(([why, many]) => {
    const [were, have] = many === 1 ? ["was", "has"] : ["were", "have"];
    const words = REASONS[why]?.(have) ?? `${were} ${statusInfo(why).meaning} and not requeued (${why})`;
    return `${left.length >= NAMED ? "At least " : ""}${counted(many, "invocation")} ${words}.`;
  });
  const lost = counts.get("without_definition") ?? 0;
  const one = left.length === 1;
  const rerun = `Requeue does not help: runners ignore the message of such an invocation, or stop at it if it has no status. Rerun ${one ? "its call" : "their calls"}; each starts again from the beginning.`;
  const gone = "Without a definition there is nothing to rerun: call the task again from the app.";
  return {
    code: "left_behind",
    severity: "error",
    sentence: `${numbered(upTo(left, NAMED), "invocation")} left behind, not requeued`,
    detail: [...reasons, ...(lost < left.length ? [rerun] : []), ...(lost > 0 ? [gone] : [])].join(" "),
    since: earliest(left.map(({ since }) => since)),
    evidence: evidence("invocation", left.map(idOf)),
    ...countOf(upTo(left, NAMED)),
  };
}
