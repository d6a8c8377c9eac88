/** Puts missing messages back into the queue, and changes nothing else. */
import type { Requeue, RequeueRequest } from "../../ports/actions.ts";
import { requeueRefusal } from "../../requeue-rule.ts";
import { brokerReads } from "../broker/broker.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { text } from "../tables/columns.ts";
import type { Access } from "./changes.ts";
import { messagesOf } from "./messages.ts";
import { assertTables, type NeededTable } from "./needed-tables.ts";

const NEEDED: readonly NeededTable[] = [
  { component: "state_backend", table: "invocations" },
  { component: "orchestrator", table: "invocations" },
];

const QUEUE: NeededTable = { component: "broker", table: "message_queue" };

/** @throws RefusedError if an involved component is in another store. */
export function requeue(
  access: Access,
  invocationIds: readonly string[],
  { settled_until, at = null, enqueue = true, routing }: RequeueRequest,
): Requeue[] {
  assertTables(access, enqueue ? [...NEEDED, QUEUE] : NEEDED, "No message was put into the queue");
  const [broker, orchestrator, state] = [access("broker"), access("orchestrator"), access("state_backend")];
  const statuses = new Map(
    orchestratorReads(orchestrator.changes, orchestrator.tables)
      .statusesByIds(invocationIds)
      .map((row) => [row.invocation_id, row]),
  );
  const defined = new Set(
    state.changes
      .all(
        `SELECT invocation_id FROM ${state.tables.sql("state_backend", "invocations")}
         WHERE invocation_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(invocationIds),
      )
      .map((row) => text(row.invocation_id)),
  );
  const present = enqueue ? brokerReads(broker.changes, broker.tables).messagesOf(invocationIds) : [];
  const queued = new Set(present.map((message) => message.invocation_id));
  const messages = enqueue ? messagesOf(access, routing, at) : null;
  return invocationIds.map((invocation_id): Requeue => {
    const status = statuses.get(invocation_id);
    const facts = {
      status: status === undefined ? null : { word: status.status, since: status.status_timestamp },
      defined: defined.has(invocation_id),
      queued: queued.has(invocation_id),
    };
    const refusal = requeueRefusal(facts, settled_until);
    if (refusal !== null) return { invocation_id, refusal, route: null };
    // An id may occur twice in the list.
    queued.add(invocation_id);
    const route = messages?.routeOf(status?.task_id_key ?? "") ?? null;
    messages?.add(invocation_id, route);
    return { invocation_id, refusal: null, route };
  });
}
