/** Puts messages back into the queue: one item of its list for each, and nothing else. */
import { parseStatus } from "../../../pynenc/json-records.ts";
import type { Requeue, RequeueRefusal, RequeueRequest } from "../../ports.ts";
import { type RequeueFacts, requeueRefusal } from "../../requeue-rule.ts";
import { brokerReads } from "../broker/broker.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command, Reply } from "../server/connection.ts";
import type { Changes } from "./changes.ts";

/** What is known of an invocation, with the text of its status as it is stored: null where there is none. */
interface Known extends RequeueFacts {
  text: string | null;
}

/**
 * Runs on the server, with nobody else's command in between. KEYS: the queue and, where the same server keeps them, the invocation's status
 * and definition. ARGV: the invocation and the text of the status that it was judged by.
 */
const APPEND_IF_LOST = `
if KEYS[2] and redis.call('GET', KEYS[2]) ~= ARGV[2] then return 'changed' end
if KEYS[3] and redis.call('EXISTS', KEYS[3]) == 0 then return 'undefined' end
if redis.call('LPOS', KEYS[1], ARGV[1]) then return 'queued' end
redis.call('RPUSH', KEYS[1], ARGV[1])
return 'appended'`;

/** @throws StoreUnreachableError; RefusedError on a replica. */
export async function requeue(
  reading: RedisReading,
  changes: Changes,
  invocationIds: readonly string[],
  { settled_until, enqueue = true }: RequeueRequest,
): Promise<Requeue[]> {
  const known = await lookAt(reading, invocationIds, enqueue);
  const refusals = new Map([...known].map(([id, facts]) => [id, requeueRefusal(facts, settled_until)]));
  const lost = [...known].filter(([id]) => refusals.get(id) === null);
  const scripts = lost.map(([id, { text }]) => appendIfLost(reading, id, text ?? ""));
  const answers = enqueue ? await changes.attempt("broker", scripts) : [];
  for (const [i, answer] of answers.entries()) refusals.set(lost[i]?.[0] ?? "", meanwhile(answer));
  return invocationIds.map((invocation_id): Requeue => {
    const refusal = refusals.get(invocation_id) ?? null;
    // An id may be named twice.
    if (refusal === null) refusals.set(invocation_id, { kind: "queued" });
    return { invocation_id, refusal, route: null };
  });
}

/** What happened between looking and writing kept the script from writing. */
function meanwhile(answer: Reply): RequeueRefusal | null {
  switch (answer) {
    case "changed":
      return { kind: "unsettled", since: Date.now() / 1000 };
    case "undefined":
      return { kind: "without_records", missing: "definition" };
    case "queued":
      return { kind: "queued" };
    default:
      return null;
  }
}

async function lookAt(reading: RedisReading, ids: readonly string[], queue: boolean): Promise<Map<string, Known>> {
  const { keys } = reading;
  const definitionKey = (id: string) => keys.key("state_backend", "invocation", id);
  const [texts, definitions, messages] = await Promise.all([
    reading.db("orchestrator").strings(ids.map((id) => keys.key("orchestrator", "invocation_status", id))),
    reading.db("state_backend").existing(ids.map(definitionKey)),
    queue ? brokerReads(reading).queuedAmong(ids) : [],
  ]);
  const [defined, queued] = [new Set(definitions), new Set(messages)];
  return new Map(
    ids.map((id, i): [string, Known] => {
      const text = texts[i] ?? null;
      const status = text === null ? null : parseStatus(text);
      return [
        id,
        {
          text,
          status: status === null ? null : { word: status.status, since: status.timestamp },
          defined: defined.has(definitionKey(id)),
          queued: queued.has(id),
        },
      ];
    }),
  );
}

function appendIfLost(reading: RedisReading, id: string, statusText: string): Command {
  const { keys } = reading;
  const broker = reading.db("broker");
  const beside = ["orchestrator", "state_backend"] as const;
  const found = beside.every((component) => reading.db(component).sameServer(broker))
    ? [keys.key("orchestrator", "invocation_status", id), keys.key("state_backend", "invocation", id)]
    : [];
  const scriptKeys = [keys.key("broker", "default_queue"), ...found];
  return ["EVAL", APPEND_IF_LOST, String(scriptKeys.length), ...scriptKeys, id, statusText];
}
