import type { BrokerReads } from "../../../src/stores/ports/broker.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { type MemoryRows, ofAny, sliceOf, sortedBy, unique } from "./rows.ts";

export function brokerReads({ messages, queue_layout }: MemoryRows): Sync<BrokerReads> {
  const inQueue = (queueName: string | undefined) =>
    messages.filter((message) => queueName === undefined || message.queue_name === queueName);
  return {
    layout: () => queue_layout,
    countMessages: (queueName) => inQueue(queueName).length,
    queues: () =>
      unique(messages.map((message) => message.queue_name ?? ""))
        .sort()
        .map((name) => {
          const ofQueue = messages.filter((message) => (message.queue_name ?? "") === name);
          const times = ofQueue.flatMap((message) => message.queued_at ?? []);
          return {
            queue_name: ofQueue[0]?.queue_name ?? null,
            messages: ofQueue.length,
            oldest: times.length === 0 ? null : Math.min(...times),
          };
        }),
    peekMessages: (slice, queueName) =>
      sliceOf(
        sortedBy(
          inQueue(queueName),
          (message) => message.queue_name ?? "",
          (message) => -(message.priority ?? 0),
          (message) => message.queued_at ?? 0,
        ),
        slice,
      ),
    messagesOf: (ids) => messages.filter(ofAny(ids)),
  };
}
