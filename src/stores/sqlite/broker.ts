import type { QueueMessage } from "../../pynenc/records.ts";
import type { BrokerReads, Slice } from "../ports.ts";
import { julianInstant, text } from "./columns.ts";
import type { Queries } from "./queries.ts";
import type { Sync } from "./sync.ts";
import type { AppTables } from "./tables.ts";

/** The message queue (storage.md 3.2). Reading is a plain SELECT: nothing is ever taken from the queue. */
export function brokerReads(handle: Queries, tables: AppTables): Sync<BrokerReads> {
  const exists = tables.has("broker", "message_queue");
  const queue = tables.sql("broker", "message_queue");
  return {
    countMessages: () => (exists ? handle.number(`SELECT count(*) FROM ${queue}`) : 0),

    peekMessages({ limit, offset }: Slice): QueueMessage[] {
      if (!exists) return [];
      return handle
        .all(`SELECT invocation_id, created_at FROM ${queue} ORDER BY created_at, id LIMIT ? OFFSET ?`, limit, offset)
        .map((row) => ({ invocation_id: text(row.invocation_id), queued_at: julianInstant(row.created_at) }));
    },

    queuedAmong(invocationIds) {
      if (!exists || invocationIds.length === 0) return [];
      // The queue has no index on the id, so it is walked once whatever the number of ids; it is short by nature, and a long one is
      // still a single pass over a narrow table.
      return handle
        .all(
          `SELECT DISTINCT invocation_id FROM ${queue} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map((row) => text(row.invocation_id));
    },
  };
}
