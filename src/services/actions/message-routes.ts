/**
 * Determines queue and priority for messages of new calls, and the reason. If neither the request nor a setting decides, waiting messages of the
 * same task reveal the setting in the task's code, which is not stored.
 */
import type { RouteGroup, ShownRoute } from "../../api/actions.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { InvalidInputError } from "../../errors.ts";
import { counted, grouped } from "../../pynenc/numbers.ts";
import { decidingRule } from "../../pynenc/priority-rules.ts";
import { isUsable } from "../../pynenc/setting-checks.ts";
import type { PriorityRule } from "../../pynenc/setting-values.ts";
import { SETTINGS, type SettingDefinition } from "../../pynenc/settings.ts";
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { DEFAULT_ROUTING, type MessageRoute, type Routing } from "../../stores/ports/actions.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { mixedLayouts } from "../model/mixed-layouts.ts";
import { declaration } from "../model/queue-consumers.ts";
import { queuesOf } from "../model/queue-health.ts";

/** The requested route, for all calls of one action. */
export interface RequestedRoute {
  queue: string | undefined;
  priority: number | undefined;
}

export interface RoutePlan {
  /** The route passed to the store, the same for the whole action. */
  routing: Routing;
  /** The route of a task's messages and the reason for it. */
  shown(task: string): ShownRoute;
}

interface Sourced<Value> {
  value: Value;
  by: string;
}

/**
 * @param tasks of the calls.
 * @throws InvalidInputError if a queue or a priority is requested in a store without named queues.
 */
export async function routePlan(
  app: Pick<OpenedApp, "settings">,
  reads: AppReads,
  tasks: Iterable<string>,
  requested: RequestedRoute,
): Promise<RoutePlan> {
  const { named } = await reads.broker.layout();
  if (!named) assertNothingRequested(requested);
  const { fallback } = DEFAULT_ROUTING;
  const decided = [...new Set(tasks)].map((task) => ({
    task,
    queue:
      requested.queue === undefined ? ofTask<string>(app, task, "queue") : { value: requested.queue, by: REQUESTED },
    priority:
      requested.priority === undefined
        ? (ruleFor(app, task) ?? ofTask<number>(app, task, "priority"))
        : { value: requested.priority, by: REQUESTED },
  }));
  const open = named ? decided.filter(({ queue, priority }) => queue === null || priority === null) : [];
  const waiting = await waitingRoutes(
    reads,
    open.map(({ task }) => task),
  );
  const routes = new Map(
    decided.map(({ task, queue, priority }): [string, ShownRoute] => {
      const seen = waiting.get(task);
      const queueSource = queue ?? fromLastMessage(seen?.queue_name) ?? ofAllTasks(app, "queue", fallback.queue_name);
      const prioritySource =
        priority ?? fromLastMessage(seen?.priority) ?? ofAllTasks(app, "priority", fallback.priority);
      return [
        task,
        {
          queue_name: queueSource.value,
          priority: prioritySource.value,
          queue_told_by: queueSource.by,
          priority_told_by: prioritySource.by,
        },
      ];
    }),
  );
  return {
    routing: {
      tasks: Object.fromEntries(
        [...routes].map(([task, { queue_name, priority }]) => [task, { queue_name, priority }]),
      ),
      fallback,
    },
    // Status and definition of an invocation may name different tasks; for tasks not requested here the store uses the fallback.
    shown: (task) => routes.get(task) ?? { ...fallback, queue_told_by: NOTHING_FOUND, priority_told_by: NOTHING_FOUND },
  };
}

const WAITING_MESSAGES = "as its waiting messages";

function fromLastMessage<Value>(value: Value | undefined): Sourced<Value> | null {
  return value === undefined ? null : { value, by: WAITING_MESSAGES };
}

function assertNothingRequested({ queue, priority }: RequestedRoute): void {
  const accepted = "this store has no named queues or priorities (pynenc before 0.4)";
  const problems = [
    ...(queue === undefined ? [] : [{ parameter: "queue", value: queue, accepted }]),
    ...(priority === undefined ? [] : [{ parameter: "priority", value: String(priority), accepted }]),
  ];
  if (problems.length > 0) throw new InvalidInputError(problems);
}

const REQUESTED = "requested";

/** Number of the newest waiting invocations of a task that are inspected. */
const INSPECTED = 20;

/**
 * The most frequent queue and priority among the waiting messages of each task; the newest wins a tie. The majority decides because single
 * messages may have been sent elsewhere by hand.
 */
async function waitingRoutes(reads: AppReads, tasks: readonly string[]): Promise<Map<string, MessageRoute>> {
  const lists = await Promise.all(
    tasks.map((task_id_key) =>
      reads.orchestrator.listInvocations({ task_id_key, statuses: WAITING_STATUSES }, { limit: INSPECTED, offset: 0 }),
    ),
  );
  const taskOf = new Map(lists.flat().map((row) => [row.invocation_id, row.task_id_key]));
  const counts = new Map<string, Map<string, { route: MessageRoute; messages: number }>>();
  for (const { invocation_id, queue_name, priority } of await reads.broker.messagesOf([...taskOf.keys()])) {
    const task = taskOf.get(invocation_id);
    if (task === undefined || queue_name === null || priority === null) continue;
    const ofTask = counts.get(task) ?? new Map();
    const key = JSON.stringify([queue_name, priority]);
    const messages = (ofTask.get(key)?.messages ?? 0) + 1;
    // The latest is set last, so it wins ties.
    ofTask.delete(key);
    ofTask.set(key, { route: { queue_name, priority }, messages });
    counts.set(task, ofTask);
  }
  return new Map(
    [...counts].map(([task, routes]) => {
      const most = [...routes.values()].reduce((best, one) => (one.messages >= best.messages ? one : best));
      return [task, most.route];
    }),
  );
}

