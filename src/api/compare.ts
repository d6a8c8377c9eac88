/** What differs between two selections of invocations. */
import { z } from "zod";
import { instant, seconds } from "./model/common.ts";
import { InvocationFilter } from "./model/invocation-rows.ts";

export const ComparedDimension = z
  .enum(["task", "argument", "host", "runner", "hour", "parent_task", "trigger", "retries", "exception", "status"])
  .meta({
    id: "ComparedDimension",
    description:
      "What a value is a value of. runner: the last that ran it; hour: of its registration, in UTC; exception: class and kind of message of a failed one.",
  });
export type ComparedDimension = z.infer<typeof ComparedDimension>;

export const ComparedMeasure = z.enum(["share", "run", "wait"]).meta({
  id: "ComparedMeasure",
  description:
    "What differs: how many have the values, how long those that have them ran, or how long they were queued and pending.",
});
export type ComparedMeasure = z.infer<typeof ComparedMeasure>;

export const ComparedValue = z
  .object({
    dimension: ComparedDimension,
    argument: z
      .string()
      .nullable()
      .describe("Name of the argument, with members below it behind dots; null for other dimensions."),
    value: z.string().nullable().describe("Null for none: called by no invocation, started by no trigger."),
    words: z.string().describe("The value in words: `host b`, `region=eu`."),
  })
  .meta({ id: "ComparedValue" });
export type ComparedValue = z.infer<typeof ComparedValue>;

const side = z.object({
  count: z.int().describe("Invocations that have the values; of durations, those whose duration is known."),
  total: z.int().describe("Invocations of which is known whether they have them."),
  median_seconds: seconds.nullable().describe("Null for shares."),
});

export const ComparedDifference = z
  .object({
    sentence: z.string(),
    measure: ComparedMeasure,
    values: z.array(ComparedValue).describe("One value, or two that were found together; none for durations of all."),
    alike: z.array(ComparedValue).describe("Other values that exactly these invocations have."),
    here: side.describe("Of the selection."),
    there: side.describe("Of the baseline."),
    times: z
      .number()
      .nullable()
      .describe(
        "How many times as long it takes here: the median, each against the median of its task there; null for shares.",
      ),
    apart: z
      .number()
      .describe("From -1 to 1: the share here less the share there; of durations, how far apart they lie."),
    at_least: z.number().describe("How large that is at least, without its sign. Differences are ranked by it."),
    query: z
      .string()
      .nullable()
      .describe("Terms of a search that finds invocations with the values; null where no term says one of them."),
  })
  .meta({ id: "ComparedDifference", description: "A value, or two together, by which selection and baseline differ." });
export type ComparedDifference = z.infer<typeof ComparedDifference>;

export const ComparedSide = z
  .object({
    filter: InvocationFilter,
    compared: z.int().describe("Invocations that were compared."),
    total: z.int().nullable().describe("Invocations that there are, or about how many; null where not known."),
    sample: z.boolean().describe("They are a sample; then `total` is an estimate."),
  })
  .meta({ id: "ComparedSide" });
export type ComparedSide = z.infer<typeof ComparedSide>;

export const Comparison = z
  .object({
    with: z.string().describe("What the baseline is: rest, before, or a search."),
    here: ComparedSide.describe("The selection: its latest status change lies in the range."),
    there: ComparedSide.describe("The baseline, without what is in the selection."),
    span: z
      .object({ from: instant.nullable(), to: instant.nullable() })
      .describe("The range of the selection; null is open."),
    left_out: z.array(z.string()).describe("What is not compared, because the selection was chosen by it, in words."),
    values: z.int().describe("Values that were looked at."),
    pairs: z.int().describe("Pairs of them that were examined."),
    differences: z.array(ComparedDifference).describe("The greatest first."),
    differences_total: z.int().describe("Differences that there are; the first of them are listed."),
    notes: z.array(z.string()),
  })
  .meta({
    id: "Comparison",
    description: "What differs between a selection of invocations and a baseline, beyond what chance would make.",
  });
export type Comparison = z.infer<typeof Comparison>;
