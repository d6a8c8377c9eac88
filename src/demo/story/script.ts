import { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import type { Values } from "../writer/conditions.ts";
import type { RunnerSpec } from "./app.ts";
import {
  CHARGE_CARD,
  COUNT_SHELF,
  DELIVER_MAIL,
  EXPIRED_CARD,
  EXPORT_YEAR,
  HANDLE_RETURN,
  IMPORT_ITEM,
  MAIL_QUEUE,
  MISCOUNTED_SKU,
  PLACE_ORDER,
  REBUILD_INDEX,
  RENDER_REPORT,
  REPORT_QUEUE,
  SEND_NEWSLETTER,
} from "./shop.ts";

export const MINUTE = 60;
export interface RunnerPlan {
  readonly spec: RunnerSpec;
  /** Minutes before the end of the story. */
  readonly starts: number;
  readonly ends?: { readonly at: number; readonly by: "stop" | "crash" };
}

/** By the names by which exhibits refer to them. */
export const RUNNERS: Readonly<Record<string, RunnerPlan>> = {
  main: { spec: { cls: "ThreadRunner", hostname: "worker-1", pid: 4101, slots: 4 }, starts: 120 },
  multi: {
    spec: { cls: "MultiThreadRunner", hostname: "worker-2", pid: 977, slots: 2, queues: [MAIL_QUEUE, REPORT_QUEUE] },
    starts: 118,
  },
  process: {
    spec: { cls: "ProcessRunner", hostname: "worker-1", pid: 5230, slots: 3 },
    starts: 110,
    ends: { at: 85, by: "stop" },
  },
  unlucky: {
    spec: { cls: "ThreadRunner", hostname: "worker-3", pid: 311, slots: 2 },
    starts: 80,
    ends: { at: 62, by: "crash" },
  },
  persistent: {
    spec: {
      cls: "PersistentProcessRunner",
      hostname: "worker-2",
      pid: 1440,
      slots: 3,
      queues: ["default", MAIL_QUEUE],
    },
    starts: 55,
  },
  dead: {
    spec: { cls: "ThreadRunner", hostname: "worker-3", pid: 388, slots: 1 },
    starts: 40,
    ends: { at: 11, by: "crash" },
  },
};

/** Calls made at one moment of the story, in minutes before its end. */
export const CALLS: readonly { readonly at: number; readonly task: string; readonly args: Values }[] = [
  ...[1, 2, 3, 9].map((greylisted) => ({
    at: 100 - greylisted,
    task: DELIVER_MAIL,
    args: { to: "anna@example.org", greylisted },
  })),
  ...[0, 1, 2].map((shard) => ({ at: 75, task: REBUILD_INDEX, args: { shard } })),
  ...[0, 1, 2, 3].map((batch) => ({ at: 70, task: SEND_NEWSLETTER, args: { list: "Frühling", batch } })),
  { at: 96, task: COUNT_SHELF, args: { sku: MISCOUNTED_SKU } },
  { at: 95, task: CHARGE_CARD, args: { order_id: "ORD-00000", card: EXPIRED_CARD } },
  { at: 94, task: RENDER_REPORT, args: { region: "Atlantis" } },
  // Values that readers must handle: not JSON, beyond 2^53, markup, non-ASCII, envelopes, large.
  { at: 50, task: IMPORT_ITEM, args: { value: Number.NaN, note: "not a number" } },
  { at: 49.9, task: IMPORT_ITEM, args: { value: 12_345_678_901_234_567_890_123n, note: "beyond 2^53" } },
  { at: 49.8, task: IMPORT_ITEM, args: { value: Number.POSITIVE_INFINITY, note: '<b>größer</b> & "größer"\n終' } },
  { at: 49.7, task: IMPORT_ITEM, args: { value: { "py/tuple": [1, { "py/set": [2, 3] }] }, note: "jsonpickle" } },
  {
    at: 49.6,
    task: IMPORT_ITEM,
    args: {
      value: { __pynenc__enum__: { module: "shop.models", qualname: "Size", value: "XL" } },
      note: "JsonSerializer",
    },
  },
  { at: 49.5, task: IMPORT_ITEM, args: { value: "Datenblatt ".repeat(400), note: "large" } },
  { at: 49.4, task: IMPORT_ITEM, args: { value: null, note: "fails deeply" } },
  // A run of a workflow that gets through, and one that fails at a step.
  { at: 1.5, task: HANDLE_RETURN, args: { order_id: "ORD-00018", card: "valid" } },
  { at: 1.2, task: HANDLE_RETURN, args: { order_id: "ORD-00023", card: EXPIRED_CARD } },
];

/** Long runs placed on a runner that will not finish them. */
export const INTERRUPTED: readonly { readonly runner: string; readonly at: number; readonly seconds: number }[] = [
  { runner: "process", at: 85.5, seconds: 120 },
  { runner: "unlucky", at: 62.5, seconds: 90 },
  { runner: "unlucky", at: 62.2, seconds: 45 },
];

/** An invocation taken by a runner that died before it started the code, so that it is stuck in pending and recovered. */
export const STUCK_PENDING = { runner: "unlucky", at: 62.01 };

export interface Exhibit {
  /** By which another refers to it. */
  readonly name?: string;
  readonly task: string;
  readonly args?: Values;
  /** The runner that takes it. */
  readonly runner: string;
  /** Seconds before the end of the story and the status entered then; the first is `registered`. */
  readonly path: string;
  /** Name of the exhibit it waits for. */
  readonly waitsFor?: string;
}

/** Invocations frozen in a status at the end, including statuses that are otherwise rarely visible. */
export const EXHIBITS: readonly Exhibit[] = [
  // In the queue: waiting for long, for a moment, and with a low priority.
  { task: EXPORT_YEAR, args: { seconds: 1 }, runner: "main", path: "1500 registered" },
  {
    name: "mail",
    task: DELIVER_MAIL,
    args: { to: "björn@example.org", greylisted: 0 },
    runner: "main",
    path: "38 registered",
  },
  { task: PLACE_ORDER, args: { order_id: "ORD-LATE" }, runner: "main", path: "2.5 registered" },
  { task: SEND_NEWSLETTER, args: { list: "Sommer", batch: 0 }, runner: "main", path: "52 registered" },
  // Stuck on a silent runner.
  { task: EXPORT_YEAR, args: { seconds: 60 }, runner: "dead", path: "690 registered, 689.9 pending, 689.8 running" },
  {
    task: PLACE_ORDER,
    args: { order_id: "ORD-PAUSED" },
    runner: "main",
    path: "45 registered, 44.8 pending, 44.7 running, 37 paused",
    waitsFor: "mail",
  },
  { task: EXPORT_YEAR, args: { seconds: 600 }, runner: "multi", path: "150 registered, 149.6 pending, 149.5 running" },
  // Stuck in pending.
  { task: COUNT_SHELF, args: { sku: "RUG-β" }, runner: "persistent", path: "95 registered, 94.7 pending" },
  {
    task: EXPORT_YEAR,
    args: { seconds: 30 },
    runner: "multi",
    path: "21 registered, 20.7 pending, 20.6 running, 0.4 killed",
  },
  {
    task: RENDER_REPORT,
    args: { region: "north" },
    runner: "main",
    path: "14 registered, 13.7 pending, 13.6 running, 1.2 killed, 1.1 rerouted",
  },
  {
    task: DELIVER_MAIL,
    args: { to: "carl@example.org", greylisted: 3 },
    runner: "persistent",
    path: "9 registered, 8.8 pending, 8.7 running, 0.9 retry",
  },
  {
    task: EXPORT_YEAR,
    args: { seconds: 20 },
    runner: "dead",
    path: "700 registered, 699.8 pending, 699.7 running, 0.3 running_recovery",
  },
  {
    task: "shop.stock.reserve",
    args: { order_id: "ORD-LOST" },
    runner: "persistent",
    path: "100 registered, 99.5 pending, 0.2 pending_recovery",
  },
  // The runs that took these two and have not requeued them yet.
  ...[RECOVERY_TASKS.running, RECOVERY_TASKS.pending].map((task) => ({
    task,
    runner: "main",
    path: "0.9 registered, 0.7 pending, 0.6 running",
  })),
  { task: REBUILD_INDEX, args: { shard: 9 }, runner: "main", path: "3 registered, 0.6 concurrency_controlled" },
];
