import { FINAL_STATUSES } from "../../../pynenc/statuses.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import { estimated, STEP, withOpenParents } from "../../server/auto-purge.ts";
import { text } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import type { Filter } from "../server/db.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import { purgeOldExecutions } from "./auto-purge-executions.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

/** Messages read per step. */
const MESSAGE_STEP = 5_000;

/** Removes final invocations and executions that are old enough (storage-format.md 6.4, 7.3). Definitions, history and results are kept. */
export async function autoPurgeOrchestrator(
  reading: MongoReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<OrchestratorPurge> {
  const invocations = await purgeInvocations(reading, changes, retention);
  const executions = await purgeOldExecutions(reading, changes, retention);
  // Indexes have no entries without a document.
  return { ...invocations, ...executions, leaked_index_entries: 0, exact: invocations.exact && executions.exact };
}

async function purgeInvocations(
  reading: MongoReading,
  changes: Changes,
  { final_until, with_open_parents }: OrchestratorRetention,
) {
  const all = reading.of("orchestrator", "invocations");
  // The time is set when an invocation becomes final, and it stays final. The status is checked anyway, because others must never be removed.
  const final = { auto_purge_timestamp: { $lte: final_until }, status: { $in: [...FINAL_STATUSES] } };
  const [total, queued] = await Promise.all([all.count(final), dueInQueue(reading, changes, final)]);
  const counts = { invocations: 0, invocation_args: 0, blocking_edges: 0, invocations_of_open_parents: 0 };
  let [seen, steps] = [0, 0];
  for await (const found of inOrder(all, final, { by: "auto_purge_timestamp", id: "invocation_id", step: STEP })) {
    seen += found.length;
    const old = found.map(({ invocation_id }) => text(invocation_id)).filter((id) => !queued.ids.has(id));
    // Checked before the removal: a parent that is final now stays final.
    const open = await withOpenParents(orchestratorReads(reading), stateBackendReads(reading), old);
    counts.invocations_of_open_parents += open.size;
    const due = with_open_parents ? old : old.filter((id) => !open.has(id));
    if (due.length > 0) {
      const among = { $in: due };
      // The invocation is last, so that a repeated action finds what an interrupted one has left.
      counts.blocking_edges += await changes.remove("orchestrator", "blocking_edges", { waited_id: among });
      counts.invocation_args += await changes.remove("orchestrator", "invocation_args", { invocation_id: among });
      counts.invocations += await changes.remove("orchestrator", "invocations", { invocation_id: among, ...final });
    }
    if (++steps >= changes.maxSteps) break;
  }
  const complete = seen >= total;
  return {
    ...estimated(counts, complete ? 1 : seen / total),
    invocations_kept: queued.ids.size,
    exact: complete && queued.exact,
  };
}

/**
 * Invocations that are due but have a message: after a recovery the queue may contain an invocation twice. A runner that takes one without a status
 * stops working.
 */
async function dueInQueue(
  reading: MongoReading,
  changes: Changes,
  final: Filter,
): Promise<{ ids: ReadonlySet<string>; exact: boolean }> {
  const due = new Set<string>();
  let steps = 0;
  const order = { by: "_id", id: "_id", only: ["invocation_id"], step: MESSAGE_STEP };
  for await (const messages of inOrder(reading.of("broker", "messages"), {}, order)) {
    if (steps++ >= changes.maxSteps) return { ids: due, exact: false };
    const ids = messages.map(({ invocation_id }) => text(invocation_id));
    const found = await findIn(reading.of("orchestrator", "invocations"), "invocation_id", ids, {
      where: final,
      only: { invocation_id: 1 },
    });
    for (const { invocation_id } of found) due.add(text(invocation_id));
  }
  return { ids: due, exact: true };
}
