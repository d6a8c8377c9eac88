/** Reads what is stored about whether the runners of invocations are, or were, alive. */
import {
  AHEAD_SECONDS,
  doubtfulRunners,
  NO_SIGNS_OF_LIFE,
  type SignsOfLife,
  type StatusStep,
} from "../../pynenc/life.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Latest heartbeats to read: those of clocks that are ahead come first. */
const HEARTBEATS_READ = 100;

/** Runners whose clocks are ahead, by their heartbeats. One read. */
export async function runnersAhead(reads: AppReads, now: EpochSeconds): Promise<ReadonlySet<string>> {
  const heartbeats = await reads.orchestrator.heartbeats({ limit: HEARTBEATS_READ, offset: 0 });
  return new Set(heartbeats.flatMap((one) => (one.last_heartbeat - now > AHEAD_SECONDS ? [one.runner_id] : [])));
}

/**
 * What `lifeStretches` needs to know about the runners of these histories. One read, or none if no runner can have died. If a heartbeat is missing, also
 * reads whether heartbeats are stored at all.
 *
 * @param deadBefore heartbeats older than this instant belong to runners that count as silent; null if that is not known, such as for an instant in the past.
 */
export async function signsOfLife(
  reads: AppReads,
  histories: Iterable<readonly StatusStep[]>,
  deadBefore: (() => Promise<EpochSeconds>) | null,
): Promise<SignsOfLife> {
  const runners = [...new Set([...histories].flatMap(doubtfulRunners))];
  if (runners.length === 0) return NO_SIGNS_OF_LIFE;
  const heartbeats = await reads.orchestrator.heartbeatsByIds(runners);
  const heard = new Map(heartbeats.map((one) => [one.runner_id, one.last_heartbeat]));
  if (deadBefore === null) return { heard, dead_before: null };
  const stored = heard.size === runners.length || (await reads.layout.capabilities()).consumed_queues !== null;
  return { heard, dead_before: stored ? await deadBefore() : null };
}
