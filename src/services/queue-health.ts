/** The queues of an app: what waits in each of them and since when, and who takes from it. */
import { DEFAULT_ORIGIN } from "../config/pynenc-sources.ts";
import { StoreUnreachableError } from "../errors.ts";
import type { QueueMessage } from "../pynenc/records.ts";
import { knownStatus, statusInfo } from "../pynenc/statuses.ts";
import { type EpochSeconds, isoOrNull, secondsSince } from "../pynenc/time.ts";
import type { AppReads, QueueCount } from "../stores/ports.ts";
import type { OpenedApp } from "./opened-app.ts";
import { deadBefore } from "./runner-liveness.ts";

/**
 * `consuming`: an active runner takes from it. `not_consumed`: none does. `not_configured`: it is not among the declared queues, so that a runner
 * takes from it only if its own settings name it. `unknown`: whether the active runners take from it is not known.
 */
export type QueueState = "consuming" | "not_consumed" | "not_configured" | "unknown";

export interface QueueHealth {
  /** Null for the one queue of layouts without names. */
  queue_name: string | null;
  messages: number;
  /** Messages of invocations that are not final; all messages where these were not told apart. */
  waiting: number;
  /**
   * Messages of invocations that are final already: blocking control runs what is waited for and leaves its message, which is dropped when its
   * turn comes. Null where they were not told apart.
   */
  finished: number | null;
  /** Of those that wait; null where the queue keeps no times. */
  oldest_queued_at: string | null;
  oldest_age_seconds: number | null;
  /** Active runners that take from it. */
  active_consumers: number;
  /** Whether broker.queues names it; null where there is one queue without a name, and where that setting was not found. */
  declared: boolean | null;
  health: QueueState;
}

export interface Queues {
  /** Declared ones first, in their order, then others by name. */
  queues: QueueHealth[];
  /** Queues have names and messages priorities (since 0.4). */
  named: boolean;
  /** What is next in each queue, with its place from 1: a bounded number of messages that wait, those of one queue in the order of their turn. */
  next: { message: QueueMessage; place: number }[];
  /** Why the queue cannot be looked at, as a sentence; then there are no queues. */
  unreachable: string | null;
}

/** The queue in which something waits longest; undefined where nothing waits or no times are kept. */
export function oldestWaiting(queues: readonly QueueHealth[]): QueueHealth | undefined {
  return queues
    .filter(({ oldest_queued_at }) => oldest_queued_at !== null)
    .sort((a, b) => ((a.oldest_queued_at ?? "") < (b.oldest_queued_at ?? "") ? -1 : 1))[0];
}

/** As many messages are told apart by the status of their invocation. */
const TOLD_APART = 2_000;

/** Messages that are told as next, of all queues. */
const NEXT = 5;

/** Told once per snapshot: several parts of a page ask. */
const known = new WeakMap<AppReads, Promise<Queues>>();

export function queuesOf(app: OpenedApp, reads: AppReads): Promise<Queues> {
  const earlier = known.get(reads);
  if (earlier !== undefined) return earlier;
  const told = tellQueues(app, reads);
  known.set(reads, told);
  return told;
}

async function tellQueues(app: OpenedApp, reads: AppReads): Promise<Queues> {
  const [{ named_queues: named, queue_peek }, counts, consumers] = await Promise.all([
    reads.layout.capabilities(),
    queueCounts(reads),
    deadBefore(app, reads).then((dead) => reads.orchestrator.consumers(dead)),
  ]);
  if (counts instanceof StoreUnreachableError) return { queues: [], named, next: [], unreachable: counts.message };
  const total = counts.reduce((sum, { messages }) => sum + messages, 0);
  const apart = queue_peek && total <= TOLD_APART;
  const listed = apart ? await withPlaces(reads) : [];
  const finished = await finalAmong(
    reads,
    listed.map(({ message }) => message.invocation_id),
  );
  const waiting = listed.filter(({ message }) => !finished.has(message.invocation_id));
  const healthOf = (queue_name: string | null): QueueHealth => {
    const count = counts.find((one) => one.queue_name === queue_name);
    const ofQueue = waiting.filter(({ message }) => message.queue_name === queue_name);
    const oldest = apart ? oldestOf(ofQueue.map(({ message }) => message)) : (count?.oldest ?? null);
    const messages = count?.messages ?? 0;
    return {
      queue_name,
      messages,
      waiting: apart ? ofQueue.length : messages,
      finished: apart ? messages - ofQueue.length : null,
      oldest_queued_at: isoOrNull(oldest),
      oldest_age_seconds: oldest === null ? null : secondsSince(oldest, app.now()),
      ...consumption(app, queue_name, consumers),
    };
  };
  const names = named ? namesOf(app, counts, consumers) : [null];
  return {
    queues: names.map(healthOf),
    named,
    next: queue_peek ? nextOf(apart ? waiting : await frontOf(reads, counts)) : [],
    unreachable: null,
  };
}

/** A broker that is kept apart may be away while everything else can be read. */
async function queueCounts(reads: AppReads): Promise<QueueCount[] | StoreUnreachableError> {
  try {
    return await reads.broker.queues();
  } catch (error) {
    if (error instanceof StoreUnreachableError) return error;
    throw error;
  }
}

