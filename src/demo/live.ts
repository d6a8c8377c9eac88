import { STATUSES } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { inImmediateTransaction } from "../stores/sqlite/file/driver.ts";
import { DemoApp, type RunnerSpec } from "./story/app.ts";
import { createRandom } from "./story/random.ts";
import { Scheduler, type Steps } from "./story/scheduler.ts";
import {
  DELIVER_MAIL,
  newOrder,
  PLACE_ORDER,
  REBUILD_INDEX,
  RENDER_REPORT,
  SHOP_BROKER,
  SHOP_TASKS,
  SHOP_TRIGGERS,
} from "./story/shop.ts";
import { describeShop } from "./story/story.ts";
import type { SeenRunner } from "./writer/operations.ts";
import { removeBefore } from "./writer/retention.ts";
import type { DemoWriter } from "./writer/writer.ts";

export interface LiveOptions {
  /** The present, epoch seconds. */
  readonly clock: () => EpochSeconds;
  readonly intervalMs: number;
  readonly seed: number;
  /** What became final longer ago is removed; three hours unless said otherwise. */
  readonly retentionSeconds?: number;
  /** Called once after an error that waiting cannot fix (the file was removed). The demo then stops. */
  readonly onStop?: (error: unknown) => void;
}

export interface Live {
  stop(): void;
  /** Writes everything that happened until the clock's present, in one transaction. */
  tick(): void;
}

const SERVICE_INTERVAL_SECONDS = 5;
const RETENTION_SECONDS = 3 * 3600;
const RETENTION_INTERVAL_SECONDS = 60;
/** A longer gap between ticks is a machine that slept: the time is skipped, not caught up. */
const LONGEST_GAP_SECONDS = 60;
/** A runner whose last heartbeat is older is not carried on. */
const ADOPT_WITHIN_SECONDS = 120;
const DEFAULT_RUNNER: RunnerSpec = { cls: "ThreadRunner", hostname: "worker-1", pid: 4101, slots: 4 };

/** Keeps the demo shop in a file moving. */
export function startLive(writer: DemoWriter, options: LiveOptions): Live {
  const { clock } = options;
  const moveTo = reopenShop(writer, { ...options, start: clock() });
  const tick = () => moveTo(clock());
  const timer = setInterval(() => {
    try {
      tick();
    } catch (error) {
      // Somebody else is writing; nothing has happened yet, so the next tick makes up for this one.
      if (isBusy(error)) return;
      clearInterval(timer);
      options.onStop?.(error);
    }
  }, options.intervalMs);
  timer.unref();
  return { tick, stop: () => clearInterval(timer) };
}

/**
 * Opens the shop again: its living runners beat and work on, orders come in, triggers fire, some things fail. What is unfinished when it
 * starts is left as it stands, so that the story's exhibits stay to be looked at.
 *
 * @returns lets everything happen that happens until an instant, in one transaction.
 */
export function reopenShop(
  writer: DemoWriter,
  {
    start,
    seed,
    retentionSeconds = RETENTION_SECONDS,
  }: Pick<LiveOptions, "seed" | "retentionSeconds"> & { start: EpochSeconds },
): (now: EpochSeconds) => void {
  const app = new DemoApp({
    writer,
    scheduler: new Scheduler(start),
    random: createRandom(seed, "live"),
    tasks: SHOP_TASKS,
    triggers: SHOP_TRIGGERS,
    broker: SHOP_BROKER,
    serviceIntervalSeconds: SERVICE_INTERVAL_SECONDS,
  });
  inImmediateTransaction(writer.db, () => takeOver(app));
  app.scheduler.spawn(orders(app));
  app.scheduler.spawn(app.service());
  app.scheduler.spawn(keepTidy(app, retentionSeconds));

  return (now) => {
    if (now - app.now > LONGEST_GAP_SECONDS) app.scheduler.skipTo(now);
    if (now <= app.now) return;
    inImmediateTransaction(writer.db, () => {
      app.pump();
      app.scheduler.runUntil(now);
    });
  };
}

/** Carries on with the runners that are alive in the file, or with a new one when there is none. */
function takeOver(app: DemoApp): void {
  const { writer } = app;
  for (const { name, final } of STATUSES) {
    if (!final) for (const { invocation_id } of writer.withStatus(name)) app.left.add(invocation_id);
  }
  for (const { invocation_id } of writer.messages()) app.left.add(invocation_id);
  writer.abandonServiceRuns(app.now);

  const contexts = writer.runnersSeenSince(app.now - ADOPT_WITHIN_SECONDS);
  for (const context of contexts) {
    const spec = specOf(context);
    if (!spec) continue;
    const workers = contexts.filter((one) => one.parent_ctx_id === context.runner_id).map((one) => one.runner_id);
    const slots = workers.length > 0 ? workers.length : DEFAULT_RUNNER.slots;
    app.adoptRunner({
      id: context.runner_id,
      spec: { ...spec, slots },
      alive: true,
      workers,
      executions: new Set(),
      nextQueue: 0,
    });
  }
  if (app.runners.length === 0) app.startRunner(DEFAULT_RUNNER);
  else app.triggers.register();
}

/** A runner that can be carried on; a ProcessRunner would add a context per invocation without end. */
function specOf({ runner_cls, parent_ctx_id, hostname, pid, queues }: SeenRunner): Omit<RunnerSpec, "slots"> | null {
  if (parent_ctx_id !== null || pid === null) return null;
  switch (runner_cls) {
    case "ThreadRunner":
    case "MultiThreadRunner":
    case "PersistentProcessRunner":
      return { cls: runner_cls, hostname, pid, queues };
    default:
      return null;
  }
}

function* orders(app: DemoApp): Steps {
  const caller = app.externalCaller("web-1", 2201);
  for (let number = 1; ; number++) {
    yield app.random.between(3, 11);
    app.call(PLACE_ORDER, newOrder(app.random, 10_000 + number), caller);
    if (number % 5 === 0) app.call(DELIVER_MAIL, { to: "dora@example.org", greylisted: app.random.int(0, 4) }, caller);
    if (number % 7 === 0) app.call(RENDER_REPORT, { region: "south" }, caller);
    if (number % 12 === 0) for (const shard of [0, 1]) app.call(REBUILD_INDEX, { shard }, caller);
  }
}

function* keepTidy(app: DemoApp, retentionSeconds: number): Steps {
  for (;;) {
    yield RETENTION_INTERVAL_SECONDS;
    const before = app.now - retentionSeconds;
    removeBefore(app.writer, before);
    app.triggers.forgetBefore(before);
    // A purge of the state backend by pynenc's own monitor takes the app's description with it.
    describeShop(app.writer);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
