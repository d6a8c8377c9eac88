/** What differs between two selections of invocations. */
import { z } from "zod";
import { instant, seconds } from "./model/common.ts";
import { InvocationFilter } from "./model/invocation-rows.ts";

export const ComparedDimension = z
  .enum(["task", "argument", "host", "runner", "hour", "parent_task", "trigger", "retries", "exception", "status"])
  .meta({
    id: "ComparedDimension",
    description:
      "What a value describes. runner: the last that ran it; hour: of its registration, in UTC; exception: class and kind of message of a failed one.",
  });
export type ComparedDimension = z.infer<typeof ComparedDimension>;

export const ComparedMeasure = z.enum(["share", "run", "wait"]).meta({
  id: "ComparedMeasure",
  description:
    "What differs: how many invocations have the values, how long those ran, or how long they were queued and pending.",
});
export type ComparedMeasure = z.infer<typeof ComparedMeasure>;

export const ComparedValue = z
  .object({
    dimension: ComparedDimension,
    argument: z
      .string()
      .nullable()
      .describe("Name of the argument, nested members separated by dots; null for other dimensions."),
    value: z.string().nullable().describe("Null for none: called by no invocation, started by no trigger."),
    words: z.string().describe("The value in words: `host b`, `region=eu`."),
  })
  .meta({ id: "ComparedValue" });
export type ComparedValue = z.infer<typeof ComparedValue>;

const side = z.object({
  count: z.int().describe("Invocations that have the values; for durations, those with a known duration."),
  total: z.int().describe("Invocations for which it is known whether they have the values."),
  median_seconds: seconds.nullable().describe("Null for shares."),
  p95_seconds: seconds.nullable().describe("Null for shares."),
});

export const ComparedDifference = z
  .object({
    sentence: z.string(),
    measure: ComparedMeasure,
    values: z
      .array(ComparedValue)
      .describe("One value, or two found together; empty for durations of all invocations."),
    alike: z.array(ComparedValue).describe("Other values shared by exactly these invocations."),
    here: side.describe("The selection."),
    there: side.describe("The baseline."),
    times: z
      .number()
      .nullable()
      .describe(
        "Ratio of durations: the median of each duration divided by the median of its task in the baseline; null for shares.",
      ),
    apart: z
      .number()
      .describe(
        "From -1 to 1: the share in the selection minus the share in the baseline; for durations, how far apart they are.",
      ),
    at_least: z.number().describe("Lower bound of its absolute value. Differences are ranked by it."),
    query: z
      .string()
      .nullable()
      .describe(
        "Search terms that find invocations with the values; null if one of them cannot be expressed as a term.",
      ),
  })
  .meta({
    id: "ComparedDifference",
    description: "A value, or a pair of values, in which selection and baseline differ.",
  });
export type ComparedDifference = z.infer<typeof ComparedDifference>;

export const ComparedSide = z
  .object({
    filter: InvocationFilter,
    compared: z.int().describe("Number of invocations compared."),
    total: z.int().nullable().describe("Total number of invocations, exact or estimated; null if not known."),
    sample: z.boolean().describe("The compared invocations are a sample; `total` is then an estimate."),
  })
  .meta({ id: "ComparedSide" });
export type ComparedSide = z.infer<typeof ComparedSide>;

export const Comparison = z
  .object({
    with: z.string().describe("The baseline: rest, before, or a search."),
    here: ComparedSide.describe("The selection: invocations whose latest status change lies in the range."),
    there: ComparedSide.describe("The baseline, without invocations of the selection."),
    span: z
      .object({ from: instant.nullable(), to: instant.nullable() })
      .describe("The range of the selection; null means open."),
    left_out: z.array(z.string()).describe("What is not compared because the selection was chosen by it, as text."),
    values: z.int().describe("Number of values examined."),
    pairs: z.int().describe("Number of pairs of values examined."),
    differences: z.array(ComparedDifference).describe("The greatest first."),
    closest: z
      .array(ComparedDifference)
      .describe("If there are none: the closest to one, the least likely by chance first. Chance may explain them."),
    medians: z
      .array(z.object({ measure: ComparedMeasure, here: side, there: side }))
      .describe("Durations of all invocations with a known one, also where the selection was chosen by it."),
    differences_total: z.int().describe("Number of differences found; the first are listed."),
    notes: z.array(z.string()),
  })
  .meta({
    id: "Comparison",
    description: "Differences between a selection of invocations and a baseline that are larger than chance explains.",
  });
export type Comparison = z.infer<typeof Comparison>;
