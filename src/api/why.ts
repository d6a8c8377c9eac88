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
    label: z.string().describe("A few words for people."),
    path: z.string().describe("The address of its page."),
  })
  .meta({ id: "WhySubject", description: "What is asked about." });
export type WhySubject = z.infer<typeof WhySubject>;

export const WhyLink = z
  .object({
    sentence: z.string(),
    at: instant.nullable(),
    kind: ShownKind.nullable().describe("Of the thing that it is about; null if it is about the subject itself."),
    id: z.string().nullable(),
  })
  .meta({ id: "WhyLink", description: "One step of what a verdict follows from." });
export type WhyLink = z.infer<typeof WhyLink>;

export const WhyAnswer = z
  .object({
    subject: WhySubject,
    verdict: Verdict.nullable().describe("Null where nothing looks wrong in what was looked at."),
    others: z.array(Verdict).describe("Further verdicts: of the app all others; of a thing those that concern it too."),
    chain: z.array(WhyLink).describe("What the verdict follows from, one step after the other."),
    phases: z
      .array(PhaseDuration)
      .nullable()
      .describe("Of an invocation and of the root of a workflow run: where its own time went. Null where not known."),
    critical_path: CriticalPath.nullable().describe(
      "Of the same: where the time went, through those that it waited for. Null where that is not known.",
    ),
    looked_at: z.array(z.string()).describe("What the verdict is about: fragments of a sentence."),
    not_looked_at: z.array(z.string()).describe("What could not be looked at, and why."),
  })
  .meta({ id: "WhyAnswer", description: "Why something is as it is: the verdict first, then its evidence." });
export type WhyAnswer = z.infer<typeof WhyAnswer>;
