/** Sources of counts over time: a thread of the server, or the command itself. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RequestedSpan, RollupAnswers, RollupReads } from "../../rollups/reads.ts";
import type { AppStore } from "../../stores/ports/store.ts";
import { answerTo, portOver } from "../../stores/threads/port-calls.ts";
import type { OpenRollups } from "../app/workspace.ts";
import type { Follower } from "./follower.ts";
import { RollupThread } from "./rollup-thread.ts";

/** Milliseconds that a command waits for its range. After that it answers with what is known and says that it is incomplete. */
const PATIENCE = 30_000;

/** For a command. */
export const rollupsOfCommand: OpenRollups = (app, { now }) => ({
  reads: rollupsHere(app, now),
  start: () => undefined,
  close: async () => undefined,
});

/**
 * For a server. Its thread has its own limit: half of the Redis commands that pages may send.
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

/** Answers in this thread and reads as far back as requested. The modules are loaded with the first query. */
export function rollupsHere(
  store: AppStore,
  now: () => EpochSeconds,
  patience = PATIENCE,
  clock = () => performance.now(),
): RollupReads {
  let follower: Follower | null = null;
  /** Queries run one after the other, because each may have to read. */
  let last: Promise<unknown> = Promise.resolve();

  async function answersFor(span: RequestedSpan): Promise<RollupAnswers> {
    if (follower === null) {
      const module = await import("./follower.ts");
      follower = new module.Follower(store, now);
    }
    const { rollupAnswers } = await import("../../rollups/reads.ts");
    const until = clock() + (span.patience ?? patience);
    const from = span.whole === true ? Number.NEGATIVE_INFINITY : follower.rollup.buckets.aligned(span).from;
    let more = await follower.step();
    while (more && !(follower.caughtUp && follower.reaches(from)) && clock() < until) {
      more = await follower.step();
    }
    return rollupAnswers(follower);
  }

  return portOver<RollupReads>((call) => {
    const answer = last.then(async () => answerTo(await answersFor(call.args[0]), call));
    last = answer.catch(() => undefined);
    return answer;
  });
}
