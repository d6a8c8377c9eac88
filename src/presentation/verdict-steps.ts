/** Next steps for each kind of verdict: pages, forms that ask for confirmation, and the equivalent commands. */

import type { Evidence, NextStep, Verdict, VerdictCode } from "../api/verdicts.ts";
import type { WhyAnswer } from "../api/why.ts";
import { shellWord } from "../config/shell-word.ts";
import type { FoundVerdict } from "../services/verdicts/verdicts.ts";
import type { FoundWhy } from "../services/why/thing-verdict.ts";
import type { Links } from "./links.ts";
import { count } from "./text.ts";
import { thingHref } from "./thing-links.ts";

/** Maximum number of ids in one command line. */
const IDS_IN_COMMAND = 20;

/**
 * How much evidence there is beyond what is shown, as words; null if there is none. "At least", because only some of many things are listed as evidence,
 * and the evidence may be of another kind than the things that are counted (queues instead of messages).
 */
export function furtherEvidence(
  { evidence, count: all, count_capped }: Pick<Verdict, "evidence" | "count" | "count_capped">,
  shown: number,
): string | null {
  const further = evidence.length - shown;
  if (further <= 0) return null;
  return count_capped === true || all > evidence.length
    ? `and at least ${count(further)} more`
    : `and ${count(further)} more`;
}

/** The answer with next steps added to its verdicts. */
export function withSteps<Answer extends { verdicts: FoundVerdict[] }>(
  links: Links,
  answer: Answer,
): Omit<Answer, "verdicts"> & { verdicts: Verdict[] } {
  return { ...answer, verdicts: answer.verdicts.map((verdict) => withNext(links, verdict)) };
}

/** The answer with the addresses of the objects it names. */
export function placedWhy(links: Links, { subject, verdict, others, ...answer }: FoundWhy): WhyAnswer {
  const { kind, id } = subject;
  return {
    subject: { ...subject, path: kind === "app" ? links.dashboard() : thingHref(links, { kind, id }) },
    verdict: verdict === null ? null : withNext(links, verdict, subject),
    others: others.map((other) => withNext(links, other, subject)),
    ...answer,
  };
}

/** @param subject the object of the question, if the verdict answers one. */
function withNext(links: Links, verdict: FoundVerdict, subject: FoundWhy["subject"] | null = null): Verdict {
  const ids = idsOf(verdict, "invocation");
  const first = ids.slice(0, IDS_IN_COMMAND).join(" ");
  const [tasks, queues] = [idsOf(verdict, "task"), idsOf(verdict, "queue")];
  const steps = STEPS[verdict.code]({ links, subject: subject?.id ?? "", ids, first, tasks, queues });
  return { ...verdict, next: [...steps, ...muting(links, verdict, subject)].map((next) => inApp(links, next)) };
}

/** In a store with several apps a command has to name one, as addresses do. */
function inApp({ app }: Links, next: NextStep): NextStep {
  if (app === null || !next.command?.startsWith("monitor ")) return next;
  return { ...next, command: `${next.command} --app ${shellWord(app)}` };
}

/** An explanation of a single thing cannot be muted. */
function muting(
  links: Links,
  { code, severity, muted_until }: FoundVerdict,
  subject: FoundWhy["subject"] | null,
): NextStep[] {
  if (severity === "info" || (subject !== null && subject.kind !== "app")) return [];
  if (muted_until !== null) return [step("Unmute …", links.unmute({ code }), `monitor unmute ${code}`)];
  return [step("Mute …", links.mute({ code }), `monitor mute ${code}`)];
}

function idsOf({ evidence }: FoundVerdict, kind: Evidence["kind"]): string[] {
  return evidence.flatMap((one) => (one.kind === kind ? one.id : []));
}

interface About {
  links: Links;
  /** Id of the thing in question; empty if the verdict is about the app. */
  subject: string;
  /** Invocations in the evidence. */
  ids: string[];
  /** The first of them as arguments of a command. */
  first: string;
  tasks: string[];
  queues: string[];
}

