/** Events: lists, one event, and what an event caused. */

import { z } from "zod";
import { TraceTree } from "./causes.ts";
import { PendingCondition } from "./conditions.ts";
import { instant, PageInfo, seconds, TimelineQuery, taskIdKey } from "./model/common.ts";
import { InvocationRow, InvocationSummary } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { EventHead, EventObject, TriggerRunObject } from "./model/trigger-objects.ts";
import { ShownArgument } from "./model/values.ts";
import { TimelineEvent } from "./timeline.ts";

export const EventListFilter = z
  .object({
    event_code: z.string().nullable(),
    from: instant.nullable(),
    to: instant.nullable(),
    matched: z.enum(["all", "yes", "no"]),
    triggered: z.enum(["all", "yes", "no"]),
  })
  .meta({ id: "EventListFilter", description: "What a list is restricted to; null and `all` do not restrict." });

export type EventListFilter = z.infer<typeof EventListFilter>;

export const EventRow = EventHead.extend({
  matched_conditions: z.int().describe("How many conditions it met."),
  triggered_invocation_ids: z.array(z.string()).describe("The first few."),
  triggered_task_id_keys: z
    .array(taskIdKey.nullable())
    .describe("Tasks of these, in the same order; null where no definition is stored."),
  triggered_invocations_count: z.int(),
}).meta({ id: "EventRow", description: "One line of a list of events." });

export type EventRow = z.infer<typeof EventRow>;

export const EventCounts = z
  .object({
    from: instant,
    to: instant,
    slice_seconds: seconds,
    counts: z.array(z.int()).describe("By slice, in order of time."),
  })
  .meta({ id: "EventCounts", description: "Events over time." });

export type EventCounts = z.infer<typeof EventCounts>;

export const EventList = z
  .object({
    unrecorded: z
      .string()
      .nullable()
      .describe(
        "Why events are not known; null if they are recorded. Only then does an empty list mean that there are none.",
      ),
    events: z.array(EventRow),
    page: PageInfo,
    older: z.string().nullable().describe("Cursor for `after` to continue after the last row; null at the end."),
    filter: EventListFilter,
    codes: z
      .array(z.string())
      .nullable()
      .describe("Available codes in alphabetical order; null if there are too many to list."),
    notes: z.array(z.string()).describe("Why an empty list may be empty."),
    over_time: EventCounts.nullable().describe(
      "Counts for the list; null if it is empty or has more than 10,000 events, and in answers of commands.",
    ),
  })
  .meta({ id: "EventList", description: "Events, newest first." });

export type EventList = z.infer<typeof EventList>;

export const EventConditionView = z
  .object({
    condition_id: z.string(),
    matched: z.boolean(),
    valid_condition_id: z.string().nullable().describe("The record of the match."),
    valid_condition_retained: z.boolean().describe("It is kept until the triggers that wait for it have been handled."),
    known: z.boolean().describe("False if no definition is stored any more."),
    sentence: z.string().describe("Text; the id if nothing else is known."),
  })
  .meta({ id: "EventConditionView", description: "An EventCondition for the event's code." });

export type EventConditionView = z.infer<typeof EventConditionView>;

export const EventDetail = EventHead.extend({
  emitter: InvocationRow.nullable().describe("Null if the event came from outside any invocation."),
  emitter_runner: RunnerName.nullable(),
  payload: z.array(ShownArgument),
  payload_too_large: z
    .int()
    .nullable()
    .describe("Bytes of a payload that is too large to be read; none of it is listed then."),
  conditions: z
    .array(EventConditionView)
    .describe("The conditions it met, then others that triggers currently watch for the same code."),
  trigger_runs: z.array(TriggerRunObject),
  trigger_runs_truncated: z.boolean(),
  triggered_invocations: z.array(InvocationRow),
  triggered_invocations_count: z.int(),
  triggered_invocations_capped: z.boolean(),
  timeline: TimelineQuery.nullable().describe("Timeline of the event, with its emitter and what it started."),
  caused: TraceTree.describe("What the event caused."),
  led_to_it: TraceTree.nullable().describe("What led to it; null if it came from outside any invocation."),
  pending: z
    .array(PendingCondition)
    .describe("Conditions that it met and that are still stored, with the triggers that wait for them."),
  around: EventCounts.nullable().describe(
    "Events with its code within twelve hours before and after, from the first of them up to now; null if there are more than 10,000, and in answers of commands.",
  ),
  notes: z.array(z.string()).describe("Sentences about missing parts and contradictions."),
}).meta({ id: "EventDetail", description: "One event: what it met and what it caused." });

export type EventDetail = z.infer<typeof EventDetail>;

export const EventApi = z
  .object({
    event: EventObject,
    trigger_runs: z.array(TriggerRunObject),
    trigger_runs_truncated: z.boolean(),
    invocation_summaries: z.record(z.string(), InvocationSummary),
  })
  .meta({ id: "EventApi", description: "One event with its trigger runs, as clients of pynmon read it." });

export type EventApi = z.infer<typeof EventApi>;

export const EventTriggerRuns = EventApi.pick({ trigger_runs: true, trigger_runs_truncated: true }).meta({
  id: "EventTriggerRuns",
  description: "The trigger runs that an event took part in.",
});

export type EventTriggerRuns = z.infer<typeof EventTriggerRuns>;

export const EventMarkers = z
  .object({
    unrecorded: z.string().nullable(),
    markers: z.array(TimelineEvent),
    total: z
      .int()
      .nullable()
      .describe("Events in the window, counted up to a million; null if events are not recorded."),
    truncated: z.boolean().describe("There are more after the last one."),
  })
  .meta({ id: "EventMarkers", description: "Events in a window of time." });

export type EventMarkers = z.infer<typeof EventMarkers>;
