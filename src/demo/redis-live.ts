import { StoreUnreachableError } from "../errors.ts";
import { type LiveOptions, reopenShop } from "./live.ts";
import type { RedisWriter } from "./writer/redis-writer.ts";

export interface RedisLiveOptions extends LiveOptions {
  /** Called once if the server cannot be reached. The demo continues when it is back. */
  readonly onLost?: (error: StoreUnreachableError) => void;
}

export interface RedisLive {
  /** Resolves when the tick in progress is done. */
  stop(): Promise<void>;
  /** Reads changes made by others, then writes everything up to the clock's current time in one transaction. */
  tick(): Promise<void>;
}

/** Keeps the demo shop in a Redis server running, with the writer that wrote its story. */
export async function startRedisLive(writer: RedisWriter, options: RedisLiveOptions): Promise<RedisLive> {
  const { clock } = options;
  const moveTo = reopenShop(writer, { ...options, start: clock() });
  await writer.outbox.commit();

  async function tick(): Promise<void> {
    await writer.readBack();
    moveTo(clock());
    await writer.outbox.commit();
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
      } else {
        stop();
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
