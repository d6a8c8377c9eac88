/** Runs in the thread of a RollupThread: folds new entries every few seconds, and the past with short pauses for other readers and writers. */
import { setTimeout as sleep } from "node:timers/promises";
import { type RequestedSpan, rollupAnswers } from "../../rollups/reads.ts";
import { connectStore, storedState } from "../../stores/connect.ts";
import type { AppStore, Store } from "../../stores/ports/store.ts";
import { answerOrders } from "../../stores/threads/orders.ts";
import { answerTo } from "../../stores/threads/port-calls.ts";
import { CacheFile, cacheKey } from "./cache-file.ts";
import { Follower } from "./follower.ts";
import { Keeper } from "./keeper.ts";
import { FoldState } from "./kept-answers.ts";
import type { FollowedApp, RollupOrder } from "./rollup-thread.ts";

/** Milliseconds between polls for new entries. */
const PAUSE = 2_000;

/** Pause after a stretch of a file, as a share of the time it took, so that others can read and write. A server has a limit of its own. */
const REST = 0.1;

/** With nothing to read, minutes are added up for so many milliseconds at a time, with pauses in which questions are answered. */
const SUM = 25;
const SUM_PAUSE = 100;

/** Milliseconds until the first retry after a failure of the store, and the maximum. */
const RETRY = 1_000;
const LONGEST_RETRY = 30_000;

/** Milliseconds that a query waits for its range to be read. */
const PATIENCE = 1_000;

/** A history that is not read so many milliseconds after the start is a long one: no query waits for the end of it. */
const SHORT_HISTORY = 3_000;
const POLL = 20;

let store: Store | null = null;
/** Queries may arrive while the store is still being opened. */
let following: Promise<Follower> | null = null;
/** By the monotonic clock. */
let followingSince = 0;
let closed = false;
/** Null without a cache folder. */
let keeper: Keeper | null = null;

answerOrders<RollupOrder>(async (order) => {
  switch (order.verb) {
    case "follow": {
      followingSince = performance.now();
      following = begin(order, new FoldState(order.state));
      await following;
      return;
    }
    case "ask": {
      if (following === null) throw new Error("nothing is followed");
      const follower = await following;
      await reached(follower, order.call.args[0]);
      return answerTo(rollupAnswers(follower), order.call);
    }
    case "close":
      closed = true;
      keeper?.save();
      await store?.close();
  }
});

async function begin(order: FollowedApp, state: FoldState): Promise<Follower> {
  const { address, app_id, max_commands, cache_folder } = order;
  store = await connectStore(address, {
    ...{ threads: 0, follows: true, lockWait: 0 },
    ...{ readOnly: true, maxCommands: max_commands },
  });
  const app = store.app(app_id);
  const follower = new Follower(
    app,
    () => Date.now() / 1000,
    undefined,
    () => storedState(address),
  );
  if (cache_folder !== null) {
    keeper = new Keeper(follower, new CacheFile(cache_folder, cacheKey(address, app_id)));
  }
  void follow(app, follower, state);
  return follower;
}

async function follow(app: AppStore, follower: Follower, state: FoldState): Promise<void> {
  let version: string | null = null;
  /** The last step left something to read, so the store need not be asked whether it has changed. */
  let reading = false;
  let failures = 0;
  let resumed = false;
  while (!closed) {
    const startedAt = performance.now();
    try {
      const latest: string | null = reading ? null : await app.version();
      if (!resumed) await keeper?.resume();
      resumed = true;
      // An unchanged store is only checked for deletions from time to time.
      const idle: boolean = latest !== null && latest === version && !follower.isCheckDue;
      reading = idle ? false : await (keeper ?? follower).step();
      if (idle) follower.confirm();
      else state.changed();
      state.current(follower.currentUntil * 1_000);
      version = latest;
      failures = 0;
      const rest = app.loads.length > 0 ? 0 : REST;
      if (reading) await sleep((performance.now() - startedAt) * rest);
      else await sleep(follower.rollup.sumHours(SUM) ? SUM_PAUSE : PAUSE);
    } catch {
      // Pages report what is wrong with the store.
      state.changed();
      version = null;
      reading = false;
      await sleep(Math.min(LONGEST_RETRY, RETRY * 2 ** failures++));
    }
  }
}

async function reached(follower: Follower, span: RequestedSpan): Promise<void> {
  const patient = performance.now() + (span.patience ?? PATIENCE);
  const until = span.whole === true ? Math.min(patient, followingSince + SHORT_HISTORY) : patient;
  while (performance.now() < until && !follower.answers(span)) await sleep(POLL);
}
