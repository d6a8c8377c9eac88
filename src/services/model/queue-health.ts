/** Queues of an app: waiting messages, their age, and the runners that consume them. */
import type { QueueHealth } from "../../api/health.ts";
import { StoreUnreachableError } from "../../errors.ts";
import type { QueueMessage } from "../../pynenc/records.ts";
import { knownStatus, statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoOrNull, secondsSince } from "../../pynenc/time.ts";
import type { QueueCount, QueueLayout } from "../../stores/ports/broker.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { type Consumers, consumption, declaredQueues } from "./queue-consumers.ts";
import { activeConsumers } from "./takers.ts";

/** Longest queue, in messages, that is searched on every check. */
export const SHORT_QUEUE = 10_000;

/** A message whose invocation has no status in the orchestrator, or no definition in the state backend (storage-format.md 7.2). */
export interface StrandedMessage extends QueueMessage {
  missing: "status" | "definition";
}

export interface Queues {
  /** In all queues; null if they cannot be read. */
  messages: number | null;
  /** Declared ones first, in their order, then others by name. */
  queues: QueueHealth[];
  /** Queues have names and messages have priorities (since 0.4). */
  named: boolean;
  /** See QueueLayout. */
  complete: boolean;
  note: string | null;
  /**
   * The next few messages of each queue in the order in which they are taken. `place` is the position in the queue, from 1.
   */
  next: { message: QueueMessage; place: number }[];
  /** Messages, among those read, that would make the runner that takes them exit. */
  stranded: StrandedMessage[];
  /** Not all messages were read. */
  messages_unread: boolean;
  /** Whether heartbeats show which runners are active. */
  runners_known: boolean;
  /** Why the queue cannot be read, as a sentence; then `queues` is empty. */
  unreachable: string | null;
}

/** Limit of messages whose invocation status is checked, shortest queues first. */
const MAX_SPLIT = 2_000;

/** Queues inspected one by one if there are too many messages in all. */
const MAX_QUEUES = 20;

/** Next messages shown: divided among the queues, at least one per queue. */
const NEXT = 5;

/** Queues listed on a page or in JSON. */
const LISTED = 200;

/** The first queues of a list, and how many more there are. */
export function listedQueues(queues: readonly QueueHealth[]): { queues: QueueHealth[]; more_queues: number } {
  return { queues: queues.slice(0, LISTED), more_queues: Math.max(0, queues.length - LISTED) };
}

/** The queue with the oldest message; undefined if nothing waits or no times are stored. */
export function oldestWaiting(queues: readonly QueueHealth[]): QueueHealth | undefined {
  return queues
    .filter(({ oldest_queued_at }) => oldest_queued_at !== null)
    .sort((a, b) => ((a.oldest_queued_at ?? "") < (b.oldest_queued_at ?? "") ? -1 : 1))[0];
}

/** Computed once per snapshot, because several parts of a page need it. */
const known = new WeakMap<AppReads, Promise<Queues>>();

export function queuesOf(app: OpenedApp, reads: AppReads): Promise<Queues> {
  const earlier = known.get(reads);
  if (earlier !== undefined) return earlier;
  const queues = readQueues(app, reads);
  known.set(reads, queues);
  return queues;
}

interface PositionedMessage {
  message: QueueMessage;
  place: number;
}

async function readQueues(app: OpenedApp, reads: AppReads): Promise<Queues> {
  const [{ queue_peek }, found, consumers] = await Promise.all([
    reads.layout.capabilities(),
    foundQueues(reads),
    deadBefore(app, reads).then((dead) => activeConsumers(reads, dead)),
  ]);
  const runners_known = consumers !== null;
  if (found instanceof StoreUnreachableError) {
    const nothing = {
      messages: null,
      queues: [],
      named: false,
      complete: false,
      note: null,
      next: [],
      stranded: [],
      messages_unread: true,
    };
    return { ...nothing, runners_known, unreachable: found.message };
  }
  const { layout, counts } = found;
  const { named } = layout;
  const { fullyRead, fronts } = queue_peek
    ? await peekFronts(reads, counts)
    : { fullyRead: new Set<string | null>(), fronts: [] };
  const ids = fronts.map(({ message }) => message.invocation_id);
  const [{ final, without }, undefinedIds] = await Promise.all([statusesOf(reads, ids), withoutDefinition(reads, ids)]);
  const waiting = new Map<string | null, PositionedMessage[]>();
  for (const one of fronts) {
    if (final.has(one.message.invocation_id)) continue;
    const ofQueue = waiting.get(one.message.queue_name) ?? [];
    ofQueue.push(one);
    waiting.set(one.message.queue_name, ofQueue);
  }
  const countOf = new Map(counts.map((one) => [one.queue_name, one]));
  const consumptionOf = consumption(app, consumers);
  const healthOf = (queue_name: string | null): QueueHealth => {
    const { messages = 0, oldest: oldestOfAll = null } = countOf.get(queue_name) ?? {};
    const ofQueue = waiting.get(queue_name) ?? [];
    const split = messages === 0 || fullyRead.has(queue_name);
    const oldest = split ? oldestOf(ofQueue.map(({ message }) => message)) : oldestOfAll;
    return {
      queue_name,
      messages,
      waiting: split ? ofQueue.length : messages,
      finished: split ? messages - ofQueue.length : null,
      oldest_queued_at: isoOrNull(oldest),
      oldest_seconds: oldest === null ? null : secondsSince(oldest, app.now()),
      ...consumptionOf(queue_name),
    };
  };
  const listed = () => (layout.complete ? namesOf(app, counts, consumers ?? []) : counts.map(nameOf));
  const names = named ? listed() : [null];
  const next = nextOf([...waiting.values()]);
  const stranded = fronts.flatMap(({ message }): StrandedMessage[] => {
    const { invocation_id: id } = message;
    if (without.has(id)) return [{ ...message, missing: "status" }];
    return undefinedIds.has(id) && !final.has(id) ? [{ ...message, missing: "definition" }] : [];
  });
  const messages_unread = counts.some(({ queue_name, messages }) => messages > 0 && !fullyRead.has(queue_name));
  return {
    messages: counts.reduce((sum, { messages }) => sum + messages, 0),
    queues: names.map(healthOf),
    ...layout,
    ...{ next, stranded, messages_unread },
    ...{ runners_known, unreachable: null },
  };
}

