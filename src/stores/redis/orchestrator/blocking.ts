import type { BlockingEdge } from "../../../pynenc/records.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf } from "../server/db.ts";
import { entriesInOrder, membersInSteps } from "../server/members.ts";
import { membersOf } from "../server/sets.ts";

/** Sets queried per round trip. */
const STEP = 10_000;

/** Up to this many awaited invocations are checked individually for a given waiter. */
const FEW_WAITED = 1_000;

/** Sets of waiters up to this size are sorted. Larger sets are read only up to the requested limit. */
const SORTED_WAITERS = 10_000;

/** An awaited invocation. */
interface Waited {
  waited_id: string;
  /** Number of its waiters. */
  waiters: number;
}

/**
 * Which invocation waits for which, latest wait first. Then, by id, those that are in no index because their runner was killed. The waiters of one
 * invocation are in alphabetical order unless there are very many.
 */
export function blockingReads(reading: RedisReading): Pick<OrchestratorReads, "blockingEdges" | "countBlockingEdges"> {
  const { keys } = reading;
  const db = reading.db("orchestrator");
  const waitedBy = (id: string) => keys.key("blocking_control", "waited_by", id);
  // A page needs both the edges and their number.
  let known: Promise<Waited[]> | null = null;

  async function waited(): Promise<Waited[]> {
    const ids = new Set<string>();
    for await (const entries of entriesInOrder(db, keys.key("blocking_control", "all_waited"), null, STEP)) {
      for (const { id } of entries) ids.add(id);
    }
    for (const id of (await reading.catalogue.names("waited", async () => [])).names) ids.add(id);
    const found: Waited[] = [];
    for (const some of inChunks([...ids], STEP)) {
      const sizes = await db.exchange(some.map((id) => ["SCARD", waitedBy(id)]));
      found.push(...some.map((waited_id, i) => ({ waited_id, waiters: numberOf(sizes[i]) })));
    }
    return found.filter(({ waiters }) => waiters > 0);
  }

  function allWaited(): Promise<Waited[]> {
    known ??= waited();
    return known;
  }

  /** Waits missing in the waiter's own set, which is written after the set of the awaited invocation. */
  async function missingWaits(waiterId: string): Promise<string[]> {
    const all = await allWaited();
    if (all.length > FEW_WAITED) return [];
    const replies = await db.exchange(all.map(({ waited_id }) => ["SISMEMBER", waitedBy(waited_id), waiterId]));
    return all.flatMap(({ waited_id }, i) => (replies[i] === 1 ? [waited_id] : []));
  }

  /** In the server's order, which is stable while the set is unchanged. */
  async function someMembers(set: string, limit: number): Promise<string[]> {
    const members = new Set<string>();
    for await (const some of membersInSteps(db, [set])) {
      for (const member of some) members.add(member);
      if (members.size >= limit) break;
    }
    return [...members].slice(0, limit);
  }

  /** The first `limit` edges that have this invocation on either side. */
  async function edgesOf(id: string, limit: number): Promise<BlockingEdge[]> {
    const [waiters, waitedIds, others] = await Promise.all([
      someMembers(waitedBy(id), limit),
      someMembers(keys.key("blocking_control", "waiting_for", id), limit),
      missingWaits(id),
    ]);
    const edges = [
      ...waiters.sort().map((waiter_id): BlockingEdge => ({ waiter_id, waited_id: id })),
      ...[...new Set([...waitedIds.sort(), ...others])].map(
        (waited_id): BlockingEdge => ({ waiter_id: id, waited_id }),
      ),
    ];
    return edges.slice(0, limit);
  }

  return {
    async blockingEdges({ limit, offset }, id) {
      if (id !== undefined) return (await edgesOf(id, offset + limit)).slice(offset);
      const wanted: Waited[] = [];
      // Index of the first edge of `wanted[0]`.
      let start = 0;
      let end = 0;
      for (const one of await allWaited()) {
        if (end >= offset + limit) break;
        end += one.waiters;
        if (end <= offset) start = end;
        else wanted.push(one);
      }
      const edges: BlockingEdge[] = [];
      const last = offset - start + limit;
      const sets = wanted.map(({ waited_id }) => waitedBy(waited_id));
      const waiters = await membersOf(db, sets, SORTED_WAITERS);
      for (const [i, { waited_id }] of wanted.entries()) {
        const some = waiters[i]?.sort() ?? (await someMembers(sets[i] ?? "", last - edges.length));
        edges.push(...some.map((waiter_id) => ({ waiter_id, waited_id })));
      }
      return edges.slice(offset - start, last);
    },

    countBlockingEdges: async () => (await allWaited()).reduce((sum, { waiters }) => sum + waiters, 0),
  };
}
