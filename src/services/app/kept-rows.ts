/**
 * The orchestrator, asked for no row twice in a snapshot, and in ways that do not depend on the clock. Which runners were heard of since an instant
 * changes only when that instant passes a heartbeat, so any instant between two heartbeats is as good as the later of the two.
 */
import type { HeartbeatRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { OrchestratorReads, StatusRow } from "../../stores/ports/orchestrator.ts";
import { type KnownRows, MOST_KNOWN } from "./rows-by-id.ts";
import { takenInvocations } from "./taken.ts";

/** Latest heartbeats that are read at once: all of nearly every app. */
const HEARTBEATS_READ = 200;

type KnownStatuses = KnownRows<InvocationStatusRecord>;

/** After any instant that is stored. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * @param orchestrator of one snapshot; answers the same call once.
 * @param statuses what is known of this state of the store.
 * @param isolated as of the store: its lists and its searches find the same rows.
 */
export function rowsOnce(
  orchestrator: OrchestratorReads,
  statuses: () => Promise<KnownStatuses>,
  isolated: boolean,
): OrchestratorReads {
  const own: Partial<OrchestratorReads> = {
    ...heartbeatsOnce(orchestrator, isolated),
    ...statusesOnce(orchestrator, statuses, isolated),
  };
  return new Proxy(orchestrator, {
    get: (target, method) => Reflect.get(own, method) ?? (Reflect.get(target, method) as unknown),
  });
}

/** All invocations that a runner has taken; null if there are many, if a time is missing, or if the store may find others in another way. */
async function allTaken(orchestrator: OrchestratorReads, isolated: boolean): Promise<readonly StatusRow[] | null> {
  if (!isolated) return null;
  const rows = await takenInvocations(orchestrator);
  return rows?.every(({ status_timestamp }) => Number.isFinite(status_timestamp)) ? rows : null;
}

/** Longest in its status first, then oldest registration. @param rows newest registration first. */
function longest(rows: readonly StatusRow[], limit: number): InvocationStatusRecord[] {
  const sorted = rows.toReversed().sort((a, b) => a.status_timestamp - b.status_timestamp);
  return sorted.slice(0, limit).map(({ cursor: _, ...row }) => row);
}

function heartbeatsOnce(orchestrator: OrchestratorReads, isolated: boolean): Partial<OrchestratorReads> {
  let isRead = false;
  const latest = () => {
    isRead = true;
    return orchestrator.heartbeats({ limit: HEARTBEATS_READ, offset: 0 });
  };
  return {
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
      const byQueues = new Map<string, { queues: readonly string[] | null; runners: number }>();
      for (const { consumed_queues: queues } of heardSince(known, activeSince)) {
        const list = JSON.stringify(queues);
        byQueues.set(list, { queues, runners: (byQueues.get(list)?.runners ?? 0) + 1 });
      }
      return [...byQueues.values()];
    },
    async heartbeatsByIds(ids) {
      // A server reads all heartbeats to find the latest.
      const known = isRead ? await latest() : null;
      if (known === null || !isWhole(known)) return orchestrator.heartbeatsByIds(ids);
      const wanted = new Set(ids);
      return known.filter(({ runner_id }) => wanted.has(runner_id));
    },
    async ownedByDeadRunner(statuses, deadBefore, each) {
      const known = await latest();
      const taken = known.length > 0 && isWhole(known, deadBefore) ? await allTaken(orchestrator, isolated) : null;
      if (taken === null) return orchestrator.ownedByDeadRunner(statuses, sinceHeartbeat(known, deadBefore), each);
      const alive = new Set<string | null>(heardSince(known, deadBefore).map(({ runner_id }) => runner_id));
      const lost = taken.filter(({ status_runner_id: owner }) => owner !== null && !alive.has(owner));
      return statuses.flatMap((status) =>
        longest(
          lost.filter((row) => row.status === status),
          each,
        ),
      );
    },
  };
}

function heardSince(known: readonly HeartbeatRecord[], since: EpochSeconds | undefined): HeartbeatRecord[] {
  return known.filter(({ last_heartbeat }) => since === undefined || last_heartbeat >= since);
}

/** Whether these are all heartbeats since then. */
function isWhole(known: readonly HeartbeatRecord[], since = Number.NEGATIVE_INFINITY): boolean {
  return known.length < HEARTBEATS_READ || (known.at(-1)?.last_heartbeat ?? NEVER) < since;
}

/** The latest instant with the same heartbeats since then; the instant itself if it is not known. */
function sinceHeartbeat(known: readonly HeartbeatRecord[], instant: EpochSeconds): EpochSeconds {
  return isWhole(known, instant) ? (heardSince(known, instant).at(-1)?.last_heartbeat ?? NEVER) : instant;
}

/** Statuses that a list had are not read again by their ids. */
function statusesOnce(
  orchestrator: OrchestratorReads,
  statuses: () => Promise<KnownStatuses>,
  isolated: boolean,
): Partial<OrchestratorReads> {
  async function remember(rows: readonly StatusRow[]): Promise<void> {
    const known = await statuses();
    for (const { cursor: _, ...row } of rows) if (known.size < MOST_KNOWN) known.set(row.invocation_id, row);
  }
  return {
    async listInvocations(filter, slice, after) {
      const rows = await orchestrator.listInvocations(filter, slice, after);
      await remember(rows);
      return rows;
    },
    async scanInvocations(filter, limit, scanLimit, after) {
      const scan = await orchestrator.scanInvocations(filter, limit, scanLimit, after);
      await remember(scan.rows);
      return scan;
    },
    async pendingSince(before, limit) {
      const taken = await allTaken(orchestrator, isolated);
      // The oldest come first, so those that are old enough are among them.
      const pending =
        taken === null
          ? await orchestrator.pendingSince(NEVER, limit)
          : longest(
              taken.filter(({ status }) => status === "pending"),
              limit,
            );
      return pending.filter(({ status_timestamp }) => status_timestamp <= before);
    },
  };
}
