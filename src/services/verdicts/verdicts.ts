/** What looks wrong now, according to all detectors. One list for the first page, `status`, `doctor`, `why` and `is:stuck`. */

import type { AppVerdictCode, Verdict, VerdictCode } from "../../api/verdicts.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { invalidSlots, noServiceRunner, starvedAtomicService, stuckAtomicService } from "./atomic-service.ts";
import { clockSkew } from "./clock-skew.ts";
import { heldByConcurrency } from "./concurrency.ts";
import type { AppFacts, EndedFacts, InvocationFacts } from "./facts.ts";
import { failureRateUp } from "./failure-rate.ts";
import type { Finding } from "./finding.ts";
import { layoutTroubled } from "./layout.ts";
import { leftBehind } from "./left-behind.ts";
import { messageWithoutInvocation, waitingInNoQueue } from "./messages.ts";
import { mutedUntil, mutesOf } from "./muted.ts";
import { deadlockedPool } from "./pool-deadlock.ts";
import { purgeBeforeRead } from "./purge-before-read.ts";
import { queueGrows } from "./queue-growth.ts";
import { queueFindings } from "./queues.ts";
import { appFacts, endedFacts, invocationFacts } from "./read-facts.ts";
import { recoveryNotRegistered } from "./recovery.ts";
import { retriesExhausted, retryStorm } from "./retries.ts";
import { overdueSchedules } from "./schedules.ts";
import { appSilent } from "./silence.ts";
import { slowRuns } from "./slow-runs.ts";
import { tasksSlower } from "./slower-tasks.ts";
import { stuckInvocations } from "./stuck-invocations.ts";
import type { TrendFacts } from "./trend-facts.ts";
import { unclaimedConditions } from "./unclaimed-conditions.ts";
import { waitCycles, waitsForEnded } from "./waits.ts";

/** Without the useful pages and commands, which presentation adds. */
export type FoundVerdict = Omit<Verdict, "next">;

/** An answer that contains verdicts, as returned by services. */
export type WithFoundVerdicts<Answer extends { verdicts: Verdict[] }> = Omit<Answer, "verdicts"> & {
  verdicts: FoundVerdict[];
};

/** On which things verdicts are wanted. Each includes those after it, and what explains them. */
export type VerdictScope = "app" | "invocations" | "ended";

type Detector<Facts> = (facts: Facts) => Finding | null | Finding[];

/** Detectors of verdicts that may name an invocation that has ended. */
const OF_ENDED: readonly Detector<EndedFacts>[] = [
  clockSkew,
  heldByConcurrency,
  purgeBeforeRead,
  retriesExhausted,
  failureRateUp,
  retryStorm,
];

/** Detectors of verdicts that may name an invocation, or say why it waits. */
const OF_INVOCATIONS: readonly Detector<InvocationFacts>[] = [
  ...OF_ENDED,
  waitCycles,
  ({ pool }) => pool && deadlockedPool(pool),
  queueFindings,
  stuckInvocations,
  waitingInNoQueue,
  leftBehind,
  waitsForEnded,
  messageWithoutInvocation,
  slowRuns,
  queueGrows,
];

const DETECTORS: readonly Detector<AppFacts>[] = [
  ...OF_INVOCATIONS,
  layoutTroubled,
  stuckAtomicService,
  noServiceRunner,
  invalidSlots,
  starvedAtomicService,
  recoveryNotRegistered,
  unclaimedConditions,
  overdueSchedules,
  tasksSlower,
  appSilent,
];

/** Causes before their effects. For each code, the codes that explain it: if one of those is found, it is not reported as well. */
const EXPLAINED_BY: Readonly<Record<AppVerdictCode, readonly AppVerdictCode[]>> = {
  unreachable_queue: [],
  layout_trouble: [],
  wait_cycle: [],
  deadlocked_pool: [],
  // Before anything that a runner would help with: it ends when it takes such a message.
  message_without_invocation: [],
  unconsumed_queue: [],
  undeclared_queue: [],
  stuck_atomic_service: [],
  running_on_dead_runner: [],
  paused_on_dead_runner: [],
  waiting_in_no_queue: [],
  left_behind: [],
  waits_for_ended: [],
  no_service_runner: [],
  invalid_slots: [],
  starved_atomic_service: ["invalid_slots"],
  no_triggers: [],
  no_recovery: [],
  stuck_pending: [],
  condition_not_claimed: ["invalid_slots", "starved_atomic_service"],
  schedule_overdue: ["invalid_slots", "starved_atomic_service", "condition_not_claimed"],
  held_by_concurrency: [],
  purge_before_read: [],
  retries_exhausted: [],
  failure_rate_up: [],
  retry_storm: [],
  slow_run: [],
  task_slower: [],
  queue_grows: ["deadlocked_pool", "unconsumed_queue", "undeclared_queue"],
  old_message: ["deadlocked_pool", "queue_grows"],
  app_silent: [
    "unreachable_queue",
    "wait_cycle",
    "deadlocked_pool",
    "unconsumed_queue",
    "undeclared_queue",
    "stuck_atomic_service",
    "no_service_runner",
    "invalid_slots",
    "starved_atomic_service",
    "no_triggers",
  ],
  clock_skew: [],
};

