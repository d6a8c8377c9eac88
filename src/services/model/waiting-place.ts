/** Where an invocation waits for a runner: its place in the queue, what is ahead of it, and which runners take from there. */
import type { QueueHealth } from "../../api/health.ts";
import type { UsualWait, WaitingPlace } from "../../api/model/waiting-places.ts";
import { counted, grouped, lasting } from "../../pynenc/numbers.ts";
import type { QueueMessage } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { takenInvocations } from "../app/taken.ts";
import { type Consumption, consumption, takesFrom } from "./queue-consumers.ts";
import { queueLength } from "./queue-length.ts";
import { deadBefore } from "./runner-liveness.ts";
import { activeConsumers, readTakers } from "./takers.ts";

/** Messages read from the front of its queue. */
export const FRONT = 2_000;

/** An idle runner looks for messages several times in this many seconds. */
const POLLED_SECONDS = 10;

/** Tasks and runners named in a sentence. */
const NAMED = 3;

type Ahead = Pick<WaitingPlace, "place" | "ahead" | "ahead_exact" | "ahead_by_task">;
export type Idle = WaitingPlace["idle"];

/**
 * The place of an invocation in its queue. Null if it has no message in a queue that can be listed. Nine reads at most.
 *
 * @param messages of the invocation.
 * @param awaited how many invocations are recorded to wait for it.
 */
export async function waitingPlace(
  app: OpenedApp,
  reads: AppReads,
  messages: readonly QueueMessage[],
  awaited: number,
): Promise<WaitingPlace | null> {
  const [message] = messages;
  const { queue_peek } = await reads.layout.capabilities();
  if (message === undefined && queue_peek) return null;
  const queue_name = message?.queue_name ?? null;
  const dead = await deadBefore(app, reads);
  const [ahead, consumers, idle, length] = await Promise.all([
    message === undefined ? NOT_KNOWN : frontOf(reads, queue_name).then((front) => aheadOf(reads, message, front)),
    activeConsumers(reads, dead).then((found) => consumption(app, found)(queue_name)),
    idleTakers(app, reads, dead, queue_name),
    message === undefined ? queueLength(reads) : null,
  ]);
  const place = {
    queue_name,
    priority: message?.priority ?? null,
    queued_at: isoOrNull(message?.queued_at),
    ...ahead,
    consumers: consumers.active_consumers,
    idle: idle ?? [],
    usual_wait: null,
  };
  const where = message === undefined ? countedWords(length?.messages ?? null) : placeWords(place);
  const first =
    awaited > 0
      ? [`${counted(awaited, "invocation waits", "invocations wait")} for it, so runners take it first.`]
      : [];
  const isLeft = message?.queued_at != null && app.now() - message.queued_at > POLLED_SECONDS;
  const left = isLeft ? leftWords(idle, ahead.ahead ?? 0) : [];
  return { ...place, sentences: [...where, ...first, ...takerWords(consumers, idle), ...left] };
}

/** The place with the usual waiting time of its task. */
export function withUsualWait(place: WaitingPlace, task: string | null, usual: UsualWait | null): WaitingPlace {
  if (usual === null || task === null) return place;
  const { count, p50_seconds: p50, p95_seconds: p95 } = usual;
  const words = `Usual wait of ${task} in the last 24 h: half up to ${lasting(p50)}, 95 % up to ${lasting(p95)} (${counted(count, "wait")}).`;
  return { ...place, usual_wait: usual, sentences: [...place.sentences, words] };
}

const NOT_KNOWN: Ahead = { place: null, ahead: null, ahead_exact: false, ahead_by_task: [] };

/** The oldest message of a queue. */
export interface OldestMessage {
  invocation_id: string;
  task_id_key: string | null;
  ahead: number | null;
  /** Where it is in its queue. */
  sentence: string;
}

