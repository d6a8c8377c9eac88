/** Where an invocation waits for a runner. */
import { z } from "zod";
import { instant, seconds, taskIdKey } from "./common.ts";

export const UsualWait = z
  .object({ count: z.int().describe("Number of waits it is based on."), p50_seconds: seconds, p95_seconds: seconds })
  .meta({ id: "UsualWait", description: "How long invocations of a task waited to run, in the last 24 hours." });
export type UsualWait = z.infer<typeof UsualWait>;

export const WaitingPlace = z
  .object({
    queue_name: z.string().nullable().describe("The queue with its message; null if that has no name."),
    priority: z.number().nullable().describe("Of its message; null if messages have none."),
    queued_at: instant.nullable().describe("Null if that is not stored."),
    place: z.int().nullable().describe("Of its message in the queue, from 1; null if it was not found."),
    ahead: z
      .int()
      .nullable()
      .describe("Invocations with a message before it that have not ended; null if this queue can only be counted."),
    ahead_exact: z.boolean().describe("False if there are more: only the front of the queue was read."),
    ahead_by_task: z
      .array(z.object({ task_id_key: taskIdKey.nullable(), invocations: z.int() }))
      .describe("The same by task, most first."),
    consumers: z
      .int()
      .nullable()
      .describe("Active runners that take from this queue; null if no heartbeats are stored."),
    idle: z
      .array(
        z.object({
          runner_id: z.string(),
          queues: z.array(z.string()).nullable().describe("Its `runner.queues`; empty for every declared queue."),
          takes: z.boolean().nullable().describe("It takes from this queue; null if that is not known."),
        }),
      )
      .describe("Active runners that hold no invocation now."),
    usual_wait: UsualWait.nullable().describe(
      "Null if the statistics of the last day have not been read, or say too little.",
    ),
    sentences: z.array(z.string()).describe("The same as text for people."),
  })
  .meta({
    id: "WaitingPlace",
    description: "Where an invocation waits for a runner, what is ahead of it and who takes from there.",
  });
export type WaitingPlace = z.infer<typeof WaitingPlace>;
