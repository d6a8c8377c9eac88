/** Puts missing messages back into the queue, and changes nothing else. */
import { parseStatus } from "../../../pynenc/json-records.ts";
import type { Requeue, RequeueRefusal, RequeueRequest } from "../../ports/actions.ts";
import { type RequeueFacts, requeueRefusal } from "../../requeue-rule.ts";
import { brokerReads } from "../broker/broker.ts";
import type { RedisReading } from "../keys/reading.ts";
import { calledTasks } from "../orchestrator/status-records.ts";
import type { Reply } from "../server/connection.ts";
import type { Changes } from "./changes.ts";
import { type AddConditions, messagesOf } from "./messages.ts";

/** Facts about an invocation, with its stored status text, or null if there is none. */
interface Known extends RequeueFacts {
  text: string | null;
  /** Empty if not known. */
  task: string;
}

/** @throws StoreUnreachableError; RefusedError on a replica. */
export async function requeue(
  reading: RedisReading,
  changes: Changes,
  invocationIds: readonly string[],
  { settled_until, enqueue = true, routing }: RequeueRequest,
): Promise<Requeue[]> {
  // Must precede the search of the queues.
  const messages = enqueue ? await messagesOf(reading, routing, "No message was put into the queue") : null;
  const known = await readFacts(reading, invocationIds, enqueue);
  const refusals = new Map([...known].map(([id, facts]) => [id, requeueRefusal(facts, settled_until)]));
  const lost = [...known].filter(([id]) => refusals.get(id) === null);
  const routeOf = (id: string) => messages?.routeOf(known.get(id)?.task ?? "") ?? null;
  const scripts = lost.flatMap(([id, { text }]) =>
    messages === null
      ? []
      : [
          messages.addIfMissing(
            { invocation_id: id, route: routeOf(id) },
            { records: recordsOf(reading, id, text ?? "") },
          ),
        ],
  );
  const answers = await changes.attempt("broker", scripts);
  for (const [i, answer] of answers.entries()) refusals.set(lost[i]?.[0] ?? "", refusalFor(answer));
  return invocationIds.map((invocation_id): Requeue => {
    const refusal = refusals.get(invocation_id) ?? null;
    // An id may occur twice in the list.
    if (refusal === null) refusals.set(invocation_id, { kind: "queued" });
    return { invocation_id, refusal, route: refusal === null ? routeOf(invocation_id) : null };
  });
}

/** Converts the script's reply if something changed between reading and writing. */
function refusalFor(answer: Reply): RequeueRefusal | null {
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

async function readFacts(reading: RedisReading, ids: readonly string[], queue: boolean): Promise<Map<string, Known>> {
  const { keys } = reading;
  const definitionKey = (id: string) => keys.key("state_backend", "invocation", id);
  const [texts, definitions, tasks, messages] = await Promise.all([
    reading.db("orchestrator").strings(ids.map((id) => keys.key("orchestrator", "invocation_status", id))),
    reading.db("state_backend").existing(ids.map(definitionKey)),
    calledTasks(reading, ids),
    queue ? brokerReads(reading).messagesOf(ids) : [],
  ]);
  const [defined, queued] = [new Set(definitions), new Set(messages.map((message) => message.invocation_id))];
  return new Map(
    ids.map((id, i): [string, Known] => {
      const text = texts[i] ?? null;
      const status = text === null ? null : parseStatus(text);
      return [
        id,
        {
          text,
          task: tasks[i]?.task_id_key ?? "",
          status: status === null ? null : { word: status.status, since: status.timestamp },
          defined: defined.has(definitionKey(id)),
          queued: queued.has(id),
        },
      ];
    }),
  );
}

/** If the same server keeps the records, the script checks them again. */
function recordsOf(reading: RedisReading, id: string, statusText: string): AddConditions["records"] {
  const broker = reading.db("broker");
  const components = ["orchestrator", "state_backend"] as const;
  if (!components.every((component) => reading.db(component).sameServer(broker))) return null;
  const { keys } = reading;
  return {
    status: keys.key("orchestrator", "invocation_status", id),
    statusText,
    definition: keys.key("state_backend", "invocation", id),
  };
}
