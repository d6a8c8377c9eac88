/** Runners as other things refer to them. */
import { z } from "zod";

export const RunnerName = z
  .object({
    runner_id: z.string(),
    context_missing: z.boolean(),
    runner_cls: z.string().nullable(),
    hostname: z.string().nullable(),
    pid: z.int().nullable(),
    thread_id: z.int().nullable(),
    get parent() {
      return RunnerName.nullable();
    },
  })
  .meta({
    id: "RunnerName",
    description: "A reference to a runner. Fields are null when its context is missing.",
  });
export type RunnerName = z.infer<typeof RunnerName>;

export const RunnerCounts = z
  .object({
    active: z.int().describe("Their heartbeat is young enough."),
    known: z.int().describe("With a context, a heartbeat, or both: a runner can lack either. Without `callers`."),
    callers: z
      .int()
      .describe(
        "Programs outside of any runner, such as those that call tasks; they have a context and never a heartbeat.",
      ),
    known_capped: z.boolean().describe("There may be more than `known`."),
  })
  .meta({ id: "RunnerCounts", description: "How many runners there are. `active` is never more than `known`." });
export type RunnerCounts = z.infer<typeof RunnerCounts>;
