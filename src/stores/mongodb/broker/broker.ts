import type { QueueMessage } from "../../../pynenc/records.ts";
import type { BrokerReads, QueueCount } from "../../ports/broker.ts";
import { instantOrNull, number, numberOrNull, text, textOrNull } from "../collections/fields.ts";
import { hasNamedQueues } from "../collections/named-queues.ts";
import { findIn, GROUPS } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter, Sort } from "../server/db.ts";

/** By the index that the plugin has: messages of one millisecond follow in the order in which they were written. */
const OLDEST_FIRST: Sort = { created_at: 1 };

/** Waiting messages. Reading never consumes them. */
export function brokerReads(reading: MongoReading): BrokerReads {
  const messages = reading.of("broker", "messages");

  return {
    async layout() {
      const named = await reading.once(hasNamedQueues);
      const unnamed = named ? await messages.count(UNNAMED) : 0;
      return { named, complete: true, note: unnamed === 0 ? null : noteOn(unnamed) };
    },

    countMessages: (queueName) => messages.count(inQueue(queueName)),

    async queues() {
      // A server knows how many documents a collection has; those of each queue it has to count.
      const groups = (await reading.once(hasNamedQueues))
        ? await messages.aggregate([{ $group: { _id: "$queue_name", n: { $sum: 1 } } }], GROUPS)
        : [{ _id: null, n: await messages.count({}) }].filter(({ n }) => n > 0);
      const counts = await Promise.all(
        groups.map(async ({ _id, n }): Promise<QueueCount> => {
          const oldest = await messages.findOne(
            { queue_name: _id ?? null },
            { sort: { created_at: 1 }, only: { created_at: 1 } },
          );
          return { queue_name: textOrNull(_id), messages: number(n), oldest: instantOrNull(oldest?.created_at) };
        }),
      );
      return counts.sort((a, b) => ((a.queue_name ?? "") < (b.queue_name ?? "") ? -1 : 1));
    },

    async peekMessages({ limit, offset }, queueName) {
      const sort: Sort = (await reading.once(hasNamedQueues))
        ? { queue_name: 1, priority: -1, created_at: 1, _id: 1 }
        : OLDEST_FIRST;
      return (await messages.find(inQueue(queueName), { sort, skip: offset, limit })).map(message);
    },

    // No index has the invocations of messages: all that wait are walked over, each a few bytes. Services ask it of short queues, or of one invocation.
    async messagesOf(invocationIds) {
      const found = await findIn(messages, "invocation_id", invocationIds, { sort: OLDEST_FIRST });
      return found.map(message);
    },
  };
}

/** Those of pynenc before 0.4, in a collection that has named queues since. */
const UNNAMED: Filter = { queue_name: null };

/** In layouts without named queues, no name matches. */
function inQueue(queueName: string | undefined): Filter {
  return queueName === undefined ? {} : { queue_name: queueName };
}

function message(stored: Document): QueueMessage {
  return {
    invocation_id: text(stored.invocation_id),
    queued_at: instantOrNull(stored.created_at),
    queue_name: textOrNull(stored.queue_name),
    priority: numberOrNull(stored.priority),
  };
}

function noteOn(unnamed: number): string {
  const [messages, them] = unnamed === 1 ? ["1 message has", "it"] : [`${unnamed} messages have`, "them"];
  return `${messages} no queue: pynenc before 0.4 wrote ${them}, and runners of 0.4 never take ${them}.`;
}
