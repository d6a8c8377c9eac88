import { StoreUnreachableError } from "../errors.ts";
import { RECOVERY_TASKS } from "../pynenc/identifiers.ts";
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
  /** Current time, epoch seconds. */
  readonly clock: () => EpochSeconds;
  readonly intervalMs: number;
  readonly seed: number;
  /** Age after which final invocations are removed. Default: three hours. */
  readonly retentionSeconds?: number;
  /** Called once after a permanent error (the file was removed). The demo then stops. */
  readonly onStop?: (error: unknown) => void;
  /** Called once if the server cannot be reached. The demo continues when it is back. */
  readonly onLost?: (error: StoreUnreachableError) => void;
}

export interface Live {
  /** Resolves when the tick in progress is done. */
  stop(): Promise<void>;
  /** Reads changes made by others, then writes everything up to the clock's current time in one transaction. */
  tick(): Promise<void>;
}

const SERVICE_INTERVAL_SECONDS = 5;
const RETENTION_SECONDS = 3 * 3600;
const RETENTION_INTERVAL_SECONDS = 60;
/** A longer gap between ticks means that the machine slept: the time is skipped, not caught up. */
const LONGEST_GAP_SECONDS = 60;
/** A runner whose last heartbeat is older is not continued. */
const ADOPT_WITHIN_SECONDS = 120;
const DEFAULT_RUNNER: RunnerSpec = { cls: "ThreadRunner", hostname: "worker-1", pid: 4101, slots: 4 };

/** Keeps the demo shop in a file or a server running. */
export async function startLive(writer: DemoWriter, options: LiveOptions): Promise<Live> {
  const { clock } = options;
  const moveTo = reopenShop(writer, { ...options, start: clock() });
  await writer.send();

  async function tick(): Promise<void> {
    await writer.readBack();
    moveTo(clock());
    await writer.send();
  }

  let stopped = false;
  let lost = false;
  let ticking = Promise.resolve();
  async function tickInTime(): Promise<void> {
    try {
      await tick();
      lost = false;
    } catch (error) {
      if (error instanceof StoreUnreachableError) {
        if (!lost) options.onLost?.(error);
        lost = true;
      } else if (!isBusy(error)) {
        stopped = true;
        options.onStop?.(error);
      }
    }
    if (!stopped) timer.refresh();
  }
  const timer = setTimeout(() => {
    ticking = tickInTime();
  }, options.intervalMs);
  timer.unref();
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    return ticking;
  };
  return { tick, stop };
}

/**
 * Reopens the shop: live runners send heartbeats and work, orders arrive, triggers fire, some tasks fail. Invocations that are unfinished at the
 * start are left unchanged, so that the story's exhibits remain visible.
 *
 * @returns a function that executes everything up to an instant in one transaction.
 */
function reopenShop(
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

/** Continues with the runners that are alive in the file, or starts a new one if there are none. */
function takeOver(app: DemoApp): void {
  const { writer } = app;
  // As long as the recovery that the story ends in runs, concurrency control drops every other one.
  const recoveries = new Set<string>(Object.values(RECOVERY_TASKS));
  for (const { invocation_id, runner_id } of writer.withStatus("running")) {
    const recovers = recoveries.has(writer.definitionOf(invocation_id)?.task_id_key ?? "");
    if (recovers && runner_id !== null) writer.succeed(invocation_id, "null", runner_id, app.now);
  }
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

/** Spec of a runner that can be continued. Not a ProcessRunner, which would add a context per invocation without limit. */
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
    app.call(PLACE_ORDER, newOrder(app.random, 10_000 + number), caller, app.random);
    if (number % 5 === 0)
      app.call(DELIVER_MAIL, { to: "dora@example.org", greylisted: app.random.int(0, 4) }, caller, app.random);
    if (number % 7 === 0) app.call(RENDER_REPORT, { region: "south" }, caller, app.random);
    if (number % 12 === 0) for (const shard of [0, 1]) app.call(REBUILD_INDEX, { shard }, caller, app.random);
  }
}

function* keepTidy(app: DemoApp, retentionSeconds: number): Steps {
  for (;;) {
    yield RETENTION_INTERVAL_SECONDS;
    const before = app.now - retentionSeconds;
    removeBefore(app.writer, before);
    app.triggers.forgetBefore(before);
    // A purge of the state backend by pynenc's own monitor also removes the app's description.
    describeShop(app.writer);
  }
}

/** Another process is writing. Nothing was written, so the next tick catches up. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
