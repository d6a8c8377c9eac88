import { messagesFrom, type StoredMessage } from "../broker/messages.ts";
import type { RedisReading } from "../keys/reading.ts";

/** Limit of messages checked. Right after a purge there are only those added since. */
const MAX_MESSAGES = 10_000;

/**
 * Messages whose invocation has no status or no definition. Messages are read before the records: pynenc writes records first, so a record that is
 * missing then never existed or was removed.
 */
export async function messagesWithoutRecords(reading: RedisReading): Promise<StoredMessage[]> {
  const { keys } = reading;
  const { queues } = await reading.queues();
  const messages = await messagesFrom(reading.db("broker"), queues, { limit: MAX_MESSAGES, offset: 0 });
  const ids = [...new Set(messages.map(({ invocation_id }) => invocation_id))];
  const statusKey = (id: string) => keys.key("orchestrator", "invocation_status", id);
  const definitionKey = (id: string) => keys.key("state_backend", "invocation", id);
  const [statuses, definitions] = await Promise.all([
    reading.db("orchestrator").existing(ids.map(statusKey)),
    reading.db("state_backend").existing(ids.map(definitionKey)),
  ]);
  const [withStatus, defined] = [new Set(statuses), new Set(definitions)];
  return messages.filter(({ invocation_id: id }) => !withStatus.has(statusKey(id)) || !defined.has(definitionKey(id)));
}

/** Removes these messages. @param beforeStep called before something is deleted. */
export async function sweepQueue(reading: RedisReading, beforeStep: () => void): Promise<number> {
  const messages = await messagesWithoutRecords(reading);
  if (messages.length === 0) return 0;
  const members = new Map(messages.map((message) => [`${message.queue.key} ${message.member}`, message]));
  beforeStep();
  const removed = await reading
    .db("broker")
    .transaction(
      [...members.values()].map(({ queue: { key, type }, member }) =>
        type === "list" ? ["LREM", key, "0", member] : ["ZREM", key, member],
      ),
    );
  return removed.reduce<number>((sum, count) => sum + Number(count ?? 0), 0);
}
