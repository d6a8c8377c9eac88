/** Messages of queues with what is known about their invocations. */
import type { QueuedInvocation } from "../../api/model/queued-invocations.ts";
import type { QueueMessage } from "../../pynenc/records.ts";
import { isoOrNull, secondsSince } from "../../pynenc/time.ts";
import type { QueueCount } from "../../stores/ports/broker.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { invocationRows } from "./invocation-rows.ts";

/** Each message with its position in its queue, queue after queue. */
export function placed(
  messages: readonly QueueMessage[],
  counts: readonly QueueCount[],
  offset: number,
): { message: QueueMessage; place: number }[] {
  const begins = new Map<string | null, number>();
  let before = 0;
  for (const { queue_name, messages: length } of counts) {
    begins.set(queue_name, before);
    before += length;
  }
  return messages.map((message, index) => ({
    message,
    place: offset + index + 1 - (begins.get(message.queue_name) ?? 0),
  }));
}

/** Messages with what is known about their invocations. Consumes nothing. */
export async function queued(
  app: OpenedApp,
  reads: AppReads,
  messages: readonly { message: QueueMessage; place: number }[],
): Promise<QueuedInvocation[]> {
  const rows = await invocationRows(
    reads,
    messages.map(({ message }) => message.invocation_id),
  );
  return messages.flatMap(({ message: { queued_at, queue_name, priority }, place }, index) => {
    const row = rows[index];
    if (row === undefined) return [];
    return [
      {
        ...row,
        queue_name,
        priority,
        place,
        queued_at: isoOrNull(queued_at),
        queued_seconds: queued_at === null ? null : secondsSince(queued_at, app.now()),
      },
    ];
  });
}