function step(label: string, path: string, command: string | null = null): NextStep {
  return { label, path, command };
}

function these({ links, ids }: About): NextStep {
  const [id] = ids.length === 1 ? ids : [];
  return id === undefined
    ? step("Show invocations", links.invocations({ inv_ids: ids }))
    : step("Show invocation", links.invocation(id), `monitor show ${id}`);
}

const runnersOf = ({ links }: About) => step("Runners", links.runners(), "monitor runners");
/** A command of pynenc, so the module of the app has to be filled in. */
const startRunner = ({ links }: About) => step("Start a runner", links.runners(), "pynenc --app <module> runner start");
const allRunners = ({ links }: About) => step("All runners", links.runners({ show: "all" }), "monitor runners --all");
/** Of the only queue, or all of them. */
const queueOf = ({ links, queues }: About) => {
  const [queue] = queues.length === 1 ? queues : [];
  return step(
    "Show queue",
    links.queue({ queue }),
    queue === undefined ? "monitor queue" : `monitor queue --queue ${shellWord(queue)}`,
  );
};
const turnsOf = ({ links }: About) => step("Turns", links.atomicScheduling(), "monitor atomic-service --schedule");
const triggersOf = ({ links }: About) => step("Triggers", links.triggers(), "monitor triggers");
const recoveryOf = ({ links }: About) => step("Stuck invocations", links.orchestrator());
const whoWaits = ({ links }: About) => step("Who waits for whom", `${links.orchestrator()}#blocking`);
const rerunOf = ({ links, ids, first }: About) =>
  step("Rerun …", links.rerunMany({ inv_ids: ids }), `monitor rerun ${first}`);

/** For the only task, or for all tasks. */
const failuresOf = ({ links, tasks }: About) => {
  const [task_id] = tasks.length === 1 ? tasks : [];
  const command = task_id === undefined ? "monitor failures" : `monitor failures --task ${task_id}`;
  return step("Failures", links.failures({ task_id }), command);
};
const statsOf = ({ links, tasks }: About) => {
  const [task_id] = tasks.length === 1 ? tasks : [];
  const command = task_id === undefined ? "monitor stats" : `monitor stats --task ${task_id}`;
  return step("Statistics", links.stats({ task_id }), command);
};

const rerunSubject = ({ links, subject }: About) => step("Rerun …", links.rerun(subject), `monitor rerun ${subject}`);
const familyOf = ({ links, subject }: About) => step("Its family", links.family(subject), `monitor tree ${subject}`);
const traceOf = ({ links, subject }: About) =>
  step("Its causal chain", links.event(subject), `monitor trace ${subject}`);

