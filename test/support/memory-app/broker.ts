import type { BrokerReads } from "../../../src/stores/ports.ts";
import type { Sync } from "../../../src/stores/sqlite/sync.ts";
import { type MemoryRows, sliceOf, sortedBy, unique } from "./rows.ts";

export function brokerReads({ messages }: MemoryRows): Sync<BrokerReads> {
  return {
    countMessages: () => messages.length,
    peekMessages: (slice) =>
      sliceOf(
        sortedBy(messages, (message) => message.queued_at ?? 0),
        slice,
      ),
    queuedAmong: (ids) => unique(messages.map((message) => message.invocation_id)).filter((id) => ids.includes(id)),
  };
}
