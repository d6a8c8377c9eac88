/** What to look at or do about each kind of verdict: pages, forms that ask first, and the commands that do the same. */
import type { Evidence, NextStep, Verdict, VerdictCode } from "../api/verdicts.ts";
import type { FoundVerdict } from "../services/verdicts/verdicts.ts";
import type { Links } from "./links.ts";
import { thingHref } from "./thing-links.ts";

/** Ids that one command line names. */
const IDS_IN_COMMAND = 20;

/** The answer with the steps of its verdicts. */
export function withSteps<Answer extends { verdicts: FoundVerdict[] }>(
  links: Links,
  answer: Answer,
): Omit<Answer, "verdicts"> & { verdicts: Verdict[] } {
  return { ...answer, verdicts: answer.verdicts.map((verdict) => withNext(links, verdict)) };
}

export function withNext(links: Links, verdict: FoundVerdict): Verdict {
  const ids = idsOf(verdict, "invocation");
  const steps = STEPS[verdict.code]({ links, verdict, ids, first: ids.slice(0, IDS_IN_COMMAND).join(" ") });
  return { ...verdict, next: steps };
}

/** The page of a piece of evidence. */
export function evidenceHref(links: Links, { kind, id }: Pick<Evidence, "kind" | "id">): string {
  return kind === "queue" ? links.queue({ queue: id }) : thingHref(links, { kind, id });
}

function idsOf({ evidence }: FoundVerdict, kind: Evidence["kind"]): string[] {
  return evidence.flatMap((one) => (one.kind === kind ? one.id : []));
}

interface About {
  links: Links;
  verdict: FoundVerdict;
  /** Invocations of the evidence. */
  ids: string[];
  /** The first of them, as arguments of a command. */
  first: string;
}

function step(label: string, path: string, command: string | null = null): NextStep {
  return { label, path, command };
}

function these({ links, ids }: About): NextStep {
  return step("These invocations", links.invocations({ inv_ids: ids }));
}

const runnersOf = ({ links }: About) => step("Runners", links.runners(), "monitor runners");
const allRunners = ({ links }: About) => step("All runners", links.runners({ show: "all" }), "monitor runners --all");
const queueOf = ({ links }: About) => step("Queue", links.queue(), "monitor queue");
const turnsOf = ({ links }: About) =>
  step("Whose turn it is", links.atomicScheduling(), "monitor atomic-service --schedule");
const triggersOf = ({ links }: About) => step("Triggers", links.triggers(), "monitor triggers");
const recoveryOf = ({ links }: About) => step("Recovery", links.orchestrator());
const whoWaits = ({ links }: About) => step("Who waits for whom", `${links.orchestrator()}#blocking`);
const rerunOf = ({ links, ids, first }: About) =>
  step("Rerun …", links.rerunMany({ inv_ids: ids }), ids.length === 1 ? `monitor rerun ${first}` : null);

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
  unreachable_queue: ({ links }) => [step("Broker", links.broker())],
  unconsumed_queue: (about) => [queueOf(about), runnersOf(about)],
  undeclared_queue: (about) => [step("Queues", about.links.broker(), "monitor queue"), runnersOf(about)],
  old_message: (about) => [queueOf(about), runnersOf(about)],
  no_service_runner: (about) => [runnersOf(about), turnsOf(about)],
  no_triggers: (about) => [triggersOf(about), runnersOf(about)],
  no_recovery: (about) => [triggersOf(about), recoveryOf(about)],
  invalid_slots: (about) => [runnersOf(about), turnsOf(about)],
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
};