const STEPS: Readonly<Record<VerdictCode, (about: About) => NextStep[]>> = {
  stuck_pending: (about) => [
    these(about),
    step("All pending", about.links.invocations({ status: ["pending"] }), "monitor invocations --status pending"),
    recoveryOf(about),
  ],
  running_on_dead_runner: (about) => [
    these(about),
    step("All running", about.links.invocations({ status: ["running"] }), "monitor invocations --status running"),
    allRunners(about),
    recoveryOf(about),
  ],
  paused_on_dead_runner: (about) => [
    rerunOf(about),
    these(about),
    step("All paused", about.links.invocations({ status: ["paused"] }), "monitor invocations --status paused"),
    allRunners(about),
  ],
  waiting_in_no_queue: (about) => [
    step("Requeue …", about.links.requeueMany({ inv_ids: about.ids }), `monitor requeue ${about.first}`),
    these(about),
    queueOf(about),
  ],
  left_behind: (about) => [rerunOf(about), these(about), allRunners(about)],
  message_without_invocation: (about) => [
    step("Purge the queue …", about.links.purgeBroker(), "monitor purge broker"),
    queueOf(about),
  ],
  deadlocked_pool: (about) => [these(about), whoWaits(about), queueOf(about), runnersOf(about)],
  wait_cycle: (about) => [these(about), whoWaits(about), runnersOf(about)],
  waits_for_ended: (about) => [these(about), whoWaits(about), runnersOf(about)],
  stuck_atomic_service: (about) => [
    turnsOf(about),
    step("All service runs", about.links.atomicTimeline(), "monitor atomic-service"),
    allRunners(about),
  ],
  unreachable_queue: ({ links }) => [step("Show queue", links.broker())],
  layout_trouble: ({ links }) => [step("Layout of the store", links.store(), "monitor doctor")],
  unconsumed_queue: (about) => [startRunner(about), queueOf(about), runnersOf(about)],
  undeclared_queue: (about) => [step("Queues", about.links.broker(), "monitor queue"), runnersOf(about)],
  old_message: (about) => [queueOf(about), runnersOf(about)],
  no_service_runner: (about) => [runnersOf(about), turnsOf(about)],
  no_triggers: (about) => [triggersOf(about), runnersOf(about)],
  no_recovery: (about) => [triggersOf(about), recoveryOf(about)],
  invalid_slots: (about) => [runnersOf(about), turnsOf(about)],
  starved_atomic_service: (about) => [
    turnsOf(about),
    step("All service runs", about.links.atomicTimeline(), "monitor atomic-service"),
    runnersOf(about),
  ],
  condition_not_claimed: (about) => [
    triggersOf(about),
    step("Service runs", about.links.atomicTimeline(), "monitor atomic-service"),
    turnsOf(about),
  ],
  schedule_overdue: (about) => [
    triggersOf(about),
    step("Service runs", about.links.atomicTimeline(), "monitor atomic-service"),
    turnsOf(about),
  ],
  clock_skew: (about) => [these(about), runnersOf(about)],
  held_by_concurrency: (about) => [these(about), runnersOf(about)],
  purge_before_read: (about) => [these(about), whoWaits(about)],
  retries_exhausted: (about) => [failuresOf(about), these(about), rerunOf(about)],
  failure_rate_up: (about) => [failuresOf(about), these(about), rerunOf(about)],
  retry_storm: (about) => [failuresOf(about), these(about)],
  slow_run: (about) => [these(about), statsOf(about), runnersOf(about)],
  task_slower: (about) => [statsOf(about), runnersOf(about)],
  queue_grows: (about) => [queueOf(about), statsOf(about), runnersOf(about)],
  app_silent: (about) => [
    step("Newest invocations", about.links.invocations(), "monitor invocations"),
    runnersOf(about),
  ],
  failed: (about) => [rerunSubject(about), familyOf(about)],
  failed_below: (about) => [
    step("Failure below it", about.links.invocation(about.ids[0] ?? ""), `monitor why ${about.ids[0] ?? ""}`),
    rerunSubject(about),
    familyOf(about),
  ],
  dropped_by_concurrency_control: (about) => [rerunSubject(about)],
  ended_well: (about) => [familyOf(about)],
  waits_for_invocation: (about) => [
    step(
      "What it waits for",
      about.links.invocation(about.ids.at(-1) ?? ""),
      `monitor why ${about.ids.at(-1) ?? about.subject}`,
    ),
    familyOf(about),
  ],
  waits_for_runner: (about) => [queueOf(about), runnersOf(about)],
  in_progress: (about) => [familyOf(about)],
  status_not_known: () => [],
  trigger_waits: (about) => [triggersOf(about)],
  trigger_is_due: (about) => [turnsOf(about)],
  trigger_not_met: (about) => [triggersOf(about)],
  trigger_ran: (about) => [
    step("Its causal chain", about.links.triggerRun(about.subject), `monitor trace ${about.subject}`),
  ],
  event_started_something: (about) => [traceOf(about)],
  event_met_no_condition: (about) => [triggersOf(about), traceOf(about)],
  event_not_watched: (about) => [triggersOf(about)],
  runner_active: (about) => [runnersOf(about)],
  runner_silent: (about) => [allRunners(about)],
  task_failed: (about) => [failuresOf(about), statsOf(about)],
  task_ended_well: (about) => [statsOf(about)],
  queue_waits: (about) => [queueOf(about), runnersOf(about)],
  queue_empty: (about) => [runnersOf(about)],
};
