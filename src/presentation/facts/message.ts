/** What is said of queues and their messages. */
import type { QueueHealth, QueueState } from "../../api/health.ts";
import type { QueuedInvocation } from "../../api/model/queued-invocations.ts";
import { isMissed, NOTHING, QUEUE_STATES } from "../text.ts";
import { type Column, countColumn, idColumn, timeColumn } from "./column.ts";
import { absent, type FactValue } from "./fact.ts";

/** Messages of each queue in the order in which runners take them. Without named queues there are no queues and no priorities to show. */
export const MESSAGE_COLUMNS: readonly Column<QueuedInvocation>[] = [
  { of: ["queue_name"], label: "Queue", min: 8, value: (row) => queueLink(row.queue_name) },
  countColumn("place", "Position", { hint: "In its queue; 1 is taken next", optional: true }),
  {
    of: ["priority"],
    label: "Priority",
    align: "end",
    hint: "Higher is taken first",
    optional: true,
    value: ({ priority }) => (priority === null ? null : String(priority)),
  },
  idColumn("invocation_id", "Invocation", "invocation", { names: true, id: true }),
  {
    of: ["task_id_key"],
    label: "Task",
    value: ({ task_id_key: task }) => (task === null ? absent("not stored") : { task }),
  },
  { of: ["status"], label: "Status", optional: true, value: statusOf },
  {
    of: ["queued_at"],
    label: "Waiting since",
    hint: "When the message was added to the queue",
    value: ({ queued_at: time, queued_seconds: ago }) => (ago === null ? { time } : { time, ago }),
  },
  timeColumn("registered_at", "Registered", { hint: "When the invocation was registered", page: true }),
  countColumn("retry_count", "Retries", { page: true }),
];

/** Columns that an app without named queues has no use for. */
export const OF_NAMED_QUEUES = ["queue_name", "priority"];

/** Columns that messages to be deleted do without. @param queue the only one they are in. */
export function hiddenMessageColumns(queue: string | null): string[] {
  return ["registered_at", "retry_count", ...(queue === null ? [] : ["queue_name"])];
}

function queueLink(name: string | null): FactValue {
  return name === null ? NOTHING : { text: name, to: { queue: { queue: name } } };
}

function statusOf(row: QueuedInvocation): FactValue {
  if (!row.final) return { status_of: row };
  const hint = "The invocation has ended. A runner that takes the message drops it.";
  return { parts: [{ status_of: row }, { text: "left over", look: "muted", hint }] };
}

/** What is waiting in each queue, since when, and which runners take from it. */
export const QUEUE_COLUMNS: readonly Column<QueueHealth>[] = [
  { of: ["queue_name"], label: "Queue", min: 10, value: (row) => queueLink(row.queue_name) },
  { of: ["health"], label: "State", value: stateOf },
  countColumn("waiting", "Waiting", { hint: "Messages of invocations that are not final" }),
  {
    of: ["oldest_queued_at"],
    label: "Oldest",
    hint: "In the queue since",
    optional: true,
    value: ({ oldest_queued_at: time, oldest_seconds: ago }) => (ago === null ? { time } : { time, ago }),
  },
  countColumn("active_consumers", "Active consumers", {
    hint: "Active runners that take messages from it: of a parent, its workers",
  }),
  {
    of: ["finished"],
    label: "Left over",
    align: "end",
    hint: "Messages of invocations that have ended. Runners drop them",
    optional: true,
    value: ({ finished }) =>
      finished === null ? absent("not known", "Too many messages to check each one") : { count: finished },
  },
];

function stateOf(queue: QueueHealth): FactValue {
  const hint = QUEUE_MEANINGS[queue.health];
  // Not green: its messages may still wait long.
  return { mark: QUEUE_STATES[queue.health], hint, ...(isMissed(queue) && { tone: "bad" as const }) };
}

/** What the state of a queue means. */
export const QUEUE_MEANINGS: Record<QueueState, string> = {
  consuming: "an active runner takes messages from it",
  not_consumed: "no active runner takes messages from it",
  not_configured: "not declared in broker.queues: only runners that name it in runner.queues take from it",
  unknown: "not known which queues are declared or consumed",
};
