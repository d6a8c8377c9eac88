import { statusInfo } from "../../../pynenc/statuses.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import { estimated, STEP, withOpenParents } from "../../server/auto-purge.ts";
import { inChunks } from "../../server/chunks.ts";
import { messagesFrom } from "../broker/messages.ts";
import type { RedisReading } from "../keys/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { type FoundStatus, foundStatuses } from "../orchestrator/status-records.ts";
import { stepsDownFrom } from "../server/sorted-set.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import { purgeOldExecutions } from "./auto-purge-executions.ts";
import { type Changes, entireKeys, membersOfSortedSet } from "./changes.ts";
import { countedTracesOf, otherTracesOf, tracesOf } from "./invocation-traces.ts";

/** Index entries read per round trip. */
const INDEX_STEP = 1_000;

/** Messages read per round trip. */
const MESSAGE_STEP = 10_000;

/**
 * Removes final invocations and executions that are old enough (storage-format.md 6.4, 7.3, 9.4). Definitions, history and results are kept. Also
 * removes the many references to an invocation that the plugin's own auto-purge leaves behind.
 */
export async function autoPurgeOrchestrator(
  reading: RedisReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<OrchestratorPurge> {
  const invocations = await purgeInvocations(reading, changes, retention);
  const index = await sweepIndex(reading, changes, retention);
  const executions = await purgeOldExecutions(reading, changes, retention);
  return { ...invocations, ...index, ...executions, exact: invocations.exact && index.exact && executions.exact };
}

async function purgeInvocations(
  reading: RedisReading,
  changes: Changes,
  { final_until, with_open_parents }: OrchestratorRetention,
) {
  const db = reading.db("orchestrator");
  const statusKey = (id: string) => reading.keys.key("orchestrator", "invocation_status", id);
  const becameFinal = reading.keys.key("orchestrator", "invocation_auto_purge");
  const { steps, share } = await stepsDownFrom(db, becameFinal, final_until, {
    step: STEP,
    maxSteps: changes.maxSteps,
  });
  const queued = await dueInQueue(reading, changes, final_until);
  const counts = { invocations: 0, invocation_args: 0, blocking_edges: 0, invocations_of_open_parents: 0 };
  for await (const ids of steps) {
    const found = await foundStatuses(reading, ids);
    // A final invocation does not change, but the status is checked anyway: others must never be removed.
    const old = found
      .filter(isFinal)
      .map(({ invocation_id }) => invocation_id)
      .filter((id) => !queued.ids.has(id));
    // Checked before the removal: a parent that is final now stays final.
    const open = await withOpenParents(orchestratorReads(reading), stateBackendReads(reading), old);
    counts.invocations_of_open_parents += open.size;
    const due = with_open_parents ? old : old.filter((id) => !open.has(id));
    const counted = await countedTracesOf(reading, due);
    const removed = due.length === 0 ? [] : [entireKeys(due.map(statusKey))];
    const numbers = await changes.remove("orchestrator", [...removed, ...counted.edges, ...counted.args], async () => {
      const known = new Set(found.map(({ invocation_id }) => invocation_id));
      const present = new Set(await db.existing(ids.filter((id) => !known.has(id)).map(statusKey)));
      const gone = ids.filter((id) => !known.has(id) && !present.has(statusKey(id)));
      const others = await otherTracesOf(reading, due, counted);
      return gone.length === 0 ? others : [...others, ["ZREM", becameFinal, ...gone]];
    });
    const sum = (start: number, length: number) =>
      numbers.slice(start, start + length).reduce((total, count) => total + count, 0);
    counts.invocations += sum(0, removed.length);
    counts.blocking_edges += sum(removed.length, counted.edges.length);
    counts.invocation_args += sum(removed.length + counted.edges.length, counted.args.length);
  }
  return {
    ...estimated(counts, share),
    invocations_kept: queued.ids.size,
    exact: share === 1 && queued.exact,
  };
}

/**
 * Invocations that are due but have a message: after a recovery the queue may contain an invocation twice. A runner that takes one without a status
 * stops working (storage-format.md 9.4).
 */
async function dueInQueue(
  reading: RedisReading,
  changes: Changes,
  finalUntil: number,
): Promise<{ ids: ReadonlySet<string>; exact: boolean }> {
  const becameFinal = reading.keys.key("orchestrator", "invocation_auto_purge");
  const { queues, complete } = await reading.queues();
  const length = queues.reduce((sum, { messages }) => sum + messages, 0);
  const scanned = Math.min(length, changes.maxSteps * MESSAGE_STEP);
  const due = new Set<string>();
  for (let offset = 0; offset < scanned; offset += MESSAGE_STEP) {
    const messages = await messagesFrom(reading.db("broker"), queues, { limit: MESSAGE_STEP, offset });
    const ids = messages.map(({ invocation_id }) => invocation_id);
    const times = await reading.db("orchestrator").scores(becameFinal, ids);
    const old = ids.filter((_, i) => (times[i] ?? Number.POSITIVE_INFINITY) <= finalUntil);
    for (const { invocation_id } of (await foundStatuses(reading, old)).filter(isFinal)) due.add(invocation_id);
  }
  return { ids: due, exact: complete && scanned === length };
}

/**
 * Removes entries of the time index whose invocation has no status: the plugin's auto-purge leaves them (storage-format.md 9.4). A registration
 * writes its entry last, so none of these is still being registered.
 */
async function sweepIndex(
  reading: RedisReading,
  changes: Changes,
  { final_until }: OrchestratorRetention,
): Promise<Pick<OrchestratorPurge, "leaked_index_entries" | "exact">> {
  const db = reading.db("orchestrator");
  const statusKey = (id: string) => reading.keys.key("orchestrator", "invocation_status", id);
  const byTime = reading.keys.key("orchestrator", "all_invocations_by_time");
  const { steps, share } = await stepsDownFrom(db, byTime, final_until, {
    step: INDEX_STEP,
    maxSteps: changes.maxSteps,
  });
  let entries = 0;
  for await (const ids of steps) {
    const present = new Set(await db.existing(ids.map(statusKey)));
    const leaked = ids.filter((id) => !present.has(statusKey(id)));
    for (const some of inChunks(leaked, STEP)) {
      const [count = 0] = await changes.remove("orchestrator", [membersOfSortedSet(byTime, some)], () =>
        tracesOf(reading, some),
      );
      entries += count;
    }
  }
  return { leaked_index_entries: Math.round(entries / share), exact: share === 1 };
}

function isFinal({ current }: FoundStatus): boolean {
  return statusInfo(current.status).final;
}
