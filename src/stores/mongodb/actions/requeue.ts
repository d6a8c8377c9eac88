/** Puts missing messages back into the queue, and changes nothing else. */
import type { Requeue, RequeueRequest } from "../../ports/actions.ts";
import { type RequeueFacts, requeueRefusal } from "../../requeue-rule.ts";
import { brokerReads } from "../broker/broker.ts";
import { text } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { statusReads } from "../orchestrator/status-records.ts";
import type { Changes } from "./changes.ts";
import { messagesOf } from "./messages.ts";

/** @throws StoreUnreachableError */
export async function requeue(
  reading: MongoReading,
  changes: Changes,
  invocationIds: readonly string[],
  { settled_until, enqueue = true, routing }: RequeueRequest,
): Promise<Requeue[]> {
  const messages = enqueue ? await messagesOf(reading, routing) : null;
  const known = await readFacts(reading, invocationIds, enqueue);
  const done = new Set<string>();
  const answers: Requeue[] = [];
  for (const invocation_id of invocationIds) {
    const { task, ...facts } = known.get(invocation_id) ?? { status: null, defined: false, queued: false, task: "" };
    // An id may occur twice in the list.
    const refusal = requeueRefusal({ ...facts, queued: facts.queued || done.has(invocation_id) }, settled_until);
    const route = messages?.routeOf(task) ?? null;
    const added =
      refusal === null &&
      (messages === null ||
        (await changes.insertMissing("broker", "messages", "invocation_id", messages.messageOf(invocation_id, route))));
    if (added) done.add(invocation_id);
    // Another monitor, or the runner that was slow, put it in meanwhile.
    answers.push({
      invocation_id,
      refusal: refusal ?? (added ? null : { kind: "queued" }),
      route: added ? route : null,
    });
  }
  return answers;
}

async function readFacts(
  reading: MongoReading,
  ids: readonly string[],
  queue: boolean,
): Promise<ReadonlyMap<string, RequeueFacts & { task: string }>> {
  const [statuses, definitions, messages] = await Promise.all([
    statusReads(reading).statusesByIds(ids),
    findIn(reading.of("state_backend", "invocations"), "invocation_id", ids, { only: { invocation_id: 1 } }),
    queue ? brokerReads(reading).messagesOf(ids) : [],
  ]);
  const statusOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const defined = new Set(definitions.map(({ invocation_id }) => text(invocation_id)));
  const queued = new Set(messages.map(({ invocation_id }) => invocation_id));
  return new Map(
    ids.map((id) => {
      const row = statusOf.get(id);
      const status = row === undefined ? null : { word: row.status, since: row.status_timestamp };
      return [id, { status, defined: defined.has(id), queued: queued.has(id), task: row?.task_id_key ?? "" }];
    }),
  );
}