/** The oldest message of a queue, if it is at its front and the queue can be listed. Three reads. */
export async function oldestMessage(
  reads: AppReads,
  { queue_name, oldest_queued_at }: Pick<QueueHealth, "queue_name" | "oldest_queued_at">,
): Promise<OldestMessage | null> {
  const front = await frontOf(reads, queue_name);
  const message = front.find(({ queued_at }) => queued_at !== null && isoOrNull(queued_at) === oldest_queued_at);
  if (message === undefined) return null;
  const { invocation_id, priority } = message;
  const [place, statuses] = await Promise.all([
    aheadOf(reads, message, front),
    reads.orchestrator.statusesByIds([invocation_id]),
  ]);
  const [sentence = ""] = placeWords({ queue_name, priority, ...place }, " queued later");
  return { invocation_id, task_id_key: statuses[0]?.task_id_key ?? null, ahead: place.ahead, sentence };
}

async function aheadOf(
  reads: AppReads,
  { invocation_id }: QueueMessage,
  front: readonly QueueMessage[],
): Promise<Ahead> {
  const at = front.findIndex((one) => one.invocation_id === invocation_id);
  const { waiting, by_task } = await waitingAmong(reads, at < 0 ? front : front.slice(0, at));
  return { place: at < 0 ? null : at + 1, ahead: waiting.length, ahead_exact: at >= 0, ahead_by_task: by_task };
}

/** The next messages of a queue. */
export function frontOf(reads: AppReads, queue: string | null): Promise<QueueMessage[]> {
  return reads.broker.peekMessages({ limit: FRONT, offset: 0 }, queue ?? undefined);
}

/** The invocations of these messages that have not ended, and their number by task, most first. */
export async function waitingAmong(
  reads: AppReads,
  messages: readonly QueueMessage[],
): Promise<{ waiting: string[]; by_task: WaitingPlace["ahead_by_task"] }> {
  const ids = [...new Set(messages.map((one) => one.invocation_id))];
  const statuses = ids.length === 0 ? [] : await reads.orchestrator.statusesByIds(ids);
  const ended = statuses.filter(({ status }) => statusInfo(status).final);
  const taskOf = new Map(statuses.map((row) => [row.invocation_id, row.task_id_key]));
  const gone = new Set(ended.map((row) => row.invocation_id));
  const waiting = ids.filter((id) => !gone.has(id));
  const counts = new Map<string | null, number>();
  for (const id of waiting) counts.set(taskOf.get(id) ?? null, (counts.get(taskOf.get(id) ?? null) ?? 0) + 1);
  const by_task = [...counts].map(([task_id_key, invocations]) => ({ task_id_key, invocations }));
  return { waiting, by_task: by_task.sort((a, b) => b.invocations - a.invocations) };
}

/** Active runners that hold no invocation. Null if that is not known: there are too many runners or invocations, or a runner starts a process for each invocation. */
export async function idleTakers(
  app: OpenedApp,
  reads: AppReads,
  dead: EpochSeconds,
  queue: string | null,
): Promise<Idle | null> {
  const [runners, taken] = await Promise.all([readTakers(reads, dead), takenInvocations(reads.orchestrator)]);
  if (runners === null || runners.spawns || taken === null) return null;
  const owners = new Set(taken.map((row) => row.status_runner_id));
  const takes = takesFrom(app, queue);
  return runners.takers
    .filter(({ runner_id }) => !owners.has(runner_id))
    .map(({ runner_id, queues }) => ({
      runner_id,
      queues: queues === null ? null : [...queues],
      takes: takes(queues),
    }));
}

function countedWords(messages: number | null): string[] {
  if (messages === null) return [];
  return [`${counted(messages, "message")} waiting. This queue can only be counted, so its own place is not known.`];
}