/** Every message with its place in its queue. */
async function withPlaces(reads: AppReads): Promise<{ message: QueueMessage; place: number }[]> {
  const messages = await reads.broker.peekMessages({ limit: TOLD_APART, offset: 0 });
  const places = new Map<string | null, number>();
  return messages.map((message) => {
    const place = (places.get(message.queue_name) ?? 0) + 1;
    places.set(message.queue_name, place);
    return { message, place };
  });
}

/** The first messages of each queue that wait, looked for among its first few. */
async function frontOf(
  reads: AppReads,
  counts: readonly QueueCount[],
): Promise<{ message: QueueMessage; place: number }[]> {
  const fronts = await Promise.all(
    counts.slice(0, QUEUES_LOOKED_AT).map(async ({ queue_name }) => {
      const messages = await reads.broker.peekMessages({ limit: FRONT, offset: 0 }, queue_name ?? undefined);
      return messages.map((message, index) => ({ message, place: index + 1 }));
    }),
  );
  const front = fronts.flat();
  const finished = await finalAmong(
    reads,
    front.map(({ message }) => message.invocation_id),
  );
  return front.filter(({ message }) => !finished.has(message.invocation_id));
}

const FRONT = 50;
const QUEUES_LOOKED_AT = 20;

/** As many of each queue as fit, and at least one. */
function nextOf(waiting: readonly { message: QueueMessage; place: number }[]): Queues["next"] {
  const byQueue = new Map<string | null, { message: QueueMessage; place: number }[]>();
  for (const one of waiting) {
    const queue = byQueue.get(one.message.queue_name) ?? [];
    byQueue.set(one.message.queue_name, [...queue, one].slice(0, NEXT));
  }
  const each = Math.max(1, Math.floor(NEXT / Math.max(1, byQueue.size)));
  return [...byQueue.values()].flatMap((ofQueue) => ofQueue.slice(0, each));
}

/** Those of these invocations that are final, also where only their history says so. */
async function finalAmong(reads: AppReads, invocationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(invocationIds)];
  const statuses = new Map((await reads.orchestrator.statusesByIds(ids)).map((row) => [row.invocation_id, row.status]));
  const spans = await reads.state_backend.historySpanOf(ids.filter((id) => !statuses.has(id)));
  const last = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
  return new Set(ids.filter((id) => statusInfo(knownStatus(statuses.get(id), last.get(id))).final));
}

function oldestOf(messages: readonly QueueMessage[]): EpochSeconds | null {
  const times = messages.flatMap((message) => message.queued_at ?? []);
  return times.length === 0 ? null : times.reduce((oldest, time) => Math.min(oldest, time));
}

type Consumers = Awaited<ReturnType<AppReads["orchestrator"]["consumers"]>>;

/** Declared, stored or named by an active runner. */
function namesOf(app: OpenedApp, counts: readonly QueueCount[], consumers: Consumers): string[] {
  const { names } = declaredQueues(app);
  const others = [...counts.map((one) => one.queue_name ?? ""), ...consumers.flatMap(({ queues }) => queues ?? [])];
  return [...new Set([...names, ...others.sort()])];
}

/** Who takes from a queue: runners that name it and, if it is declared, those that name none. */
function consumption(
  app: OpenedApp,
  name: string | null,
  consumers: Consumers,
): Pick<QueueHealth, "active_consumers" | "declared" | "health"> {
  const runnersWhere = (meets: (queues: readonly string[] | null) => boolean) =>
    consumers.reduce((sum, { queues, runners }) => (meets(queues) ? sum + runners : sum), 0);
  if (name === null) {
    const active_consumers = runnersWhere(() => true);
    return { active_consumers, declared: null, health: active_consumers > 0 ? "consuming" : "not_consumed" };
  }
  const declared = isDeclared(app, name);
  const named = runnersWhere((queues) => queues?.includes(name) === true);
  const ofAll = runnersWhere((queues) => queues?.length === 0);
  const active_consumers = named + (declared === true ? ofAll : 0);
  // Runners whose queues are not recorded, and where it is not known what is declared also those that take from every declared queue.
  const perhaps = runnersWhere((queues) => queues === null) + (declared === null ? ofAll : 0);
  if (declared === false) return { active_consumers, declared, health: "not_configured" };
  if (active_consumers > 0) return { active_consumers, declared, health: "consuming" };
  return { active_consumers, declared, health: perhaps > 0 ? "unknown" : "not_consumed" };
}

/** Whether broker.queues names a queue; null where that setting was not found. */
export function isDeclared(app: Pick<OpenedApp, "settings">, name: string): boolean | null {
  const { names, found } = declaredQueues(app);
  return names.includes(name) ? true : found ? false : null;
}

/** What broker.queues says, and whether it was found anywhere: its default is not what an app with queues of its own has. */
export function declaredQueues({ settings }: Pick<OpenedApp, "settings">): {
  names: readonly string[];
  found: boolean;
} {
  const setting = settings.get("broker.queues");
  return {
    names: (setting?.value as readonly string[] | undefined) ?? [],
    found: setting !== undefined && setting.origin !== DEFAULT_ORIGIN,
  };
}
