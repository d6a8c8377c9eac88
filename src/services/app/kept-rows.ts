/**
 * The orchestrator, asked for no row twice in a snapshot, and in ways that do not depend on the clock. Which runners were heard of since an instant
 * changes only when that instant passes a heartbeat, so any instant between two heartbeats is as good as the later of the two.
 */
import type { HeartbeatRecord, InvocationStatusRecord, QueueMessage } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { BrokerReads } from "../../stores/ports/broker.ts";
import type { OrchestratorReads, StatusFilter, StatusRow } from "../../stores/ports/orchestrator.ts";
import { type KnownRows, MOST_KNOWN } from "./rows-by-id.ts";
import { OPEN_STATUSES, takenInvocations } from "./taken.ts";

/** Latest heartbeats that are read at once: all of nearly every app. */
const HEARTBEATS_READ = 200;

type KnownStatuses = KnownRows<InvocationStatusRecord>;

/** After any instant that is stored. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Invocations that are not final, read at once: all of nearly every app. */
const OPEN_READ = 1_000;

/** Waits that are read at once, as verdicts read them. */
const EDGES_READ = 1_001;

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
  const listed = layered(orchestrator, listsKnown(orchestrator, statuses));
  const open = isolated ? layered(listed, { ...openOnce(listed), ...edgesOnce(listed) }) : listed;
  return layered(open, { ...heartbeatsOnce(open, isolated), ...pendingOnce(open, isolated) });
}

/** The port with some of its methods replaced. */
function layered<Port extends object>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, method) => Reflect.get(own, method) ?? (Reflect.get(target, method) as unknown),
  });
}

/**
 * The broker, which is not asked for messages of an invocation if all messages have been read.
 *
 * @param broker of one snapshot; answers the same call once.
 */
export function messagesOnce(broker: BrokerReads): BrokerReads {
  let all: Promise<QueueMessage[] | null> = Promise.resolve(null);
  return layered<BrokerReads>(broker, {
    async peekMessages(slice, queueName) {
      const messages = broker.peekMessages(slice, queueName);
      if (queueName === undefined && slice.offset === 0) {
        all = messages.then((read) => (read.length < slice.limit ? read : null));
        // The error is for the caller.
        all.catch(() => undefined);
      }
      return messages;
    },
    async messagesOf(ids) {
      const read = await all;
      if (read === null) return broker.messagesOf(ids);
      const wanted = new Set(ids);
      const own = read.filter(({ invocation_id }) => wanted.has(invocation_id));
      return own.sort((a, b) => (a.queued_at ?? 0) - (b.queued_at ?? 0));
    },
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

/** Lists and counts of invocations that are not final, answered from all of those. */
function openOnce(orchestrator: OrchestratorReads): Pick<OrchestratorReads, "listInvocations" | "countInvocations"> {
  /** The rows that the filter asks for, newest registration first; null if it asks for others too, or if there are many. */
  async function openOf(filter: StatusFilter): Promise<readonly StatusRow[] | null> {
    const { statuses, ...others } = filter;
    const isOpen = statuses?.every((status) => OPEN_STATUSES.includes(status)) === true;
    if (!isOpen || Object.values(others).some((restriction) => restriction !== undefined)) return null;
    const slice = { limit: OPEN_READ + 1, offset: 0 };
    const open = await orchestrator.listInvocations({ statuses: OPEN_STATUSES }, slice);
    return open.length > OPEN_READ ? null : open.filter(({ status }) => statuses.includes(status));
  }
  return {
    async listInvocations(filter, slice, after) {
      const open = after === undefined ? await openOf(filter) : null;
      return (
        open?.slice(slice.offset, slice.offset + slice.limit) ?? orchestrator.listInvocations(filter, slice, after)
      );
    },
    async countInvocations(filter, cap) {
      const open = await openOf(filter);
      return open === null ? orchestrator.countInvocations(filter, cap) : Math.min(cap, open.length);
    },
  };
}

/** Waits of one invocation, answered from all waits. */
function edgesOnce(orchestrator: OrchestratorReads): Pick<OrchestratorReads, "blockingEdgesOf"> {
  return {
    async blockingEdgesOf(id, limit) {
      const all = await orchestrator.blockingEdges({ limit: EDGES_READ, offset: 0 });
      if (all.length === EDGES_READ) return orchestrator.blockingEdgesOf(id, limit);
      const own = all.filter(({ waiter_id, waited_id }) => waiter_id === id || waited_id === id);
      return own.reverse().slice(0, limit);
    },
  };
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
      const known = isRead || isolated ? await latest() : null;
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
function listsKnown(
  orchestrator: OrchestratorReads,
  statuses: () => Promise<KnownStatuses>,
): Pick<OrchestratorReads, "listInvocations" | "scanInvocations"> {
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
  };
}

function pendingOnce(orchestrator: OrchestratorReads, isolated: boolean): Pick<OrchestratorReads, "pendingSince"> {
  return {
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
