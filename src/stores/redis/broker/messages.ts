/** Reads messages from lists and sorted sets. */
import type { Slice } from "../../ports/common.ts";
import { globEscape } from "../keys/keys.ts";
import type { QueueKey } from "../keys/queue-keys.ts";
import type { Reply } from "../server/connection.ts";
import { numberOf, type RedisDb, scoredOf, textsOf } from "../server/db.ts";

export interface StoredMessage {
  queue: QueueKey;
  /** The stored member. */
  member: string;
  invocation_id: string;
  priority: number | null;
}

/** Messages read per step while searching a queue. */
const STEP = 10_000;

/** Up to this many ids the server searches, with one command per id. */
const FEW_IDS = 20;

/** A slice of all messages: queue by queue, in the order they are taken. */
export async function messagesFrom(
  db: RedisDb,
  queues: readonly QueueKey[],
  { limit, offset }: Slice,
): Promise<StoredMessage[]> {
  const parts: { queue: QueueKey; start: number; end: number }[] = [];
  let before = 0;
  for (const queue of queues) {
    const start = Math.max(0, offset - before);
    const end = Math.min(queue.messages, offset + limit - before);
    if (start < end) parts.push({ queue, start, end });
    before += queue.messages;
  }
  const replies = await db.exchange(
    parts.map(({ queue: { key, type }, start, end }) =>
      type === "list"
        ? ["LRANGE", key, String(start), String(end - 1)]
        : // At equal priority the greatest member, which is the oldest message, comes first.
          ["ZREVRANGE", key, String(start), String(end - 1), "WITHSCORES"],
    ),
  );
  return parts.flatMap(({ queue }, i) => messagesIn(queue, replies[i]));
}

/** Messages of these invocations in the order they were enqueued. Those of a list come first, one per invocation. */
export async function messagesAmong(
  db: RedisDb,
  queues: readonly QueueKey[],
  invocationIds: readonly string[],
): Promise<StoredMessage[]> {
  const wanted = new Set(invocationIds);
  if (wanted.size === 0) return [];
  const found = queues.map((queue) =>
    queue.type === "list" ? amongList(db, queue, wanted) : amongSortedSet(db, queue, wanted),
  );
  return (await Promise.all(found)).flat().sort(byNumber);
}

/** Newer messages have smaller numbers. */
function byNumber(a: StoredMessage, b: StoredMessage): number {
  if (a.queue.type !== "zset" || b.queue.type !== "zset") return a.queue.type < b.queue.type ? -1 : 0;
  return a.member < b.member ? 1 : -1;
}

async function amongList(db: RedisDb, queue: QueueKey, wanted: ReadonlySet<string>): Promise<StoredMessage[]> {
  const { key, messages: length } = queue;
  const message = (id: string) => ({ queue, member: id, invocation_id: id, priority: null });
  if (length > STEP && wanted.size <= FEW_IDS) {
    const ids = [...wanted];
    const positions = await db.exchange(ids.map((id) => ["LPOS", key, id]));
    return ids.filter((_, i) => positions[i] !== null).map(message);
  }
  const found = new Set<string>();
  for (let start = 0; start < length && found.size < wanted.size; start += STEP) {
    const ids = textsOf(await db.ask("LRANGE", key, String(start), String(start + STEP - 1)));
    for (const id of ids) if (wanted.has(id)) found.add(id);
  }
  return [...found].map(message);
}

/** SCAN does not miss messages that stay in the queue while others are taken. */
async function amongSortedSet(db: RedisDb, queue: QueueKey, wanted: ReadonlySet<string>): Promise<StoredMessage[]> {
  const found = new Map<string, StoredMessage>();
  const [only] = wanted;
  const match = wanted.size === 1 && only !== undefined ? ["MATCH", `*:${globEscape(only)}`] : [];
  let cursor = "0";
  do {
    const reply = await db.ask("ZSCAN", queue.key, cursor, ...match, "COUNT", String(STEP));
    const [next, members] = Array.isArray(reply) ? reply : ["0", null];
    for (const message of messagesIn(queue, members))
      if (wanted.has(message.invocation_id)) found.set(message.member, message);
    cursor = String(next);
  } while (cursor !== "0");
  return [...found.values()];
}

/** @param reply items of a list, or members with their scores. */
function messagesIn(queue: QueueKey, reply: Reply | undefined): StoredMessage[] {
  if (queue.type === "list")
    return textsOf(reply).map((id) => ({ queue, member: id, invocation_id: id, priority: null }));
  return scoredOf(reply).map(({ member, score }) => ({
    queue,
    member,
    invocation_id: member.slice(member.indexOf(":") + 1),
    priority: numberOf(score),
  }));
}
