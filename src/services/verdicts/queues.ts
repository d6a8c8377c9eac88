/** Messages that no runner takes, or that have waited a long time. */
import type { QueueHealth } from "../../api/health.ts";
import type { Evidence } from "../../api/verdicts.ts";
import { counted } from "../../pynenc/numbers.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import { oldestWaiting } from "../model/queue-health.ts";
import { helpWords, type Idle, idlersOf, leftWords, type OldestMessage, takerWords } from "../model/waiting-place.ts";
import type { InvocationFacts } from "./facts.ts";
import { earliest, evidence, type Finding } from "./finding.ts";

/** A message that waits longer than this while runners are alive is reported. */
const LONG_WAIT_SECONDS = 300;

/** Maximum number of queues named in a sentence. */
const NAMED = 10;

export function queueFindings({
  queues: { queues, runners_known, unreachable, stranded },
  active,
  last_heard,
  idle,
  oldest,
}: Pick<InvocationFacts, "queues" | "active" | "last_heard" | "idle" | "oldest">): Finding[] {
  if (unreachable !== null) {
    return [
      {
        code: "unreachable_queue",
        severity: "error",
        sentence: "The queue cannot be reached",
        detail: unreachable,
        since: null,
        evidence: [],
        count: 1,
      },
    ];
  }
  const filled = queues.filter(({ waiting }) => waiting > 0);
  if (filled.length > 0 && active === 0 && runners_known) {
    // A runner that is started would end with one of these messages: the verdict on them says what has to be done first.
    if (stranded.length > 0) return [];
    return [
      {
        code: "unconsumed_queue",
        severity: "error",
        sentence: `${counted(waitingIn(filled), "message")} waiting and no active runner`,
        detail: "Nothing runs until a runner is started.",
        since: latest(oldestOf(filled), last_heard),
        evidence: queueEvidence(filled),
        count: waitingIn(filled),
      },
    ];
  }
  const inState = (state: QueueHealth["health"]) => filled.filter(({ health }) => health === state);
  const undeclared = inState("not_configured").filter(({ active_consumers }) => active_consumers === 0);
  return [unconsumed(inState("not_consumed"), active), notDeclared(undeclared), longWait(filled, idle, oldest)].flatMap(
    (one) => one ?? [],
  );
}

function unconsumed(queues: readonly QueueHealth[], active: number): Finding | null {
  const [first] = queues;
  if (first === undefined) return null;
  // A queue without a name is the only one: who is active and takes nothing from it takes nothing at all.
  const orphaned = first.queue_name === null;
  return {
    code: "unconsumed_queue",
    severity: "error",
    sentence: orphaned
      ? `${waits(queues)} and no active runner takes messages`
      : `${waits(queues)} ${inQueues(queues)} without a consumer`,
    detail: orphaned
      ? "What is active runs what it has and takes no messages, as the processes of a ProcessRunner do. Nothing more runs until a runner is started."
      : `${counted(active, "runner")} active, but ${active === 1 ? "it takes" : "they take"} from other queues (runner.queues)${several(queues)}. Start one with ${queues.length === 1 ? "this queue" : "these queues"} in runner.queues, or without that setting if ${queues.length === 1 ? "the queue is" : "they are"} declared.`,
    since: oldestOf(queues),
    evidence: queueEvidence(queues),
    count: waitingIn(queues),
  };
}

function notDeclared(queues: readonly QueueHealth[]): Finding | null {
  if (queues.length === 0) return null;
  return {
    code: "undeclared_queue",
    severity: "error",
    sentence: `${waits(queues)} ${inQueues(queues)}, not declared in broker.queues`,
    detail: `Only a runner that names such a queue in runner.queues takes from it, and no active one does${several(queues)}. Start one that does, or declare the queue and restart the runners.`,
    since: oldestOf(queues),
    evidence: queueEvidence(queues),
    count: waitingIn(queues),
  };
}

/** Whether it has messages that a runner takes, as far as is known. */
function isWatched({ waiting, active_consumers, health }: QueueHealth): boolean {
  return waiting > 0 && (active_consumers > 0 || health === "unknown");
}

/** The queue whose oldest message has waited for long; undefined if there is none. */
export function longWaiting(queues: readonly QueueHealth[]): QueueHealth | undefined {
  const oldest = oldestWaiting(queues.filter(isWatched));
  return (oldest?.oldest_seconds ?? 0) > LONG_WAIT_SECONDS ? oldest : undefined;
}

function longWait(queues: readonly QueueHealth[], idle: Idle | null, message: OldestMessage | null): Finding | null {
  const oldest = longWaiting(queues);
  if (oldest === undefined) return null;
  const about: Evidence[] = [
    ...queueEvidence([oldest]),
    ...(message === null ? [] : [{ kind: "invocation" as const, id: message.invocation_id, role: "oldest" }]),
  ];
  const where = oldest.queue_name === null ? "the queue" : `queue ${oldest.queue_name}`;
  return {
    code: "old_message",
    severity: "warning",
    sentence: `Long wait in ${where}`,
    detail: [
      ...messageWords(message),
      ...takerWords(oldest, idle),
      ...leftWords(idle, message?.ahead ?? 0),
      ...helpWords(oldest, idle),
    ].join(" "),
    since: oldestOf([oldest]),
    // A verdict is known by what its first evidence is about, and runners are idle for moments.
    evidence:
      about.length === 0
        ? []
        : [...about, ...evidence("runner", idlersOf(idle).slice(0, NAMED), "idle, takes from it")],
    count: waitingIn(queues.filter(isWatched)),
  };
}

function messageWords(message: OldestMessage | null): string[] {
  if (message === null) return [];
  const { task_id_key, sentence } = message;
  return [`The oldest message is ${task_id_key === null ? "of an unknown task" : `for ${task_id_key}`}.`, sentence];
}

/** When the oldest waiting message was queued; null if not stored. */
function oldestOf(queues: readonly QueueHealth[]): EpochSeconds | null {
  return earliest(queues.flatMap(({ oldest_queued_at }) => epochFromIso(oldest_queued_at ?? "") ?? []));
}

/** Messages have waited without any runner since the later of the two. */
function latest(oldest: EpochSeconds | null, heard: EpochSeconds | null): EpochSeconds | null {
  return oldest === null ? heard : Math.max(oldest, heard ?? oldest);
}

/** Queues that have names. */
function queueEvidence(queues: readonly QueueHealth[]): Evidence[] {
  return evidence(
    "queue",
    queues.flatMap(({ queue_name }) => queue_name ?? []),
  );
}

function waitingIn(queues: readonly QueueHealth[]): number {
  return queues.reduce((sum, { waiting }) => sum + waiting, 0);
}

function waits(queues: readonly QueueHealth[]): string {
  return `${counted(waitingIn(queues), "message")} waiting`;
}

function inQueues(queues: readonly QueueHealth[]): string {
  const [only] = queues;
  return queues.length === 1 ? `in queue ${only?.queue_name}` : `in ${queues.length} queues`;
}

/** Which queues, unless the title names it. */
function several(queues: readonly QueueHealth[]): string {
  if (queues.length === 1) return "";
  const named = queues.slice(0, NAMED).map(({ queue_name, waiting }) => `${queue_name} (${waiting})`);
  const more = queues.length > NAMED ? ` and ${counted(queues.length - NAMED, "more queue")}` : "";
  return `: ${named.join(", ")}${more}`;
}
