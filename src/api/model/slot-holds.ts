/** What concurrency control stopped an invocation for. */
import { z } from "zod";
import { instant, taskIdKey } from "./common.ts";

export const SlotHolder = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey,
    ran_then: z
      .boolean()
      .describe("It was pending or running when the invocation was first held back, or was dropped."),
    runs_now: z.boolean().describe("It is pending or running now."),
    shares: z
      .enum(["all_arguments", "some_arguments", "task"])
      .describe("What it has in common with the invocation that was stopped, beside the task."),
    shared_arguments: z.array(z.string()).describe("Names of the arguments with equal stored values."),
  })
  .meta({ id: "SlotHolder", description: "An invocation that may hold, or have held, the slot of another one." });
export type SlotHolder = z.infer<typeof SlotHolder>;

export const SlotHold = z
  .object({
    since: instant.describe("When it was first held back, or was dropped."),
    times: z.int().describe("How often it was held back since."),
    times_exact: z.boolean().describe("False if there were more; not all were read."),
    holders: z
      .array(SlotHolder)
      .describe("Inferred: neither the limit nor the holder is stored. Those that fit best; empty if none is known."),
    sentences: z.array(z.string()).describe("The same as text for people."),
  })
  .meta({
    id: "SlotHold",
    description: "Concurrency control stopped an invocation: since when, and for which others.",
  });
export type SlotHold = z.infer<typeof SlotHold>;
