import type { RunnerCounts } from "../../api/model/runner-names.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";

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
