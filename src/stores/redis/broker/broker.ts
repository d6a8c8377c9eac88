import type { QueueMessage } from "../../../pynenc/records.ts";
import type { BrokerReads, QueueCount } from "../../ports/broker.ts";
import { OLD_QUEUE, type QueueKey, type QueueKeys } from "../keys/queue-keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import { messagesAmong, messagesFrom, type StoredMessage } from "./messages.ts";

/** Waiting messages (storage-format.md 9.2, 9.6). Reading never consumes them. Redis does not store when a message was enqueued. */
export function brokerReads(reading: RedisReading): BrokerReads {
  const db = reading.db("broker");

  async function queuesNamed(queueName: string | undefined): Promise<QueueKey[]> {
    const { queues } = await reading.queues();
    // Before 0.4 the single queue has no name, so no name matches it.
    return queues.filter(({ name }) => queueName === undefined || name === queueName);
  }

  return {
    async layout() {
      const found = await reading.queues();
      return { named: found.named, complete: found.complete, note: noteOn(found) };
    },

    async countMessages(queueName) {
      return (await queuesNamed(queueName)).reduce((sum, { messages }) => sum + messages, 0);
    },

    async queues() {
      const counts = new Map<string | null, QueueCount>();
      for (const { name: queue_name, messages } of await queuesNamed(undefined)) {
        if (messages === 0) continue;
        const before = counts.get(queue_name)?.messages ?? 0;
        counts.set(queue_name, { queue_name, messages: before + messages, oldest: null });
      }
      return [...counts.values()];
    },

    async peekMessages(slice, queueName) {
      return (await messagesFrom(db, await queuesNamed(queueName), slice)).map(record);
    },

    async messagesOf(invocationIds) {
      return (await messagesAmong(db, await queuesNamed(undefined), invocationIds)).map(record);
    },
  };
}

function record({ queue, invocation_id, priority }: StoredMessage): QueueMessage {
  return { invocation_id, queued_at: null, queue_name: queue.name, priority };
}

function noteOn({ named, complete, queues }: QueueKeys): string | null {
  const sentences = [
    ...(named
      ? [
          "Provisional: no released version of pynenc_redis has named queues yet, so their keys are recognised by their content.",
        ]
      : []),
    ...(named && queues.some(({ type }) => type === "list")
      ? [`${OLD_QUEUE} is the list of pynenc before 0.4: runners of 0.4 take nothing from it.`]
      : []),
    ...(complete ? [] : ["The keys of this server are still being scanned: there may be more queues."]),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}
