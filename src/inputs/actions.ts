/** What actions are taken with. */
import { inv_ids, invocationFilter, limit, messageRoute, paging, queueFilter } from "./common.ts";
import { number, onOff, text, whole } from "./parameter.ts";

/** Settings of pynenc that decide what is removed; each member overrides the setting that it is named after, for one request. */
export const orchestratorRules = {
  auto_final_invocation_purge_hours: number(
    "remove final invocations after this many hours (auto_final_invocation_purge_hours)",
    { least: 0, most: 1_000_000 },
    { flag: "--hours <number>" },
  ),
  with_open_parents: onOff(
    "also remove invocations whose parent is not final; a parent that asks for their result later fails",
    { flag: "--with-open-parents" },
  ),
  atomic_service_execution_retention_minutes: number(
    "remove executions after this many minutes (atomic_service_execution_retention_minutes)",
    { least: 0 },
    { flag: "--execution-minutes <number>" },
  ),
  atomic_service_execution_max_records: whole(
    "keep at most this many executions; 0 is no limit (atomic_service_execution_max_records)",
    { least: 0 },
    { flag: "--max-executions <number>" },
  ),
} as const;

export const eventRules = {
  event_auto_purge_enabled: onOff("yes or no: whether to remove events at all (event_auto_purge_enabled)", {
    flag: "--enabled <answer>",
  }),
  event_retention_days: number(
    "remove events and trigger runs after this many days (event_retention_days)",
    { least: 0, most: 1_000_000 },
    { flag: "--retention-days <number>" },
  ),
  event_max_records: whole(
    "keep at most this many events; 0 is no limit (event_max_records)",
    { least: 0 },
    { flag: "--max-events <number>" },
  ),
  trigger_run_max_records: whole(
    "keep at most this many trigger runs; 0 is no limit (trigger_run_max_records)",
    { least: 0 },
    { flag: "--max-trigger-runs <number>" },
  ),
} as const;

export const emptyQueueInput = {
  empty_queue: onOff("with orchestrator or state-backend: empty the queue first", { flag: "--empty-queue" }),
} as const;

export const purgedQueueInput = {
  queue: { ...queueFilter, meaning: "with broker: empty only this queue (pynenc 0.4)" },
} as const;

export const requeueInput = {
  force: onOff(
    "also requeue if the message may still be in the queue, because that queue can be counted but not listed (RabbitMQ)",
    { flag: "--force" },
  ),
  ...messageRoute,
} as const;

/** Limit of invocations per request. */
export const MAX_REQUEUED = 1_000;

export const requeueManyInput = {
  inv_ids: { ...inv_ids, meaning: "the ids, comma-separated", required: true, most: MAX_REQUEUED },
  ...requeueInput,
} as const;

export const rerunInput = {
  force: onOff("also register calls that are already waiting, where the task has or may have concurrency control", {
    flag: "--force",
  }),
  ...messageRoute,
} as const;
const { force, ...route } = rerunInput;

/** What is done with the invocations that match a filter. */
export const rerunChoice = {
  force,
  all: onOff("register every match, including those that another match called", { flag: "--all" }),
  limit: limit(100_000, 1_000, "take at most this many matches, newest first", "--limit <number>"),
  ...route,
  selected: text("only this match; may be repeated", { read: "all" }),
} as const;
const { force: _, selected, ...choice } = rerunChoice;

export const rerunManyInput = { force, ...invocationFilter, ...choice, inv_ids, selected } as const;

/** What unmute takes too. */
export const unmuteInput = {
  code: text("the code of a verdict", {
    argument: "code",
    required: true,
    accepted: "the code of a verdict, such as stuck_pending",
  }),
  ids: text("only for this thing; repeatable. Verdicts on other things are still shown", {
    flag: "--id <id>",
    repeatable: true,
    list: true,
    read: "all",
  }),
} as const;

export const muteInput = {
  ...unmuteInput,
  everything: onOff("every verdict with this code, whatever `ids` names", { usual: "0" }),
  for: text("how long: 8h (default), 3d; at most 90d", {
    flag: "--for <length>",
    form: /^.{1,40}$/,
    accepted: "a length of time such as 8h or 3d",
  }),
} as const;

export const auditInput = paging(1_000);
