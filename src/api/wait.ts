/** Statuses that are followed or waited for. */
import { z } from "zod";
import { instant, seconds, statusWord, taskIdKey } from "./model/common.ts";

export const FollowedStatus = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    status: statusWord,
    timestamp: instant.describe("When the status was entered."),
    written_at: instant.describe("When the entry was written."),
    owner_runner_id: z.string().nullable().describe("Owner after the change."),
    runner_id: z.string().nullable().describe("Who made the change; null if the stored entry is unreadable."),
  })
  .meta({ id: "FollowedStatus", description: "A status change, as `invocations --follow` prints it." });
export type FollowedStatus = z.infer<typeof FollowedStatus>;

export const WaitGoal = z.enum(["final", "success", "running"]);
export type WaitGoal = z.infer<typeof WaitGoal>;

export const WaitedInvocation = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    status: statusWord,
    state: z.enum(["waiting", "reached", "ended_otherwise", "not_known"]),
  })
  .meta({ id: "WaitedInvocation", description: "An invocation that `monitor wait` waits for." });
export type WaitedInvocation = z.infer<typeof WaitedInvocation>;

export const WaitAnswer = z
  .object({
    app_id: z.string(),
    waited_for: WaitGoal,
    outcome: z
      .enum(["reached", "ended_otherwise", "not_known", "timed_out"])
      .describe(
        "`reached`: all reached the awaited state. `ended_otherwise`: one of them ended without reaching it. `not_known`: one of them is not, or no longer, stored.",
      ),
    waited_seconds: seconds,
    invocations: z.array(WaitedInvocation).describe("In the order in which they were given."),
  })
  .meta({ id: "WaitAnswer", description: "How waiting for invocations ended." });
export type WaitAnswer = z.infer<typeof WaitAnswer>;
