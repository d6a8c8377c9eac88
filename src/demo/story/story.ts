import { type PythonValue, pythonFloat } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { inImmediateTransaction } from "../../stores/sqlite/file/driver.ts";
import type { Values } from "../writer/conditions.ts";
import type { DemoWriter } from "../writer/writer.ts";
import { type BrokerSettings, DemoApp, type Runner, type RunnerSpec } from "./app.ts";
import { createRandom } from "./random.ts";
import { Scheduler, type Steps } from "./scheduler.ts";
import { SERVICE_SETTINGS } from "./service-timing.ts";
import {
  BILLING_TASKS,
  BILLING_TRIGGERS,
  CHARGE_CARD,
  COUNT_SHELF,
  DELIVER_MAIL,
  EXPIRED_CARD,
  EXPORT_YEAR,
  IMPORT_ITEM,
  MAIL_QUEUE,
  MISCOUNTED_SKU,
  newOrder,
  PLACE_ORDER,
  REBUILD_INDEX,
  RENDER_REPORT,
  REPORT_QUEUE,
  SEND_INVOICE,
  SEND_NEWSLETTER,
  SHOP_BROKER,
  SHOP_TASKS,
  SHOP_TRIGGERS,
  UNKNOWN_REGION,
} from "./shop.ts";

export const DEMO_APP_ID = "demo-shop";
export const SECOND_APP_ID = "demo-billing";

export const SHOP_MODULE = "shop.app";
export const BILLING_MODULE = "billing.app";

export interface StoryOptions {
  /** Current time of the story; nothing happens after it. */
  readonly now: EpochSeconds;
  readonly seed: number;
}

const MINUTE = 60;
const STORY_SECONDS = 120 * MINUTE;
const SERVICE_INTERVAL_SECONDS = 15;
/** The atomic service stops this long before the end, so that no run is cut off. */
const QUIET_END_SECONDS = 8;

interface RunnerPlan {
  readonly spec: RunnerSpec;
  /** Minutes before the end of the story. */
  readonly starts: number;
  readonly ends?: { readonly at: number; readonly by: "stop" | "crash" };
}