/** A broker outside of the store may be unreachable while everything else can be read. */
async function foundQueues(
  reads: AppReads,
): Promise<{ layout: QueueLayout; counts: QueueCount[] } | StoreUnreachableError> {
  try {
    const [layout, counts] = await Promise.all([reads.broker.layout(), reads.broker.queues()]);
    return { layout, counts };
  } catch (error) {
    if (error instanceof StoreUnreachableError) return error;
    throw error;
  }
}

/**
 * Reads messages from the front of each queue. Queues in `fullyRead` were read completely: all of them if there are few messages, otherwise the
 * shortest ones. For the others, only the first few messages are read, to find the next one.
 */
async function peekFronts(
  reads: AppReads,
  counts: readonly QueueCount[],
): Promise<{ fullyRead: ReadonlySet<string | null>; fronts: PositionedMessage[] }> {
  const total = counts.reduce((sum, { messages }) => sum + messages, 0);
  if (total <= MAX_SPLIT) {
    const messages = await reads.broker.peekMessages({ limit: MAX_SPLIT, offset: 0 });
    return { fullyRead: new Set(counts.map((one) => one.queue_name)), fronts: withPositions(messages) };
  }
  let left = MAX_SPLIT;
  const shortest = [...counts].sort((a, b) => a.messages - b.messages);
  const fullyRead = new Set<string | null>();
  for (const { queue_name, messages } of shortest.slice(0, MAX_QUEUES)) {
    if (messages > left) break;
    left -= messages;
    fullyRead.add(queue_name);
  }
  const others = counts.filter((one) => !fullyRead.has(one.queue_name)).slice(0, MAX_QUEUES);
  const fronts = await Promise.all(
    [
      ...[...fullyRead].map((name) => ({ name, limit: MAX_SPLIT })),
      ...others.map((one) => ({ name: one.queue_name, limit: FRONT })),
    ].map(({ name, limit }) => reads.broker.peekMessages({ limit, offset: 0 }, name ?? undefined)),
  );
  return { fullyRead, fronts: withPositions(fronts.flat()) };
}

/** Messages from the front of each queue in turn, with their positions. */
function withPositions(messages: readonly QueueMessage[]): PositionedMessage[] {
  const places = new Map<string | null, number>();
  return messages.map((message) => {
    const place = (places.get(message.queue_name) ?? 0) + 1;
    places.set(message.queue_name, place);
    return { message, place };
  });
}

const FRONT = 50;

function nextOf(waiting: readonly PositionedMessage[][]): Queues["next"] {
  const each = Math.max(1, Math.floor(NEXT / Math.max(1, waiting.length)));
  return waiting.slice(0, MAX_QUEUES).flatMap((ofQueue) => ofQueue.slice(0, each));
}

/** Splits out the final invocations, including those whose status is only in the history, and those without a status in the orchestrator. */
async function statusesOf(
  reads: AppReads,
  invocationIds: readonly string[],
): Promise<{ final: ReadonlySet<string>; without: ReadonlySet<string> }> {
  const ids = [...new Set(invocationIds)];
  const statuses = new Map((await reads.orchestrator.statusesByIds(ids)).map((row) => [row.invocation_id, row.status]));
  const without = ids.filter((id) => !statuses.has(id));
  const spans = await reads.state_backend.historySpanOf(without);
  const last = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
  const final = ids.filter((id) => statusInfo(knownStatus(statuses.get(id), last.get(id))).final);
  return { final: new Set(final), without: new Set(without) };
}

/** Number of messages whose definition is checked. A purge removes the definitions of all earlier messages, so it shows in the next ones to be taken. */
const DEFINITIONS_CHECKED = 50;

async function withoutDefinition(reads: AppReads, invocationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(invocationIds)].slice(0, DEFINITIONS_CHECKED);
  const { components } = await reads.layout.capabilities();
  if (ids.length === 0 || !components.state_backend) return new Set();
  const defined = await reads.state_backend.invocationsByIds(ids, 0);
  const known = new Set(defined.map(({ invocation_id }) => invocation_id));
  return new Set(ids.filter((id) => !known.has(id)));
}

function oldestOf(messages: readonly QueueMessage[]): EpochSeconds | null {
  const times = messages.flatMap((message) => message.queued_at ?? []);
  return times.length === 0 ? null : times.reduce((oldest, time) => Math.min(oldest, time));
}

function nameOf({ queue_name }: QueueCount): string {
  return queue_name ?? "";
}

/** Queues that are declared, stored or named by an active runner. Only used after all keys were scanned: before, a missing queue may not be empty. */
function namesOf(app: OpenedApp, counts: readonly QueueCount[], consumers: Consumers): string[] {
  const { names } = declaredQueues(app);
  const others = [...counts.map(nameOf), ...consumers.flatMap(({ queues }) => queues ?? [])];
  return [...new Set([...names, ...others.sort()])];
}
