/** Whether a runner is alive, as a word. */
import type { RunnerRow } from "../../../src/api/runners.ts";
export function RunnerState({ runner }: { runner: Pick<RunnerRow, "active" | "last_heartbeat"> }) {
  if (runner.active) return <span class="mark mark-good">active</span>;
  return runner.last_heartbeat === null ? (
    <span
      class="mark"
      title="No heartbeat is stored: code outside any runner sends none, and other heartbeats may have been purged"
    >
      no heartbeat
    </span>
  ) : (
    <span class="mark" title="Its last heartbeat is older than the app allows">
      dead
    </span>
  );
}

/** Whether a runner takes turns in the atomic service; null when it has no heartbeat, which is where that is stored. */
export function AtomicEligibility({ eligible }: { eligible: boolean | null }) {
  if (eligible === null) return <span class="muted">unknown</span>;
  return eligible ? <>eligible</> : <span class="muted">no</span>;
}
