import type { QueueMessage } from "../../../pynenc/records.ts";
import type { BrokerReads } from "../../ports/broker.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { julianInstant, number, numberOrNull, text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import { type AppTables, hasNamedQueues } from "../tables/tables.ts";

/** Waiting messages (storage-format.md 3.2). Reading is a plain SELECT and consumes nothing. */
export function brokerReads(handle: Queries, tables: AppTables): Sync<BrokerReads> {
  const exists = tables.has("broker", "message_queue");
  const named = hasNamedQueues(tables);
  const messages = tables.sql("broker", "message_queue");
  const columns = `invocation_id, created_at, ${named ? "queue_name, priority" : "NULL AS queue_name, NULL AS priority"}`;
  const order = named ? "queue_name, priority DESC, created_at, id" : "created_at, id";

  /** The condition on a queue. In layouts without named queues, no name matches. */
  function inQueue(queueName: string | undefined): { where: string; values: string[] } {
    if (queueName === undefined) return { where: "", values: [] };
    return named ? { where: "WHERE queue_name = ?", values: [queueName] } : { where: "WHERE 0", values: [] };
  }

  function message(row: Row): QueueMessage {
    return {
      invocation_id: text(row.invocation_id),
      queued_at: julianInstant(row.created_at),
      queue_name: named ? text(row.queue_name) : null,
      priority: named ? numberOrNull(row.priority) : null,
    };
  }

  return {
    layout: () => ({ named, complete: true, note: null }),

    countMessages(queueName) {
      if (!exists) return 0;
      const { where, values } = inQueue(queueName);
      return handle.number(`SELECT count(*) FROM ${messages} ${where}`, ...values);
    },

    queues() {
      if (!exists) return [];
      const group = named ? "GROUP BY queue_name ORDER BY queue_name" : "HAVING count(*) > 0";
      return handle
        .all(
          `SELECT ${named ? "queue_name" : "NULL AS queue_name"}, count(*) AS n, min(created_at) AS oldest FROM ${messages} ${group}`,
        )
        .map((row) => ({
          queue_name: named ? text(row.queue_name) : null,
          messages: number(row.n),
          oldest: julianInstant(row.oldest),
        }));
    },

    peekMessages({ limit, offset }, queueName) {
      if (!exists) return [];
      const { where, values } = inQueue(queueName);
      return handle
        .all(`SELECT ${columns} FROM ${messages} ${where} ORDER BY ${order} LIMIT ? OFFSET ?`, ...values, limit, offset)
        .map(message);
    },

    messagesOf(invocationIds) {
      if (!exists || invocationIds.length === 0) return [];
      // The id is not indexed, so the table is scanned once, whatever the number of ids. It is usually short, and a long one is still a single pass over a
      // narrow table.
      return handle
        .all(
          `SELECT ${columns} FROM ${messages} WHERE invocation_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
          JSON.stringify(invocationIds),
        )
        .map(message);
    },
  };
}
