/** Enqueues messages in the app's queue format (storage-format.md 9.2, 9.6). */
import { quote, RefusedError } from "../../../errors.ts";
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../ports/actions.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";

/** A message and its destination; `route` is null in layouts with a single unnamed queue. */
export interface NewMessage {
  invocation_id: string;
  route: MessageRoute | null;
}

/** Conditions checked again on the server before a message is added. */
export interface AddConditions {
  /** Key of the status, the text it must have, and key of the definition, which must exist; null if another server keeps them. */
  records: { status: string; statusText: string; definition: string } | null;
}

export interface Messages {
  /** Where a message of this task goes; null in layouts with a single unnamed queue. */
  routeOf(task: string): MessageRoute | null;
  /** One command that adds all messages in this order; needs at least one. */
  add(messages: readonly NewMessage[]): Command;
  /** A script that adds a message if the conditions hold; it returns `added`, `changed`, `undefined` or `queued`. */
  addIfMissing(message: NewMessage, conditions: AddConditions): Command;
}

/**
 * The member of message number `n` (decimal text) plus `more`: 2^63-1 minus that number, in 19 digits. Computed in two halves because Lua numbers
 * have 53 bits.
 */
const MEMBER = `
local function member(n, more, id)
  n = string.rep('0', 19 - #n) .. n
  local high, low = 9223372036 - tonumber(n:sub(1, 10)), 854775807 - tonumber(n:sub(11)) - more
  while low < 0 do high, low = high - 1, low + 1000000000 end
  return string.format('%010.0f%09.0f:%s', high, low, id)
end
local function add(counter, queue, priority, id)
  redis.call('INCR', counter)
  redis.call('ZADD', queue, priority, member(redis.call('GET', counter), 0, id))
end`;

/** KEYS: the counter, and the queue of each message. ARGV: priority and invocation of each. */
const ADD = `${MEMBER}
for i = 2, #KEYS do add(KEYS[1], KEYS[i], ARGV[2 * i - 3], ARGV[2 * i - 2]) end
return 'added'`;

/** KEYS: keys of the queue and, if the same server keeps them, status and definition. ARGV: the invocation, the text of its status. */
const RECORDS = (status: string, definition: string) => `
if ${status} and redis.call('GET', ${status}) ~= ARGV[2] then return 'changed' end
if ${definition} and redis.call('EXISTS', ${definition}) == 0 then return 'undefined' end`;

/** KEYS: the list, status and definition. */
const APPEND_IF_MISSING = `${RECORDS("KEYS[2]", "KEYS[3]")}
if redis.call('LPOS', KEYS[1], ARGV[1]) then return 'queued' end
redis.call('RPUSH', KEYS[1], ARGV[1])
return 'added'`;

/** Limit of messages added since the queues were searched. */
const MAX_LATER = 100_000;

/**
 * KEYS: the counter, the queue of the message, all other queues, then status and definition. ARGV: invocation, text of the status, priority, the
 * number of queues, and the counter when the queues were searched. Only later messages are checked, by their number.
 */
const ADD_IF_MISSING = `${MEMBER}
local queues = tonumber(ARGV[4])
${RECORDS("KEYS[queues + 2]", "KEYS[queues + 3]")}
local before, now = ARGV[5], redis.call('GET', KEYS[1]) or '0'
local later = 1
while later <= ${MAX_LATER} and member(before, later, '') >= member(now, 0, '') do
  for i = 2, queues + 1 do
    if redis.call('ZSCORE', KEYS[i], member(before, later, ARGV[1])) then return 'queued' end
  end
  later = later + 1
end
if later > ${MAX_LATER} then return 'changed' end
add(KEYS[1], KEYS[2], ARGV[3], ARGV[1])
return 'added'`;

/**
 * Call it before the queues are searched.
 *
 * @param unchanged start of the refusal message: `Nothing was registered`.
 * @throws RefusedError if it is not known how to enqueue a message; StoreUnreachableError.
 */
export async function messagesOf(
  reading: RedisReading,
  { tasks, fallback }: Routing = DEFAULT_ROUTING,
  unchanged: string,
): Promise<Messages> {
  const found = await reading.queues();
  const { writing } = found;
  if ("unknown" in writing) {
    throw new RefusedError(`${unchanged}: ${writing.unknown} (queues of pynenc 0.4 in Redis).`, null, 409);
  }
  if ("list" in writing) return listMessages(writing.list);
  // A task may have the name of a member of Object.prototype.
  const routeOf = (task: string) => (Object.hasOwn(tasks, task) ? tasks[task] : undefined) ?? fallback;
  const { counter, head } = writing;
  const queueOf = (route: MessageRoute | null) => `${head}${(route ?? fallback).queue_name}`;
  const targets = [...new Set([fallback, ...Object.values(tasks)].map(queueOf))];
  const [at, ...types] = await reading
    .db("broker")
    .exchange([["GET", counter], ...targets.map((key) => ["TYPE", key])]);
  const wrongType = targets.find((_, i) => types[i] !== "zset" && types[i] !== "none");
  if (wrongType !== undefined)
    throw new RefusedError(`${unchanged}: the key ${quote(wrongType)} is not a queue.`, null, 409);
  const others = found.queues.filter(({ type }) => type === "zset").map(({ key }) => key);
  return {
    routeOf,
    add: (messages) => [
      ...["EVAL", ADD, String(messages.length + 1), counter, ...messages.map(({ route }) => queueOf(route))],
      ...messages.flatMap(({ invocation_id, route }) => [String((route ?? fallback).priority), invocation_id]),
    ],
    addIfMissing({ invocation_id, route }, { records }) {
      const queues = [...new Set([queueOf(route), ...others])];
      const keys = [counter, ...queues, ...(records === null ? [] : [records.status, records.definition])];
      return [
        ...["EVAL", ADD_IF_MISSING, String(keys.length), ...keys, invocation_id, records?.statusText ?? ""],
        ...[String((route ?? fallback).priority), String(queues.length), typeof at === "string" ? at : "0"],
      ];
    },
  };
}

function listMessages(list: string): Messages {
  return {
    routeOf: () => null,
    add: (messages) => ["RPUSH", list, ...messages.map(({ invocation_id }) => invocation_id)],
    addIfMissing({ invocation_id }, { records }) {
      const keys = [list, ...(records === null ? [] : [records.status, records.definition])];
      return ["EVAL", APPEND_IF_MISSING, String(keys.length), ...keys, invocation_id, records?.statusText ?? ""];
    },
  };
}