/** By the names by which exhibits refer to them. */
const RUNNERS: Readonly<Record<string, RunnerPlan>> = {
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
const CALLS: readonly { readonly at: number; readonly task: string; readonly args: Values }[] = [
  ...[1, 2, 3, 9].map((greylisted) => ({
    at: 100 - greylisted,
    task: DELIVER_MAIL,
    args: { to: "anna@example.org", greylisted },
  })),
  ...[0, 1, 2].map((shard) => ({ at: 75, task: REBUILD_INDEX, args: { shard } })),
  ...[0, 1, 2, 3].map((batch) => ({ at: 70, task: SEND_NEWSLETTER, args: { list: "Frühling", batch } })),
  { at: 96, task: COUNT_SHELF, args: { sku: MISCOUNTED_SKU } },
  { at: 95, task: CHARGE_CARD, args: { order_id: "ORD-00000", card: EXPIRED_CARD } },
  { at: 94, task: RENDER_REPORT, args: { region: UNKNOWN_REGION } },
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
];

/** Long runs placed on a runner that will not finish them. */
const INTERRUPTED: readonly { readonly runner: string; readonly at: number; readonly seconds: number }[] = [
  { runner: "process", at: 85.5, seconds: 120 },
  { runner: "unlucky", at: 62.5, seconds: 90 },
  { runner: "unlucky", at: 62.2, seconds: 45 },
];

/** An invocation taken by a runner that died before it started the code, so that it is stuck in pending and recovered. */
const STUCK_PENDING = { runner: "unlucky", at: 62.01 };

interface Exhibit {
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
const EXHIBITS: readonly Exhibit[] = [
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
  // Stuck on a dead runner.
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
    runner: "dead",
    path: "680 registered, 679.5 pending, 0.2 pending_recovery",
  },
  { task: REBUILD_INDEX, args: { shard: 9 }, runner: "main", path: "3 registered, 0.6 concurrency_controlled" },
];

/**
 * Writes two hours of a shop's activity up to `now`, and a small second app into the same file. The same seed and time give the same rows. Intended
 * for an empty file; the writer's app id should be `demo-shop`.
 */
export function writeDemoStory(writer: DemoWriter, { now, seed }: StoryOptions): void {
  inImmediateTransaction(writer.db, () => {
    describeShop(writer);
    new ShopStory(writer, now, seed).run();
    writeBilling(writer.forApp(SECOND_APP_ID), now, seed + 1);
  });
}

/** Registers the shop, also again after a purge: without this row the app cannot be found. */
export function describeShop(writer: DemoWriter): void {
  writer.describeApp(SHOP_MODULE, {
    serializer_cls: "JsonPickleSerializer",
    broker_cls: writer.brokerClass,
    ...SERVICE_SETTINGS,
    ...(writer.namedQueues && { broker: publishedBroker(SHOP_BROKER) }),
  });
}

/** Queue settings as published by an app; priorities are floats in Python. */
export function publishedBroker({ queues, priority_rules }: BrokerSettings): PythonValue {
  const rules = priority_rules.map(({ task_id, priority }) => ({ task_id, priority: pythonFloat(priority) }));
  return { queues, priority_rules: rules };
}

class ShopStory {
  readonly #app: DemoApp;
  readonly #end: EpochSeconds;
  readonly #runners = new Map<string, Runner>();
  readonly #exhibits = new Map<string, InvocationRecord>();
  #web = "";

  constructor(writer: DemoWriter, now: EpochSeconds, seed: number) {
    this.#end = now;
    this.#app = new DemoApp({
      writer,
      scheduler: new Scheduler(now - STORY_SECONDS),
      random: createRandom(seed, "story"),
      tasks: SHOP_TASKS,
      triggers: SHOP_TRIGGERS,
      broker: SHOP_BROKER,
      serviceIntervalSeconds: SERVICE_INTERVAL_SECONDS,
    });
  }

  run(): void {
    const app = this.#app;
    this.#web = app.externalCaller("web-1", 2201);
    const backOffice = app.externalCaller("backoffice.example", 77);
    for (const [name, plan] of Object.entries(RUNNERS))
      this.#at(plan.starts * MINUTE, () => this.#startRunner(name, plan));
    for (const call of CALLS) this.#at(call.at * MINUTE, () => app.call(call.task, call.args, backOffice));
    for (const one of INTERRUPTED) this.#at(one.at * MINUTE, () => this.#interrupt(one.runner, one.seconds));
    this.#at(STUCK_PENDING.at * MINUTE, () => this.#strandPending(backOffice));
    for (const exhibit of EXHIBITS)
      app.scheduler.spawn(this.#show(exhibit), STORY_SECONDS - Number.parseFloat(exhibit.path));
    this.#at(20 * MINUTE, () => this.#mishap("blocked"));
    this.#at(33 * MINUTE, () => this.#mishap("abandoned"));
    // One half of an AND whose other half never arrives, and events that no loop has processed yet.
    this.#at(25 * MINUTE, () => app.emit("payment.captured", { order_id: "ORD-GHOST", amount: 1 }, backOffice));
    this.#at(2, () => app.emit("order.placed", { order_id: "ORD-LATE", total: 612.5, vip: true }, this.#web));
    app.scheduler.spawn(this.#orders());
    app.scheduler.spawn(app.service(this.#end - QUIET_END_SECONDS));
    app.scheduler.runUntil(this.#end);
  }

  /** Runs an action this many seconds before the end. */
  #at(before: number, action: () => void): void {
    this.#app.scheduler.after(this.#end - before - this.#app.now, action);
  }

  *#orders(): Steps {
    for (let number = 1; ; number++) {
      yield this.#app.random.between(120, 290);
      this.#app.call(PLACE_ORDER, newOrder(this.#app.random, number), this.#web);
    }
  }

  #startRunner(name: string, { spec, ends }: RunnerPlan): void {
    const runner = this.#app.startRunner(spec);
    this.#runners.set(name, runner);
    if (!ends) return;
    this.#at(ends.at * MINUTE, () =>
      ends.by === "stop" ? this.#app.stopRunner(runner) : this.#app.crashRunner(runner),
    );
  }

  #runner(name: string): Runner {
    const runner = this.#runners.get(name);
    if (!runner) throw new Error(`the story has not started the runner ${name}`);
    return runner;
  }

  #interrupt(runner: string, seconds: number): void {
    const call = this.#app.register(EXPORT_YEAR, this.#app.serialize({ seconds }), this.#web, { enqueue: false });
    this.#app.start(call, this.#runner(runner));
  }

  #strandPending(caller: string): void {
    const args = this.#app.serialize({ parcel: 404, copies: 1 });
    const call = this.#app.register("shop.fulfilment.print_label", args, caller, { enqueue: false });
    this.#app.move(call, "pending", this.#runner(STUCK_PENDING.runner).id);
  }

  #mishap(kind: "abandoned" | "blocked"): void {
    this.#app.nextServiceMishap = kind;
  }

  *#show(exhibit: Exhibit): Steps {
    const app = this.#app;
    const [, ...moves] = exhibit.path.split(", ").map((step) => step.split(" "));
    const call = app.register(exhibit.task, app.serialize(exhibit.args ?? {}), this.#web, { enqueue: false });
    app.left.add(call.invocation_id);
    if (exhibit.name !== undefined) this.#exhibits.set(exhibit.name, call);
    if (moves.length === 0) app.enqueue(call);
    for (const [before, status = ""] of moves) {
      yield this.#end - Number(before) - app.now;
      this.#enter(call, status, exhibit);
    }
  }

  #enter(call: InvocationRecord, status: string, exhibit: Exhibit): void {
    const app = this.#app;
    const runner = this.#runner(exhibit.runner);
    const contextId = runner.workers[0] ?? runner.id;
    // The owner changes the status of its invocation; recovery is done by a live runner.
    const actor = status.endsWith("_recovery") ? this.#runner("main").id : contextId;
    if (status === "running") app.writer.startRunning(call, actor, app.now);
    else app.move(call, status, actor);
    if (status === "rerouted" || status === "retry") app.enqueue(call);
    const waited = exhibit.waitsFor && this.#exhibits.get(exhibit.waitsFor);
    if (status === "paused" && waited) app.writer.block(call.invocation_id, waited.invocation_id, app.now);
  }
}

function writeBilling(writer: DemoWriter, now: EpochSeconds, seed: number): void {
  const start = now - 30 * MINUTE;
  const app = new DemoApp({
    writer,
    scheduler: new Scheduler(start),
    random: createRandom(seed, "story"),
    tasks: BILLING_TASKS,
    triggers: BILLING_TRIGGERS,
    serviceIntervalSeconds: SERVICE_INTERVAL_SECONDS,
  });
  writer.describeApp(BILLING_MODULE, SERVICE_SETTINGS);
  app.startRunner({ cls: "ThreadRunner", hostname: "worker-9", pid: 60, slots: 2 });
  const caller = app.externalCaller("backoffice.example", 81);
  function* invoices(): Steps {
    for (let number = 1; ; number++) {
      yield app.random.between(120, 240);
      app.call(SEND_INVOICE, { number }, caller);
    }
  }
  app.scheduler.spawn(invoices());
  app.scheduler.spawn(app.service(now - QUIET_END_SECONDS));
  app.scheduler.runUntil(now);
}
