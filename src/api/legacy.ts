/** Answers whose shape is that of pynenc's own monitor. */
import { z } from "zod";
import { instant, seconds, statusWord } from "./model/common.ts";
import { ViewItem } from "./triggers.ts";

export const HistoryJson = z
  .object({
    timestamp: instant,
    written_at: instant,
    status: statusWord,
    status_runner_id: z.string().nullable(),
    runner_context_summary: z.string(),
    runner_cls: z.string().nullable(),
    runner_id: z.string().nullable(),
    hostname: z.string().nullable(),
    pid: z.string().nullable(),
    thread_id: z.string().nullable(),
    parent_runner_cls: z.string().nullable(),
    parent_runner_id: z.string().nullable(),
    parent_hostname: z.string().nullable(),
    parent_pid: z.string().nullable(),
    parent_thread_id: z.string().nullable(),
    seconds_since_previous: seconds.nullable(),
    possible: z.boolean(),
    registered_by_inv_id: z.string().nullable(),
  })
  .meta({ id: "HistoryJson", description: "One entry. Process and thread ids are text." });
export type HistoryJson = z.infer<typeof HistoryJson>;

export const ConditionBlock = z
  .object({
    available: z.boolean(),
    kind: z.literal("TriggerCondition"),
    type: z.string().nullable(),
    id: z.string().nullable(),
    id_short: z.string().nullable(),
    detail_url: z.string().nullable().describe("Null when nothing can be shown there."),
    sentence: z.string().nullable(),
    items: z.array(ViewItem),
  })
  .meta({ id: "ConditionBlock" });
export type ConditionBlock = z.infer<typeof ConditionBlock>;