/** What variables and configuration files say about one task; null if they have no value that pynenc accepts. */
function ofTask<Value>({ settings }: Pick<OpenedApp, "settings">, task: string, field: string): Sourced<Value> | null {
  const found = settings.ofTask(task, field);
  return found === null || !isUsable(taskSetting(field), found)
    ? null
    : { value: found.value as Value, by: found.origin };
}

function ruleFor({ settings }: Pick<OpenedApp, "settings">, task: string): Sourced<number> | null {
  const setting = settings.get("broker.priority_rules");
  const definition = SETTINGS.find(({ field }) => field === "priority_rules");
  if (setting === undefined || definition === undefined || !isUsable(definition, setting)) return null;
  const rule = decidingRule(setting.value as readonly PriorityRule[], task);
  return rule === null ? null : { value: rule.priority, by: `priority rule ${rule.task_id} (${setting.origin})` };
}

function taskSetting(field: string): SettingDefinition {
  const definition = SETTINGS.find((one) => one.config_class === "ConfigTask" && one.field === field);
  if (definition === undefined) throw new Error(`tasks have no setting ${field}`);
  return definition;
}

/** The task's code may say something else, but code is not stored. */
const NOTHING_FOUND = "pynenc's default; the task's own is not stored";

/** Settings for all tasks, which a task's code overrides. */
function ofAllTasks<Value>({ settings }: Pick<OpenedApp, "settings">, field: string, fallback: Value): Sourced<Value> {
  const found = settings.get(`task.${field}`);
  if (found === undefined || found.origin === DEFAULT_ORIGIN || !isUsable(taskSetting(field), found))
    return { value: fallback, by: NOTHING_FOUND };
  return { value: found.value as Value, by: found.origin };
}

/** Routes of several messages, the largest groups first. */
export function routeGroups(
  plan: RoutePlan,
  answers: readonly { task_id_key: string | null; route: MessageRoute | null }[],
): RouteGroup[] {
  const groups = new Map<string, RouteGroup & { of: Set<string> }>();
  for (const { task_id_key: task, route } of answers) {
    if (route === null || task === null) continue;
    const shown = plan.shown(task);
    const key = JSON.stringify(shown);
    const group = groups.get(key) ?? { ...shown, task_id_key: task, tasks: 0, messages: 0, of: new Set() };
    group.of.add(task);
    groups.set(key, { ...group, tasks: group.of.size, messages: group.messages + 1 });
  }
  return [...groups.values()].sort((a, b) => b.messages - a.messages).map(({ of: _, ...group }) => group);
}

/** Limit of groups named in a sentence. */
const MAX_SENTENCES = 5;

/** Where messages would go, how certain that is, and what is wrong with it; without named queues only what is wrong. */
export async function routeNotes(app: OpenedApp, reads: AppReads, groups: readonly RouteGroup[]): Promise<string[]> {
  const [capabilities, { named, note }] = await Promise.all([reads.layout.capabilities(), reads.broker.layout()]);
  const mixed = [...mixedLayouts(app, capabilities, named), ...(note === null ? [] : [note])];
  if (groups.length === 0) return mixed;
  const rest = groups.slice(MAX_SENTENCES).reduce((sum, { messages }) => sum + messages, 0);
  const { queues, unreachable } = await queuesOf(app, reads);
  const isDeclared = declaration(app);
  const names = new Set(groups.map((group) => group.queue_name));
  const warnings = [...names].flatMap((name) => {
    const health = queues.find((one) => one.queue_name === name);
    // A queue that is not listed is empty and named by no runner, unless the queues cannot be read.
    const unconsumed =
      health === undefined ? unreachable === null : health.active_consumers === 0 && health.health !== "unknown";
    const sentences = [
      ...(isDeclared(name) === false ? [`Queue ${name} is not declared in broker.queues.`] : []),
      ...(unconsumed ? [`No active runner is known to take from queue ${name}.`] : []),
    ];
    return sentences.length === 0 ? [] : [sentences.join(" ")];
  });
  return [
    ...groups.slice(0, MAX_SENTENCES).map(routeSentence),
    ...(rest === 0
      ? []
      : [`${counted(rest, "more message goes", "more messages go")} elsewhere (other queue or priority).`]),
    "This queue and priority hold for the next run only: after a retry or recovery, messages go to the task's own queue.",
    ...warnings,
    ...mixed,
  ];
}

function routeSentence({ messages, tasks, task_id_key, queue_name, priority, ...by }: RouteGroup): string {
  const whose = tasks === 1 ? task_id_key : counted(tasks, "task");
  const subject = messages === 1 ? `The message of ${whose} goes` : `${grouped(messages)} messages of ${whose} go`;
  const same = by.queue_told_by === by.priority_told_by;
  return `${subject} to queue ${queue_name}${same ? "" : ` (${by.queue_told_by})`} with priority ${priority} (${by.priority_told_by}).`;
}

/** ` into queue mail with priority 5`; empty without named queues. */
export function routeWords(route: Pick<ShownRoute, "queue_name" | "priority"> | null): string {
  return route === null ? "" : ` into queue ${route.queue_name} with priority ${route.priority}`;
}
