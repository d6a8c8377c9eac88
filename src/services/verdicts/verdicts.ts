/** What looks wrong now, according to all detectors. One list for the first page, `status`, `doctor`, `why` and `is:stuck`. */

import type { AppVerdictCode, Verdict, VerdictCode } from "../../api/verdicts.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { invalidSlots, noServiceRunner, starvedAtomicService, stuckAtomicService } from "./atomic-service.ts";
import { clockSkew } from "./clock-skew.ts";
import { heldByConcurrency } from "./concurrency.ts";
import type { AppFacts } from "./facts.ts";
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
import { readFacts } from "./read-facts.ts";
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

const DETECTORS: readonly ((facts: AppFacts) => Finding[])[] = [
  waitCycles,
  ({ pool }) => (pool === null ? [] : [deadlockedPool(pool) ?? []].flat()),
  queueFindings,
  layoutTroubled,
  stuckAtomicService,
  stuckInvocations,
  waitingInNoQueue,
  leftBehind,
  waitsForEnded,
  noServiceRunner,
  invalidSlots,
  starvedAtomicService,
  recoveryNotRegistered,
  unclaimedConditions,
  overdueSchedules,
  messageWithoutInvocation,
  clockSkew,
  heldByConcurrency,
  purgeBeforeRead,
  retriesExhausted,
  failureRateUp,
  retryStorm,
  slowRuns,
  tasksSlower,
  queueGrows,
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

const ORDER = Object.keys(EXPLAINED_BY);

/** Whether the text is the code of a verdict on the app. */
export function isAppCode(text: string): text is AppVerdictCode {
  return ORDER.includes(text);
}

/** Computed once per snapshot, because several parts of a page need it. */
const known = new WeakMap<AppReads, Map<TrendFacts | null, Promise<FoundVerdict[]>>>();

/** Use `appVerdicts`. @param trends from `trendFacts`, read before the snapshot; without them nothing is compared with the past. */
export function findVerdicts(app: OpenedApp, reads: AppReads, trends: TrendFacts | null): Promise<FoundVerdict[]> {
  const ofSnapshot = known.get(reads) ?? new Map<TrendFacts | null, Promise<FoundVerdict[]>>();
  known.set(reads, ofSnapshot);
  const earlier = ofSnapshot.get(trends);
  if (earlier !== undefined) return earlier;
  const verdicts = readFacts(app, reads, trends).then((facts) => {
    const mutes = mutesOf(app);
    return judge(facts).map((verdict) => ({ ...verdict, muted_until: mutedUntil(verdict, mutes) }));
  });
  ofSnapshot.set(trends, verdicts);
  return verdicts;
}

/** Not said where a runner only seems silent, because its clock is behind. */
const OF_MISSING_RUNNERS: ReadonlySet<AppVerdictCode> = new Set<AppVerdictCode>([
  "unconsumed_queue",
  "no_service_runner",
]);

/** Runs all detectors on the same facts. */
export function judge(facts: AppFacts): Omit<FoundVerdict, "muted_until">[] {
  const findings = DETECTORS.flatMap((detect) => detect(facts));
  const codes = new Set<AppVerdictCode>(findings.map(({ code }) => code));
  return findings
    .filter(({ code }) => !EXPLAINED_BY[code].some((cause) => codes.has(cause)))
    .filter(({ code }) => facts.alive_by_lag === 0 || !OF_MISSING_RUNNERS.has(code))
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
  const verdicts = (await findVerdicts(app, reads, null)).filter(({ code }) => STUCK.has(code));
  const named = verdicts.flatMap((verdict) => verdict.evidence.filter(({ kind }) => kind === "invocation"));
  return [...new Set(named.map(({ id }) => id))];
}
