/** Puts messages into the queue, in the form that the table has. */
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type ChosenRoute, DEFAULT_ROUTING, type Routing } from "../ports.ts";
import type { Access } from "./changes.ts";
import { number, text } from "./columns.ts";
import { orchestratorReads } from "./orchestrator.ts";
import { hasNamedQueues } from "./tables.ts";

/** Waiting invocations of a task among which a message is looked for. */
const LOOK_AT = 200;

export interface Messages {
  /** Where a message of this task goes; null where the one queue has no name. The same answer each time, also after messages were added. */
  routeOf(task: string): ChosenRoute | null;
  add(invocationId: string, route: ChosenRoute | null): void;
}

/** Whether queues have names is told by the columns and by nothing else: 0.4 leaves an older table as it is. */
export function messagesOf(access: Access, { tasks, fallback }: Routing = DEFAULT_ROUTING): Messages {
  const { changes, tables } = access("broker");
  const named = hasNamedQueues(tables);
  const known = new Map<string, ChosenRoute>();

  function choose(task: string): ChosenRoute {
    const given = tasks[task] ?? { queue_name: null, priority: null };
    const waiting = given.queue_name !== null && given.priority !== null ? null : waitingMessage(access, task);
    return {
      queue_name: given.queue_name ?? waiting?.queue_name ?? fallback.queue_name,
      priority: given.priority ?? waiting?.priority ?? fallback.priority,
      of_waiting: {
        queue_name: given.queue_name === null && waiting !== null,
        priority: given.priority === null && waiting !== null,
      },
    };
  }

  return {
    routeOf(task) {
      if (!named) return null;
      const route = known.get(task) ?? choose(task);
      known.set(task, route);
      return route;
    },

    // The number and the time of a message are the table's own defaults, as for those that pynenc adds.
    add(invocation_id, route) {
      const where = route === null ? {} : { queue_name: route.queue_name, priority: route.priority };
      changes.insert(tables.name("broker", "message_queue"), { invocation_id, ...where });
    },
  };
}

/** Queue and priority of the message that came last among those of the task's waiting invocations. */
function waitingMessage(access: Access, task: string): { queue_name: string; priority: number } | null {
  const broker = access("broker");
  const orchestrator = access("orchestrator");
  const waiting = orchestratorReads(orchestrator.changes, orchestrator.tables).listInvocations(
    { task_id_key: task, statuses: WAITING_STATUSES },
    { limit: LOOK_AT, offset: 0 },
  );
  const row = broker.changes.get(
    `SELECT queue_name, priority FROM ${broker.tables.name("broker", "message_queue")}
     WHERE invocation_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 1`,
    JSON.stringify(waiting.map(({ invocation_id }) => invocation_id)),
  );
  if (row === undefined) return null;
  return { queue_name: text(row.queue_name), priority: number(row.priority) };
}