/** Whether the verdict is left out while the cause is found. */
export function isExplainedBy(code: VerdictCode, cause: VerdictCode): boolean {
  return isAppCode(code) && EXPLAINED_BY[code].some((one) => one === cause);
}

const ORDER = Object.keys(EXPLAINED_BY);

/** Whether the text is the code of a verdict on the app. */
export function isAppCode(text: string): text is AppVerdictCode {
  return ORDER.includes(text);
}

type ByScope = Partial<Record<VerdictScope, Promise<FoundVerdict[]>>>;

/** Computed once per snapshot, because several parts of a page need it. */
const known = new WeakMap<AppReads, Map<TrendFacts | null, ByScope>>();

/**
 * Use `appVerdicts`.
 *
 * @param trends from `trendFacts`, read before the snapshot; without them nothing is compared with the past.
 * @param scope what is not asked for is not read.
 */
export function findVerdicts(
  app: OpenedApp,
  reads: AppReads,
  trends: TrendFacts | null,
  scope: VerdictScope = "app",
): Promise<FoundVerdict[]> {
  const ofSnapshot = known.get(reads) ?? new Map<TrendFacts | null, ByScope>();
  known.set(reads, ofSnapshot);
  const byScope = ofSnapshot.get(trends) ?? {};
  ofSnapshot.set(trends, byScope);
  byScope[scope] ??= judged(app, reads, trends, scope).then((verdicts) => {
    const mutes = mutesOf(app);
    return verdicts.map((verdict) => ({ ...verdict, muted_until: mutedUntil(verdict, mutes) }));
  });
  return byScope[scope];
}

async function judged(app: OpenedApp, reads: AppReads, trends: TrendFacts | null, scope: VerdictScope) {
  if (scope === "app") return judge(await appFacts(app, reads, trends));
  if (scope === "ended") return ranked(OF_ENDED, await endedFacts(app, reads, trends), 0);
  const facts = await invocationFacts(app, reads, trends);
  return ranked(OF_INVOCATIONS, facts, facts.alive_by_lag);
}

/** Not said where a runner only seems silent, because its clock is behind. */
const OF_MISSING_RUNNERS: ReadonlySet<AppVerdictCode> = new Set<AppVerdictCode>([
  "unconsumed_queue",
  "no_service_runner",
]);

/** Runs all detectors on the same facts. */
export function judge(facts: AppFacts): Omit<FoundVerdict, "muted_until">[] {
  return ranked(DETECTORS, facts, facts.alive_by_lag);
}

/** Worst first, without what others explain. @param alive_by_lag as in the facts. */
function ranked<Facts>(
  detectors: readonly Detector<Facts>[],
  facts: Facts,
  alive_by_lag: number,
): Omit<FoundVerdict, "muted_until">[] {
  const findings = detectors.flatMap((detect) => detect(facts) ?? []);
  const codes = new Set<AppVerdictCode>(findings.map(({ code }) => code));
  return findings
    .filter(({ code }) => !EXPLAINED_BY[code].some((cause) => codes.has(cause)))
    .filter(({ code }) => alive_by_lag === 0 || !OF_MISSING_RUNNERS.has(code))
    .sort((a, b) => rank(a) - rank(b))
    .map((finding) => ({ ...finding, since: isoOrNull(finding.since) }));
}

function rank({ severity, code }: Finding): number {
  return (severity === "error" ? 0 : ORDER.length) + ORDER.indexOf(code);
}

/** Codes of verdicts on invocations that make no progress. */
const STUCK: ReadonlySet<VerdictCode> = new Set<VerdictCode>([
  "wait_cycle",
  "deadlocked_pool",
  "running_on_dead_runner",
  "paused_on_dead_runner",
  "stuck_pending",
  "waiting_in_no_queue",
  "left_behind",
  "waits_for_ended",
]);

/** Ids of stuck invocations: those named by such verdicts. */
export async function stuckInvocationIds(app: OpenedApp, reads: AppReads): Promise<string[]> {
  // None of these needs figures over time.
  const verdicts = (await findVerdicts(app, reads, null, "invocations")).filter(({ code }) => STUCK.has(code));
  const named = verdicts.flatMap((verdict) => verdict.evidence.filter(({ kind }) => kind === "invocation"));
  return [...new Set(named.map(({ id }) => id))];
}
