import { type PythonValue, pythonFloat } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { inImmediateTransaction } from "../../stores/sqlite/file/driver.ts";
import type { DemoWriter } from "../writer/writer.ts";
import { type BrokerSettings, DemoApp, type Runner } from "./app.ts";
import { BILLING_TASKS, BILLING_TRIGGERS, SEND_INVOICE } from "./billing.ts";
import { createRandom, type Random } from "./random.ts";
import { Scheduler, type Steps } from "./scheduler.ts";
import {
  CALLS,
  EXHIBITS,
  type Exhibit,
  INTERRUPTED,
  MINUTE,
  RUNNERS,
  type RunnerPlan,
  STUCK_PENDING,
} from "./script.ts";
import { SERVICE_SETTINGS } from "./service-timing.ts";
import { EXPORT_YEAR, newOrder, PLACE_ORDER, SHOP_BROKER, SHOP_TASKS, SHOP_TRIGGERS } from "./shop.ts";

export const DEMO_APP_ID = "demo-shop";
export const SECOND_APP_ID = "demo-billing";

export const SHOP_MODULE = "shop.app";
export const BILLING_MODULE = "billing.app";

export interface StoryOptions {
  /** Current time of the story; nothing happens after it. */
  readonly now: EpochSeconds;
  readonly seed: number;
}

const STORY_SECONDS = 120 * MINUTE;
const SERVICE_INTERVAL_SECONDS = 15;
/** The atomic service stops this long before the end, so that no run is cut off. */
const QUIET_END_SECONDS = 8;

/**
 * Writes two hours of a shop's activity up to `now`, and a small second app into the same file. The same seed and time give the same rows, and the
 * same seed at another time the same ids. Intended
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
    for (const [at, call] of CALLS.entries())
      this.#at(call.at * MINUTE, () => app.call(call.task, call.args, backOffice, app.random.of(`call ${at}`)));
    for (const one of INTERRUPTED) this.#at(one.at * MINUTE, () => this.#interrupt(one.runner, one.seconds));
    this.#at(STUCK_PENDING.at * MINUTE, () => this.#strandPending(backOffice));
    for (const [at, exhibit] of EXHIBITS.entries())
      app.scheduler.spawn(
        this.#show(exhibit, app.random.of(`exhibit ${at}`)),
        STORY_SECONDS - Number.parseFloat(exhibit.path),
      );
    this.#at(20 * MINUTE, () => this.#mishap("blocked"));
    this.#at(33 * MINUTE, () => this.#mishap("abandoned"));
    // One half of an AND whose other half never arrives, and events that no loop has processed yet.
    this.#at(25 * MINUTE, () =>
      app.emit("payment.captured", { order_id: "ORD-GHOST", amount: 1 }, backOffice, app.random.of("ghost")),
    );
    this.#at(2, () =>
      app.emit("order.placed", { order_id: "ORD-LATE", total: 612.5, vip: true }, this.#web, app.random.of("late")),
    );
    app.scheduler.spawn(this.#orders());
    app.scheduler.spawn(app.service(this.#end - QUIET_END_SECONDS));
    app.scheduler.runUntil(this.#end);
  }

  /** Runs an action this many seconds before the end. */
  #at(before: number, action: () => void): void {
    this.#app.scheduler.after(this.#end - before - this.#app.now, action);
  }

  *#orders(): Steps {
    const random = this.#app.random.of("orders");
    for (let number = 1; ; number++) {
      yield random.between(120, 290);
      this.#app.call(PLACE_ORDER, newOrder(random, number), this.#web, random);
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
    const random = this.#app.random.of(`interrupted after ${seconds}`);
    const args = this.#app.serialize({ seconds });
    const call = this.#app.register(EXPORT_YEAR, args, this.#web, random, { enqueue: false });
    this.#app.start(call, this.#runner(runner));
  }

  #strandPending(caller: string): void {
    const args = this.#app.serialize({ parcel: 404, copies: 1 });
    const random = this.#app.random.of("stranded");
    const call = this.#app.register("shop.fulfilment.print_label", args, caller, random, { enqueue: false });
    this.#app.move(call, "pending", this.#runner(STUCK_PENDING.runner).id);
  }

  #mishap(kind: "abandoned" | "blocked"): void {
    this.#app.nextServiceMishap = kind;
  }

  *#show(exhibit: Exhibit, random: Random): Steps {
    const app = this.#app;
    const [, ...moves] = exhibit.path.split(", ").map((step) => step.split(" "));
    const call = app.register(exhibit.task, app.serialize(exhibit.args ?? {}), this.#web, random, { enqueue: false });
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
    const random = app.random.of("invoices");
    for (let number = 1; ; number++) {
      yield random.between(120, 240);
      app.call(SEND_INVOICE, { number }, caller, random);
    }
  }
  app.scheduler.spawn(invoices());
  app.scheduler.spawn(app.service(now - QUIET_END_SECONDS));
  app.scheduler.runUntil(now);
}
