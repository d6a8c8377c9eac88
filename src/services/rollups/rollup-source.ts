/** Sources of counts over time: a thread of the server, or the command itself. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RequestedSpan, RollupAnswers, RollupReads } from "../../rollups/reads.ts";
import type { StoreAddress } from "../../stores/connect.ts";
import type { AppStore } from "../../stores/ports/store.ts";
import { answerTo, portOver } from "../../stores/threads/port-calls.ts";
import type { OpenRollups } from "../app/workspace.ts";
import type { Follower } from "./follower.ts";
import { RollupThread } from "./rollup-thread.ts";

/** Milliseconds that a command waits for its range. After that it answers with what is known and says that it is incomplete. */
const PATIENCE = 30_000;

/**
 * For a command. It continues from what a server has saved, and saves nothing itself: it reads only a part of the past.
 *
 * @param cacheFolder as in `rollupsOfServer`.
 */
export function rollupsOfCommand(cacheFolder: string | null): OpenRollups {
  return (app, { address, now }) => ({
    reads: rollupsHere(app, now, undefined, undefined, cacheFolder === null ? null : { address, cacheFolder }),
    start: () => undefined,
    close: async () => undefined,
  });
}

/**
 * For a server. Its thread has its own limit: half of the commands that pages may send to a server.
 *
 * @param cacheFolder folder of the cache for the next start; null for no cache.
 */
export function rollupsOfServer(cacheFolder: string | null): OpenRollups {
  return (app, { address, maxCommands }) =>
    new RollupThread({
      address,
      app_id: app.app_id,
      max_commands: maxCommands && Math.ceil(maxCommands / 2),
      cache_folder: cacheFolder,
    });
}

/**
 * Answers in this thread and reads as far back as requested. The modules are loaded with the first query.
 *
 * @param saved what a server has counted; by default nothing.
 */
export function rollupsHere(
  store: AppStore,
  now: () => EpochSeconds,
  patience = PATIENCE,
  clock = () => performance.now(),
  saved: SavedBy | null = null,
): RollupReads {
  let follower: Follower | null = null;
  /** Queries run one after the other, because each may have to read. */
  let last: Promise<unknown> = Promise.resolve();

  async function answersFor(span: RequestedSpan): Promise<RollupAnswers> {
    const until = clock() + (span.patience ?? patience);
    follower ??= await followerOf(store, now, saved);
    const { rollupAnswers } = await import("../../rollups/reads.ts");
    const wanted = span.whole === true ? undefined : follower.rollup.buckets.aligned(span);
    let more = await follower.step(wanted);
    while (more && !follower.answers(span) && clock() < until) more = await follower.step(wanted);
    return rollupAnswers(follower);
  }

  return portOver<RollupReads>((call) => {
    const answer = last.then(async () => answerTo(await answersFor(call.args[0]), call));
    last = answer.catch(() => undefined);
    return answer;
  });
}

/** A server that saves what it has counted. */
interface SavedBy {
  address: StoreAddress;
  cacheFolder: string;
}

/** @throws StoreUnreachableError */
async function followerOf(store: AppStore, now: () => EpochSeconds, saved: SavedBy | null): Promise<Follower> {
  const { Follower } = await import("./follower.ts");
  if (saved === null) return new Follower(store, now);
  const [{ storedState }, { CacheFile, cacheKey }, { Keeper }] = await Promise.all([
    import("../../stores/connect.ts"),
    import("./cache-file.ts"),
    import("./keeper.ts"),
  ]);
  const { address, cacheFolder } = saved;
  const follower = new Follower(store, now, undefined, () => storedState(address));
  await new Keeper(follower, new CacheFile(cacheFolder, cacheKey(address, store.app_id))).resume();
  return follower;
}
