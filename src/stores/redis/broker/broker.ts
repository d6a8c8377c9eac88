import type { BrokerReads } from "../../ports.ts";
import type { RedisReading } from "../keys/reading.ts";
import { textsOf } from "../server/db.ts";

/** Messages that are read in one step while the queue is searched. */
const STEP = 10_000;

/** Up to so many ids the server searches the queue itself, once for each. */
const FEW_IDS = 20;

/** The message queue (storage-format.md 9.2): a list, taken from its head. Reading never takes anything. When a message came is not kept. */
export function brokerReads(reading: RedisReading): BrokerReads {
  const db = reading.db("broker");
  const queue = reading.keys.key("broker", "default_queue");
  return {
    // A list has no name: nothing is in a queue of any name.
    countMessages: async (queueName) => (queueName === undefined ? db.number("LLEN", queue) : 0),

    async queues() {
      const messages = await db.number("LLEN", queue);
      return messages === 0 ? [] : [{ queue_name: null, messages, oldest: null }];
    },

    async peekMessages({ limit, offset }, queueName) {
      if (limit <= 0 || queueName !== undefined) return [];
      const ids = await db.texts("LRANGE", queue, String(offset), String(offset + limit - 1));
      return ids.map((invocation_id) => ({ invocation_id, queued_at: null, queue_name: null, priority: null }));
    },

    async messagesOf(invocationIds) {
      return (await this.queuedAmong(invocationIds)).map((invocation_id) => ({
        invocation_id,
        queued_at: null,
        queue_name: null,
        priority: null,
      }));
    },

    async queuedAmong(invocationIds) {
      const wanted = new Set(invocationIds);
      const length = wanted.size === 0 ? 0 : await db.number("LLEN", queue);
      if (length > STEP && wanted.size <= FEW_IDS) {
        const ids = [...wanted];
        const places = await db.exchange(ids.map((id) => ["LPOS", queue, id]));
        return ids.filter((_, i) => places[i] !== null);
      }
      const found = new Set<string>();
      for (let start = 0; start < length && found.size < wanted.size; start += STEP) {
        const ids = textsOf(await db.ask("LRANGE", queue, String(start), String(start + STEP - 1)));
        for (const id of ids) if (wanted.has(id)) found.add(id);
      }
      return [...found];
    },
  };
}
