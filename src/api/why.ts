/** Why: the verdict on the app or on one thing, and what it follows from. */
import { z } from "zod";
import { PhaseDuration } from "./invocations.ts";
import { instant } from "./model/common.ts";
import { CriticalPath } from "./model/critical-path.ts";
import { ShownKind } from "./show.ts";
import { Verdict } from "./verdicts.ts";

export const WhySubject = z
  .object({
    kind: z.enum(["app", ...ShownKind.options]),
    id: z.string(),
    label: z.string().describe("A short text for people."),
    path: z.string().describe("The address of its page."),
  })
  .meta({ id: "WhySubject", description: "The subject of the question." });

export const WhyLink = z
  .object({
    sentence: z.string(),
    at: instant.nullable(),
    kind: ShownKind.nullable().describe("Kind of the object it is about; null if it is about the subject itself."),
    id: z.string().nullable(),
  })
  .meta({ id: "WhyLink", description: "One step of what a verdict follows from." });
export type WhyLink = z.infer<typeof WhyLink>;

export const WhyAnswer = z
  .object({
    subject: WhySubject,
    verdict: Verdict.nullable().describe("Null if nothing looks wrong in what was examined."),
    others: z
      .array(Verdict)
      .describe("Further verdicts: for the app, all others; for a thing, others that concern it."),
    chain: z.array(WhyLink).describe("What the verdict follows from, step by step."),
    phases: z
      .array(PhaseDuration)
      .nullable()
      .describe("For an invocation or the root of a workflow run: where its own time went. Null if not known."),
    critical_path: CriticalPath.nullable().describe(
      "For the same: where the time went, including invocations it waited for. Null if not known.",
    ),
    looked_at: z.array(z.string()).describe("What was examined, as sentence fragments."),
    not_looked_at: z.array(z.string()).describe("What could not be examined, and why."),
  })
  .meta({ id: "WhyAnswer", description: "Why something is in its state: the verdict first, then its evidence." });
export type WhyAnswer = z.infer<typeof WhyAnswer>;
