/** Traces and families. */
import { z } from "zod";
import { instant, seconds, statusWord } from "./model/common.ts";
import { CriticalPath, PathPhase } from "./model/critical-path.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { EventObject, RunCause, SourceKind, TriggerRunObject } from "./model/trigger-objects.ts";

export const NodeKind = z.enum(["invocation", "event", "trigger_run"]).meta({ id: "NodeKind" });
export type NodeKind = z.infer<typeof NodeKind>;

export const TraceDirection = z.enum(["down", "up", "both"]).meta({ id: "TraceDirection" });
export type TraceDirection = z.infer<typeof TraceDirection>;

export const EdgeKind = z
  .union([
    z.literal("call"),
    z.literal("emit"),
    z.literal("event"),
    SourceKind,
    z.literal("trigger"),
    z.literal("parent_event"),
  ])
  .meta({
    id: "EdgeKind",
    description:
      "Why one thing led to another. `call`: an invocation called another. `emit`: an invocation emitted an event. `event`, `status`, `result`, `exception`: it met a condition that took part in a trigger run. `trigger`: a run started an invocation. `parent_event`: an invocation names the event as its parent, but the run is no longer stored.",
  });
export type EdgeKind = z.infer<typeof EdgeKind>;

export const TraceEdge = z
  .object({ from: z.string(), from_kind: NodeKind, to: z.string(), to_kind: NodeKind, kind: EdgeKind })
  .meta({ id: "TraceEdge" });
export type TraceEdge = z.infer<typeof TraceEdge>;

export const Trace = z
  .object({
    focus_kind: NodeKind,
    focus_id: z.string(),
    direction: TraceDirection,
    invocations: z.array(InvocationRow),
    events: z.array(EventObject),
    trigger_runs: z.array(TriggerRunObject),
    edges: z.array(TraceEdge),
    depth: z.int().describe("Steps from the focus to the farthest node."),
    roots: z.array(z.object({ kind: NodeKind, id: z.string() })).describe("Nodes without a cause in the trace."),
    limit: z.int().describe("Maximum number of nodes."),
    truncated: z
      .boolean()
      .describe(
        "There is more than `limit` allows: `invocations`, `events` and `trigger_runs` are those reached first.",
      ),
    source_invocation_ids: z
      .array(z.string())
      .describe("Named as in pynenc's own monitor: sources of the trigger runs, and what the runs started."),
    generated_invocation_ids: z.array(z.string()),
  })
  .meta({ id: "Trace", description: "The causal chain around an event, an invocation or a trigger run." });
export type Trace = z.infer<typeof Trace>;

export const TraceTreeEvent = EventObject.pick({
  event_code: true,
  timestamp: true,
  matched: true,
  triggered: true,
}).meta({ id: "TraceTreeEvent", description: "Without the payload, which can be large." });

export const TraceTreeRun = TriggerRunObject.pick({
  trigger_id: true,
  task_id_key: true,
  logic_value: true,
  claimed_at: true,
  executed_at: true,
}).meta({ id: "TraceTreeRun" });

export const TraceTreeNode = z
  .object({
    kind: NodeKind,
    id: z.string(),
    by: z.array(EdgeKind).describe("How the node above led to this one; empty at the top."),
    repeat: z.boolean().describe("Shown elsewhere in this tree, with its effects."),
    focus: z.boolean().describe("The requested node."),
    invocation: InvocationRow.nullable().describe(
      "The member of its kind is set; null if only a reference to the node is stored.",
    ),
    event: TraceTreeEvent.nullable(),
    trigger_run: TraceTreeRun.nullable(),
    get children() {
      return z.array(TraceTreeNode);
    },
    repeats_omitted: z.int().describe("Number of repeated nodes left out of `children`."),
  })
  .meta({ id: "TraceTreeNode" });
export type TraceTreeNode = z.infer<typeof TraceTreeNode>;

export const TraceTree = z
  .object({
    roots: z.array(TraceTreeNode),
    nodes: z.int().describe("Nodes shown with their effects."),
    truncated: z.boolean().describe("There is more than the limit of the trace allows."),
  })
  .meta({ id: "TraceTree" });
export type TraceTree = z.infer<typeof TraceTree>;

/** For answers that can describe the past. */
const asOfInstant = instant.nullable().describe("The past instant that the answer describes; null for now.");

export const LifeStretch = z
  .object({
    from: instant,
    to: instant,
    duration_seconds: seconds,
    phase: PathPhase,
    attempt: z.int().describe("From 1; each return to the queue, by a retry or a reroute, starts another."),
    runner_id: z.string().nullable().describe("The owner; null if it has none."),
    ongoing: z.boolean().describe("It has not ended: `to` is now."),
    next_status: statusWord
      .nullable()
      .describe("The status entered at its end; null if it is ongoing or no entry says."),
  })
  .meta({ id: "LifeStretch", description: "A period that an invocation spent in one status." });
