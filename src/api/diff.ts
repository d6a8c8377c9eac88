/** Two invocations, or two workflow runs, side by side. */
import { z } from "zod";
import { seconds, taskIdKey } from "./model/common.ts";
import { PathPhase } from "./model/critical-path.ts";
import { InvocationRow } from "./model/invocation-rows.ts";

export const DifferenceKind = z.enum(["only_a", "only_b", "task", "outcome", "arguments", "attempts", "times"]).meta({
  id: "DifferenceKind",
  description:
    "`only_a`, `only_b`: the other tree has no such invocation. `outcome`: status, or class or message of the exception. `attempts`: retries. `times`: at least one phase took longer or shorter.",
});
export type DifferenceKind = z.infer<typeof DifferenceKind>;

export const DiffArgument = z
  .object({
    name: z.string(),
    a: z.string().nullable().describe("On one line, cut; null if it has no such argument."),
    b: z.string().nullable(),
  })
  .meta({ id: "DiffArgument", description: "An argument whose stored values differ." });
export type DiffArgument = z.infer<typeof DiffArgument>;

export const DiffPhase = z
  .object({
    phase: PathPhase,
    a_seconds: seconds,
    b_seconds: seconds,
    difference_seconds: seconds.describe("How much longer it took in `b`; exact to the microsecond."),
  })
  .meta({ id: "DiffPhase" });
export type DiffPhase = z.infer<typeof DiffPhase>;

export const DiffNode = z
  .object({
    depth: z.int().describe("Steps below the two invocations compared."),
    task_id_key: taskIdKey.nullable(),
    a: InvocationRow.nullable(),
    b: InvocationRow.nullable(),
    differs: z.array(DifferenceKind).describe("Empty if both are the same."),
    arguments: z.array(DiffArgument).describe("Arguments that differ, if they could be read."),
    phases: z
      .array(DiffPhase)
      .nullable()
      .describe("For pairs; null if the history of one was not read, or ends before it does."),
    difference_seconds: seconds.nullable().describe("How much longer all phases of `b` took; null if not known."),
  })
  .meta({ id: "DiffNode", description: "One invocation in both trees, or in one of them." });
export type DiffNode = z.infer<typeof DiffNode>;

export const Diff = z
  .object({
    a: z.string(),
    b: z.string(),
    last_success: z
      .boolean()
      .describe("`b` was searched for: the newest success of the same task that was registered before `a`."),
    same: z.boolean().describe("Nothing differs."),
    nodes: z.array(DiffNode).describe("Parents before their children; pairs by task, in the order of registration."),
    differences: z.record(DifferenceKind, z.int()).describe("Nodes by kind of difference."),
    complete: z.boolean().describe("False if one tree has more invocations than were read."),
    notes: z.array(z.string()),
  })
  .meta({ id: "Diff", description: "Two invocations with those below them, side by side." });
export type Diff = z.infer<typeof Diff>;
