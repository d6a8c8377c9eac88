/** Where the counts over time come from: a thread of the server, or the command itself. */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RequestedSpan, RollupAnswers, RollupReads } from "../../rollups/reads.ts";
import type { AppStore } from "../../stores/ports/store.ts";
import { answerTo, portOver } from "../../stores/threads/port-calls.ts";
import type { OpenRollups } from "../app/workspace.ts";
import type { Follower } from "./follower.ts";
import { RollupThread } from "./rollup-thread.ts";

/** Milliseconds that a command waits for the range that it asks for; then it tells what is known, and that it is not all. */
const PATIENCE = 30_000;

/** For a command. */
export const rollupsOfCommand: OpenRollups = (app, { now }) => ({
  reads: rollupsHere(app, now),
  start: () => undefined,
  close: async () => undefined,
});

/**
 * For a server. Its thread has a bound of its own: half of what pages may ask of a Redis server.
 *
 * @param cacheFolder where it keeps what it has read for its next start; null keeps nothing.
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

/** Answers in this thread: reads as far back as it is asked for. What that takes is loaded with the first question. */
export function rollupsHere(store: AppStore, now: () => EpochSeconds, patience = PATIENCE): RollupReads {
  let follower: Follower | null = null;
  /** Questions are answered one after the other: each may have to read. */
  let last: Promise<unknown> = Promise.resolve();

  async function answersFor(span: RequestedSpan): Promise<RollupAnswers> {
    if (follower === null) {
      const module = await import("./follower.ts");
      follower = new module.Follower(store, now);
    }
    const { rollupAnswers } = await import("../../rollups/reads.ts");
    const until = performance.now() + (span.patience ?? patience);
    const from = span.whole === true ? Number.NEGATIVE_INFINITY : follower.rollup.buckets.aligned(span).from;
    let more = await follower.step();
    while (more && !(follower.caughtUp && follower.reaches(from)) && performance.now() < until) {
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
