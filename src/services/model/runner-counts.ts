import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports.ts";

/** How many runners there are. `active` is never more than `known`. */
export interface RunnerCounts {
  /** Their heartbeat is young enough. */
  active: number;
  /** With a context, a heartbeat, or both: a runner can lack either (storage-format.md 7.2, 8). */
  known: number;
  /** There may be more than `known`. */
  known_capped: boolean;
}

/** Latest heartbeats that are looked at for those without a context. */
const COMPARED = 2_000;

export async function runnerCounts(reads: AppReads, deadBefore: EpochSeconds): Promise<RunnerCounts> {
  const [active, withHeartbeat, withContext, latest] = await Promise.all([
    reads.orchestrator.countHeartbeats(deadBefore),
    reads.orchestrator.countHeartbeats(),
    reads.state_backend.countRunnerContexts(),
    reads.orchestrator.heartbeats({ limit: COMPARED, offset: 0 }),
  ]);
  const withBoth = await reads.state_backend.countRunnerContexts(latest.map((heartbeat) => heartbeat.runner_id));
  return {
    active,
    // Among the heartbeats that were not looked at all, or none, may have a context.
    known: Math.max(withHeartbeat, withContext + latest.length - withBoth),
    known_capped: latest.length === COMPARED && withHeartbeat > COMPARED,
  };
}
