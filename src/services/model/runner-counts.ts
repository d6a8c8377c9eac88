import type { RunnerCounts } from "../../api/model/runner-names.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Number of newest heartbeats checked for a runner context. */
const COMPARED = 2_000;

/** Counts runners by their heartbeats and contexts. Six batched reads. @param deadBefore runners with an older heartbeat are silent. */
export async function runnerCounts(reads: AppReads, deadBefore: EpochSeconds): Promise<RunnerCounts> {
  const [active, withHeartbeat, withContext, callers, latest] = await Promise.all([
    reads.orchestrator.countHeartbeats(deadBefore),
    reads.orchestrator.countHeartbeats(),
    reads.state_backend.countRunnerContexts("all"),
    reads.state_backend.countRunnerContexts("callers"),
    reads.orchestrator.heartbeats({ limit: COMPARED, offset: 0 }),
  ]);
  const withBoth = await reads.state_backend.countRunnerContexts(latest.map((heartbeat) => heartbeat.runner_id));
  return {
    active,
    // Whether the heartbeats that were not checked have a context is not known.
    known: Math.max(withHeartbeat, withContext - callers + latest.length - withBoth),
    callers,
    known_capped: latest.length === COMPARED && withHeartbeat > COMPARED,
  };
}
