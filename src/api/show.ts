/** Any one thing. */
import { z } from "zod";
import { FamilyPicture } from "./causes.ts";
import { ClientDataOverview, QueuePage } from "./components.ts";
import { ConditionDetail, ValidConditionDetail } from "./conditions.ts";
import { EventDetail } from "./events.ts";
import { FoundKind } from "./find.ts";
import { InvocationDetail } from "./invocations.ts";
import { AtomicRun, RunnerDetail } from "./runners.ts";
import { CallDetail, TaskDetail } from "./tasks.ts";
import { TriggerRunDetail } from "./trigger-runs.ts";
import { TriggerDetail } from "./triggers.ts";
import { Verdict } from "./verdicts.ts";
import { WorkflowRunDetail, WorkflowRunList } from "./workflows.ts";

export const ShownKind = FoundKind.exclude(["event_code", "family", "page", "action", "query"]).meta({
  id: "ShownKind",
  description: "Kinds of things, without those that are lists or pages.",
});
export type ShownKind = z.infer<typeof ShownKind>;

export const ShownThing = z
  .object({
    kind: ShownKind,
    id: z.string().describe("The whole id; of a task or a workflow type its key, of a queue its name."),
    detail: z
      .union([
        InvocationDetail,
        WorkflowRunDetail,
        EventDetail,
        TriggerRunDetail,
        TriggerDetail,
        ConditionDetail,
        ValidConditionDetail,
        RunnerDetail,
        AtomicRun,
        CallDetail,
        ClientDataOverview,
        TaskDetail,
        QueuePage,
        WorkflowRunList,
        FamilyPicture,
      ])
      .describe(
        "Everything about it, as its page has it: `InvocationDetail` for an invocation, and so on. With `--at`, the family as it was then.",
      ),
    verdicts: z.array(Verdict).describe("Verdicts on the app that concern it. Empty with `--at`."),
    not_looked_at: z.array(z.string()).describe("What could not be examined of what may concern it, and why."),
  })
  .meta({ id: "ShownThing", description: "Everything about one thing of any kind." });
export type ShownThing = z.infer<typeof ShownThing>;

/** The same for the list of tools: the schemas of all kinds of details would be larger than those of all other tools together. */
export const ShownOfAnyKind = ShownThing.extend({ detail: z.record(z.string(), z.unknown()) });
