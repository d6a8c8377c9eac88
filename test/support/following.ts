/** A clock for what follows a store: it moves only when something waits, and then one deed is done. When all are done, nobody wants more. */
import type { FollowClock } from "../../src/services/app/following.ts";

export function clockOf(deeds: readonly (() => unknown)[]): FollowClock {
  const stop = new AbortController();
  const left = [...deeds];
  return {
    async sleep() {
      const deed = left.shift();
      if (deed === undefined) stop.abort();
      else await deed();
    },
    stopped: stop.signal,
  };
}
