/**
 * What is read of heartbeats and by them, asked for in a way that does not depend on the clock. Which runners were heard of since an instant changes only
 * when that instant passes a heartbeat, so any instant between two heartbeats is as good as the later of the two.
 */
import type { HeartbeatRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { OrchestratorReads } from "../../stores/ports/orchestrator.ts";
import { rowsBy } from "../model/rows-by.ts";

/** Latest heartbeats that are read at once: all of nearly every app. */
const READ = 200;

/** After any heartbeat. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** @param orchestrator makes each call once. */
export function overHeartbeats(orchestrator: OrchestratorReads): OrchestratorReads {
  let isRead = false;
  const latest = () => {
    isRead = true;
    return orchestrator.heartbeats({ limit: READ, offset: 0 });
  };
  const own: Partial<OrchestratorReads> = {
    async heartbeats({ limit, offset }, activeSince) {
      const known = await latest();
      const heard = heardSince(known, activeSince);
      if (isWhole(known, activeSince) || offset + limit <= heard.length) return heard.slice(offset, offset + limit);
      return orchestrator.heartbeats({ limit, offset }, activeSince);
    },
    async countHeartbeats(activeSince) {
      const known = await latest();
      return isWhole(known, activeSince)
        ? heardSince(known, activeSince).length
        : orchestrator.countHeartbeats(activeSince);
    },
    async consumers(activeSince) {
      const known = await latest();
      // Without any heartbeat, none may be stored at all.
      if (known.length === 0 || !isWhole(known, activeSince)) return orchestrator.consumers(activeSince);
      const byQueues = rowsBy(heardSince(known, activeSince), ({ consumed_queues }) => JSON.stringify(consumed_queues));
      return [...byQueues.values()].map((same) => ({ queues: same[0]?.consumed_queues ?? null, runners: same.length }));
    },
    async heartbeatsByIds(ids) {
      // A server reads all heartbeats to find the latest.
      const known = isRead ? await latest() : null;
      if (known === null || !isWhole(known)) return orchestrator.heartbeatsByIds(ids);
      const wanted = new Set(ids);
      return known.filter(({ runner_id }) => wanted.has(runner_id));
    },
    ownedByDeadRunner: async (statuses, deadBefore, each) =>
      orchestrator.ownedByDeadRunner(statuses, sinceHeartbeat(await latest(), deadBefore), each),
    // The oldest come first, so those that are old enough are among them.
    pendingSince: async (before, limit) =>
      (await orchestrator.pendingSince(NEVER, limit)).filter(({ status_timestamp }) => status_timestamp <= before),
  };
  return new Proxy(orchestrator, {
    get: (target, method) => Reflect.get(own, method) ?? (Reflect.get(target, method) as unknown),
  });
}

function heardSince(known: readonly HeartbeatRecord[], since: EpochSeconds | undefined): HeartbeatRecord[] {
  return known.filter(({ last_heartbeat }) => since === undefined || last_heartbeat >= since);
}

/** Whether these are all heartbeats since then. */
function isWhole(known: readonly HeartbeatRecord[], since = Number.NEGATIVE_INFINITY): boolean {
  return known.length < READ || (known.at(-1)?.last_heartbeat ?? NEVER) < since;
}

/** The latest instant with the same heartbeats since then; the instant itself if it is not known. */
function sinceHeartbeat(known: readonly HeartbeatRecord[], instant: EpochSeconds): EpochSeconds {
  return isWhole(known, instant) ? (heardSince(known, instant).at(-1)?.last_heartbeat ?? NEVER) : instant;
}