export type LifeStretch = z.infer<typeof LifeStretch>;

export const FamilyMark = z
  .object({
    kind: NodeKind.extract(["event", "trigger_run"]),
    id: z.string(),
    label: z.string().describe("The event's code, or the task of the trigger; empty if not stored."),
    at: instant.nullable().describe("When the event was emitted, or the run claimed."),
    focus: z.boolean(),
  })
  .meta({ id: "FamilyMark", description: "An event or a trigger run on the row of the object it belongs to." });
export type FamilyMark = z.infer<typeof FamilyMark>;

const Emitter = z
  .object({ invocation_id: z.string(), task_id_key: z.string().nullable() })
  .meta({ id: "Emitter", description: "The invocation that emitted an event." });

export const FamilyRow = z
  .object({
    kind: NodeKind.describe("Usually an invocation; an event or a trigger run if nothing stored led to it."),
    id: z.string(),
    depth: z.int().describe("Number of ancestor rows."),
    above_id: z.string().nullable().describe("The row that led to it; null at the top."),
    by: z.array(EdgeKind).describe("How that row led to it, step by step."),
    also_from: z
      .array(RunCause.extend({ emitted_by: Emitter.nullable().describe("Of an event.") }))
      .describe(
        "What else took part in the trigger run that started it: not of the row above, and perhaps not of this family.",
      ),
    focus: z.boolean(),
    awaited: z
      .boolean()
      .describe(
        "Included only because the critical path goes through it: the row above waited for it. `stretches` has only that time.",
      ),
    effects_left_out: z
      .int()
      .describe("Direct effects of it and its marks that do not appear in this family, as far as they were counted."),
    effects_counted: z.boolean().describe("False if there are or may be more than counted."),
    invocation: InvocationRow.nullable().describe("Null for other kinds, and if only references are stored."),
    stretches: z
      .array(LifeStretch)
      .describe("Its periods, in order and without gaps; empty if not stored or not read."),
    marks: z
      .array(FamilyMark)
      .describe("Events it emitted, and trigger runs: on the row of what the run started, else of what led to it."),
  })
  .meta({ id: "FamilyRow" });
export type FamilyRow = z.infer<typeof FamilyRow>;

export const FamilyOther = z
  .object({
    kind: NodeKind,
    id: z.string(),
    invocation: InvocationRow.nullable().describe("Null for other kinds, and if only references are stored."),
    invocations: z.int().describe("Invocations of it and of what it led to, without those of this family."),
    complete: z.boolean().describe("False if there are or may be more."),
  })
  .meta({
    id: "FamilyOther",
    description:
      "Another topmost cause, joined with this family by a trigger run that several things took part in. Its own family has the rest.",
  });
export type FamilyOther = z.infer<typeof FamilyOther>;

export const FamilyPicture = z
  .object({
    focus_kind: NodeKind,
    focus_id: z.string(),
    as_of: instant,
    at: asOfInstant,
    from: instant.nullable().describe("The first instant of any row; null if no row has a time."),
    to: instant.nullable().describe("The last instant; now if something is ongoing."),
    ongoing: z.boolean().describe("Something is ongoing."),
    rows: z
      .array(FamilyRow)
      .describe(
        "What the topmost cause led to: parents before their children, siblings in the order of their start. Where several are at the top, it is the invocation that was registered last.",
      ),
    others: z.array(FamilyOther).describe("The other topmost causes that led to invocations of their own."),
    edges: z.array(TraceEdge).describe("Between all events, trigger runs and invocations of the picture."),
    path_of: z
      .string()
      .nullable()
      .describe("The invocation of the critical path: the focus, else the first invocation it led to."),
    critical_path: CriticalPath.nullable().describe("Null if nothing is known about its time."),
    limit: z.int().describe("Maximum number of events, trigger runs and invocations, without those added by `expand`."),
    expand: z.array(z.string()).describe("Expanded ids, in order; a repeated id shows more."),
    can_expand: z.boolean().describe("False if no further id can be expanded."),
    above_id: z
      .string()
      .nullable()
      .describe("The nearest cause that is left out because there are too many ancestors."),
    truncated: z.boolean().describe("The family is larger: this is the part nearest to the focus."),
    notes: z.array(z.string()),
  })
  .meta({
    id: "FamilyPicture",
    description:
      "A family over time: what led to an object, what it caused, how long each part took and what was waited for.",
  });
export type FamilyPicture = z.infer<typeof FamilyPicture>;
