/** The app of the generated data: its tasks, queues and events, and the lives of its invocations. */
import { pythonJson } from "../pynenc/python-dump.ts";
import type { BrokerSettings } from "./story/app.ts";
import { MAIL_QUEUE, REPORT_QUEUE } from "./story/shop.ts";
import { DEFAULT_ROUTE, type Route } from "./writer/operations.ts";

/** Possible lives of an invocation up to its last status: about six history entries on average, nine in ten succeed. */
const LIVES: readonly { readonly share: number; readonly path: readonly string[] }[] = [
  { share: 0.2, path: ["registered", "pending", "running", "success"] },
  { share: 0.29, path: ["registered", "pending", "running", "paused", "running", "success"] },
  { share: 0.15, path: ["registered", "concurrency_controlled", "rerouted", "pending", "running", "success"] },
  { share: 0.13, path: ["registered", "pending", "running", "retry", "pending", "running", "success"] },
  { share: 0.08, path: ["registered", "pending", "running", "killed", "rerouted", "pending", "running", "success"] },
  {
    share: 0.05,
    path: ["registered", "pending", "running", "running_recovery", "rerouted", "pending", "running", "success"],
  },
  { share: 0.08, path: ["registered", "pending", "running", "retry", "pending", "running", "failed"] },
  { share: 0.02, path: ["registered", "concurrency_controlled_final"] },
];

export const WAITING = ["registered"];

/** Minimum and maximum duration of a status in seconds. */
export const DURATIONS: Readonly<Record<string, readonly [low: number, high: number]>> = {
  registered: [0.02, 1],
  concurrency_controlled: [0.2, 1],
  rerouted: [0.02, 1],
  pending: [0.003, 0.06],
  running: [0.5, 12],
  paused: [0.5, 4],
  retry: [0.1, 1],
  killed: [0.001, 0.01],
  running_recovery: [0.002, 0.02],
};

const MODULES = [
  "shop.orders",
  "shop.payments",
  "shop.stock",
  "shop.mail",
  "shop.reports",
  "shop.catalog",
  "shop.search",
  "shop.users",
];

const FUNCTIONS = ["create", "update", "archive", "notify", "verify"];

export const TASKS = MODULES.flatMap((module) => FUNCTIONS.map((func) => `${module}.${func}`));

export const BROKER: BrokerSettings = { queues: ["default", MAIL_QUEUE, REPORT_QUEUE], priority_rules: [] };

/** Queues of modules that do not use the default queue. */
const MODULE_QUEUES: Readonly<Record<string, string>> = { "shop.mail": MAIL_QUEUE, "shop.reports": REPORT_QUEUE };

const FUNCTION_PRIORITIES: Readonly<Record<string, number>> = { notify: 10, archive: -10 };

/** Queues the runners are configured to consume, assigned in turn; an empty list means every queue. */
export const CONSUMED: readonly (readonly string[])[] = [[], [], ["default"], [MAIL_QUEUE, REPORT_QUEUE], []];

export const EVENT_CODES = ["order.created", "order.updated", "payment.captured", "stock.low"];

export const BULK_EXCEPTION = {
  name: "ValueError",
  pynencError: false,
  data: pythonJson({ "py/reduce": [{ "py/type": "builtins.ValueError" }, { "py/tuple": ["bulk"] }, {}] }),
};

export function routeOf(task: string): Route {
  const dot = task.lastIndexOf(".");
  return {
    queue_name: MODULE_QUEUES[task.slice(0, dot)] ?? DEFAULT_ROUTE.queue_name,
    priority: FUNCTION_PRIORITIES[task.slice(dot + 1)] ?? DEFAULT_ROUTE.priority,
  };
}

export function pickLife(chance: number): readonly string[] {
  let left = chance;
  for (const { share, path } of LIVES) {
    left -= share;
    if (left < 0) return path;
  }
  return (LIVES[0] as { path: readonly string[] }).path;
}
