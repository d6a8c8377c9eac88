/** Puts messages back into the queue: their rows and no others. */
import { julianDayFromEpoch } from "../../pynenc/time.ts";
import type { Requeue, RequeueRequest } from "../ports.ts";
import { requeueRefusal } from "../requeue-rule.ts";
import { brokerReads } from "./broker.ts";
import type { Access } from "./changes.ts";
import { text } from "./columns.ts";
import { assertTables, type NeededTable } from "./needed-tables.ts";
import { orchestratorReads } from "./orchestrator.ts";

const NEEDED: readonly NeededTable[] = [
  { component: "state_backend", table: "invocations" },
  { component: "orchestrator", table: "invocations" },
];

const QUEUE: NeededTable = { component: "broker", table: "message_queue" };

/** @throws RefusedError when a component that takes part is kept elsewhere. */
export function requeue(
  access: Access,
  invocationIds: readonly string[],
  { settled_until, enqueue = true }: RequeueRequest,
): Requeue[] {
  assertTables(access, enqueue ? [...NEEDED, QUEUE] : NEEDED, "No message was put into the queue");
  const [broker, orchestrator, state] = [access("broker"), access("orchestrator"), access("state_backend")];
  const statuses = new Map(
    orchestratorReads(orchestrator.changes, orchestrator.tables)
      .statusesByIds(invocationIds)
      .map((row) => [row.invocation_id, { word: row.status, since: row.status_timestamp }]),
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
  const queued = new Set(enqueue ? brokerReads(broker.changes, broker.tables).queuedAmong(invocationIds) : []);
  return invocationIds.map((invocation_id): Requeue => {
    const facts = {
      status: statuses.get(invocation_id) ?? null,
      defined: defined.has(invocation_id),
      queued: queued.has(invocation_id),
    };
    const refusal = requeueRefusal(facts, settled_until);
    if (refusal !== null) return { invocation_id, refusal };
    // An id may be named twice.
    queued.add(invocation_id);
    if (enqueue) {
      broker.changes.insert(broker.tables.sql("broker", "message_queue"), {
        invocation_id,
        created_at: julianDayFromEpoch(Date.now() / 1000),
      });
    }
    return { invocation_id, refusal: null };
  });
}
