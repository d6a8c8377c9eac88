/** A message of a queue, with its invocation. */
import { z } from "zod";
import { instant, seconds } from "./common.ts";
import { InvocationRow } from "./invocation-rows.ts";

export const QueuedInvocation = InvocationRow.extend({
  queue_name: z.string().nullable().describe("Null if the only queue has no name."),
  priority: z.number().nullable().describe("Higher is taken first; null without priorities."),
  place: z.int().describe("Position in its queue, 1 is taken next; of a past instant, its place in the list."),
  queued_at: instant.nullable().describe("Null if the queue does not record it."),
  queued_seconds: seconds.nullable(),
}).meta({ id: "QueuedInvocation" });
export type QueuedInvocation = z.infer<typeof QueuedInvocation>;