/** @param later what is known of all that is ahead of it. */
function placeWords(
  { queue_name, priority, ahead, ahead_exact, ahead_by_task }: Ahead & Pick<WaitingPlace, "queue_name" | "priority">,
  later = "",
): string[] {
  const where = `It is in ${queue_name === null ? "the queue" : `queue ${queue_name}`}${priority === null ? "" : ` with priority ${priority}`}`;
  if (ahead === 0 && ahead_exact) return [`${where}; nothing is ahead of it.`];
  const number = `${ahead_exact ? "" : "at least "}${counted(ahead ?? 0, "invocation")}${later} ${ahead === 1 ? "is" : "are"}`;
  const tasks = ahead_by_task.slice(0, NAMED).map(({ task_id_key, invocations }) => {
    const task = task_id_key ?? "an unknown task";
    return ahead_by_task.length === 1 ? task : `${grouped(invocations)} of ${task}`;
  });
  const others =
    ahead_by_task.length > NAMED
      ? [`others of ${ahead_exact ? "" : "at least "}${counted(ahead_by_task.length - NAMED, "more task")}`]
      : [];
  return [`${where}; ${number} ahead of it (${[...tasks, ...others].join(", ")}).`];
}

/** Who takes from a queue, and which runners are idle, as sentences. @param idle null if not known */
export function takerWords({ active_consumers: active, health }: Consumption, idle: Idle | null): string[] {
  if (health === "unknown" && active === 0) return ["Whether an active runner takes from it is not known."];
  const here = (idle ?? []).filter(({ takes }) => takes === true);
  const elsewhere = (idle ?? []).filter(({ takes }) => takes === false);
  const busy = idle?.every(({ takes }) => takes === false) === true ? "; none is idle" : "";
  const free = here.length === 0 ? busy : `; idle now: ${idleNames(here)}`;
  const takes = counted(active, "active runner takes", "active runners take");
  const other = active === 0 ? "active runner" : "other active runner";
  return [
    active === 0 ? "No active runner takes from it." : `${takes} from it${free}.`,
    ...(elsewhere.length === 0
      ? []
      : [
          `${counted(elsewhere.length, `${other} is`, `${other}s are`)} idle, but ${elsewhere.length === 1 ? "takes" : "take"} from other queues: ${idleNames(elsewhere)}.`,
        ]),
  ];
}

/** That idle runners that take from the queue leave the message. The next poll of such a runner takes the first of the queue. */
export function leftWords(idle: Idle | null, ahead: number): string[] {
  const idlers = idlersOf(idle);
  if (idlers.length === 0) return [];
  const left = ahead > 0 ? "taken none of these messages" : "not taken it";
  return [
    `${someOf(idlers.map((id) => id.slice(0, 8)))} ${idlers.length === 1 ? "has" : "have"} ${left}; the reason is not known.`,
  ];
}

/** Idle runners that take from the queue. */
export function idlersOf(idle: Idle | null): string[] {
  return (idle ?? []).flatMap(({ takes, runner_id }) => (takes === true ? [runner_id] : []));
}

/** What would help messages that active runners take; nothing if one of these may be idle. @param idle null if not known */
export function helpWords({ active_consumers: active }: Consumption, idle: Idle | null): string[] {
  if (active === 0 || idle === null || idle.some(({ takes }) => takes !== false)) return [];
  return [
    idle.length > 0
      ? "Naming this queue in the runner.queues of the idle runners would help."
      : "More runners that take from it, or shorter runs, would help.",
  ];
}

/** `1a2b3c4d (slow), 5e6f7a8b` */
function idleNames(idle: Idle): string {
  return someOf(
    idle.map(
      ({ runner_id, queues }) =>
        `${runner_id.slice(0, 8)}${queues === null || queues.length === 0 ? "" : ` (${queues.join(", ")})`}`,
    ),
  );
}

/** `a, b, c, 2 more` */
function someOf(all: readonly string[]): string {
  return [...all.slice(0, NAMED), ...(all.length > NAMED ? [`${all.length - NAMED} more`] : [])].join(", ");
}
