/** Where the time of an invocation went, through those that it waited for. */
import { z } from "zod";
import { instant, seconds, taskIdKey } from "./common.ts";

export const PathPhase = z
  .enum(["queued", "pending", "running", "paused", "waiting", "dead_runner", "clock_skew", "not_known"])
  .meta({
    id: "PathPhase",
    description:
      "The words of `Phase`, and one more. `clock_skew`: measured between the clocks of two hosts that disagree. `not_known` is also the time of an invocation whose history was not read.",
  });
export type PathPhase = z.infer<typeof PathPhase>;

export const PathLink = z.enum(["pause", "edge", "run"]).meta({
  id: "PathLink",
  description:
    "How the path came from one invocation to another. `pause`: the caller was paused until it ended. `edge`: a wait for it is recorded now. `run`: the caller called it and it ended while the caller ran; callers of some runners are not paused while they wait, so the rows do not say whether this one waited.",
});
export type PathLink = z.infer<typeof PathLink>;

const microseconds = z.int().describe("Whole microseconds; those of the segments add up to those of the path.");

export const PathSegment = z
  .object({
    from: instant,
    to: instant,
    duration_seconds: seconds,
    microseconds,
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    phase: PathPhase,
    attempt: z.int().describe("From 1; each return to the queue, by a retry or a reroute, begins another."),
    runner_id: z.string().nullable().describe("The runner that owned it; null while there was none."),
    waits_for: z
      .string()
      .nullable()
      .describe("The invocation that it waited for, where it is paused and has not gone on yet after that one ended."),
    waited_by: z.string().nullable().describe("The invocation above it on the path; null for the requested one."),
    link: PathLink.nullable().describe("How the path reached it; null for the requested one."),
  })
  .meta({ id: "PathSegment", description: "A piece of the path: one invocation in one phase." });
export type PathSegment = z.infer<typeof PathSegment>;

export const PathShare = PathSegment.pick({
  invocation_id: true,
  task_id_key: true,
  phase: true,
  duration_seconds: true,
  microseconds: true,
  link: true,
})
  .extend({ segments: z.int().describe("How many pieces of the path it adds up.") })
  .meta({ id: "PathShare", description: "All that the path has of one invocation in one phase." });
export type PathShare = z.infer<typeof PathShare>;

export const CriticalPath = z
  .object({
    from: instant.describe("Its registration; the first entry that is stored where that is missing."),
    to: instant.describe("Its end, or now."),
    duration_seconds: seconds,
    microseconds,
    ongoing: z.boolean(),
    segments: z.array(PathSegment).describe("In order of time, without gap or overlap from `from` to `to`."),
    shares: z.array(PathShare).describe("The same time by invocation and phase, the largest first."),
    complete: z.boolean().describe("False where a limit ended the search below; `notes` say which."),
    notes: z.array(z.string()),
  })
  .meta({
    id: "CriticalPath",
    description:
      "What an invocation spent its time on: its own phases and, where it waited for others, theirs. Read backwards from its end: of those it waited for, the one that ended last before it went on.",
  });
export type CriticalPath = z.infer<typeof CriticalPath>;
