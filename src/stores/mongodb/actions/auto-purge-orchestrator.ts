import { FINAL_STATUSES, knownStatus, statusInfo } from "../../../pynenc/statuses.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import { text, textOrNull } from "../collections/fields.ts";
import { findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Filter } from "../server/db.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import { purgeExecutions } from "./auto-purge-executions.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

/** Invocations removed per step, each completely. */
const STEP = 500;

/** Messages read per step. */
const MESSAGE_STEP = 5_000;

/** Removes final invocations and executions that are old enough (storage-format.md 6.4, 7.3). Definitions, history and results are kept. */
export async function autoPurgeOrchestrator(
  reading: MongoReading,
  changes: Changes,
  retention: OrchestratorRetention,
): Promise<OrchestratorPurge> {
  const invocations = await purgeInvocations(reading, changes, retention);
  const executions = await purgeExecutions(reading, changes, retention);
  // Indexes have no entries without a document.
  return { ...invocations, ...executions, leaked_index_entries: 0, exact: invocations.exact && executions.exact };
}

async function purgeInvocations(
  reading: MongoReading,
  changes: Changes,
  { final_until, with_open_parents }: OrchestratorRetention,
): Promise<
  Pick<
    OrchestratorPurge,
    "invocations" | "invocation_args" | "blocking_edges" | "invocations_kept" | "invocations_of_open_parents" | "exact"
  >
> {
  const all = reading.of("orchestrator", "invocations");
  // The time is set when an invocation becomes final, and it stays final. The status is checked anyway, because others must never be removed.
  const final = { auto_purge_timestamp: { $lte: final_until }, status: { $in: [...FINAL_STATUSES] } };
  const [total, queued] = await Promise.all([all.count(final), dueInQueue(reading, changes, final)]);
  let [seen, invocations, edges, args, ofOpenParents, steps] = [0, 0, 0, 0, 0, 0];
  for await (const found of inOrder(all, final, { by: "auto_purge_timestamp", id: "invocation_id", step: STEP })) {
    seen += found.length;
    const old = found.map(({ invocation_id }) => text(invocation_id)).filter((id) => !queued.ids.has(id));
    // Checked before the removal: a parent that is final now stays final.
    const open = await withOpenParents(reading, old);
    ofOpenParents += open.size;
    const due = with_open_parents ? old : old.filter((id) => !open.has(id));
    if (due.length > 0) {
      // The invocation is last, so that a repeated action finds what an interrupted one has left.
      edges += await changes.remove("orchestrator", "blocking_edges", { waited_id: { $in: due } });
      args += await changes.remove("orchestrator", "invocation_args", { invocation_id: { $in: due } });
      invocations += await changes.remove("orchestrator", "invocations", { invocation_id: { $in: due }, ...final });
    }
    if (++steps >= changes.maxSteps) break;
  }
  const complete = seen >= total;
  const share = complete ? 1 : seen / total;
  return {
    invocations: Math.round(invocations / share),
    invocation_args: Math.round(args / share),
    blocking_edges: Math.round(edges / share),
    invocations_kept: queued.ids.size,
    invocations_of_open_parents: Math.round(ofOpenParents / share),
    exact: complete && queued.exact,
  };
}

/** Those of these invocations whose parent is not known to be final. */
async function withOpenParents(reading: MongoReading, invocationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const definitions = await findIn(reading.of("state_backend", "invocations"), "invocation_id", invocationIds, {
    where: { parent_invocation_id: { $gt: "" } },
    only: { invocation_id: 1, parent_invocation_id: 1 },
  });
  const parents = [...new Set(definitions.flatMap(({ parent_invocation_id: id }) => textOrNull(id) ?? []))];
  const statuses = await findIn(reading.of("orchestrator", "invocations"), "invocation_id", parents, {
    only: { invocation_id: 1, status: 1 },
  });
  const kept = new Map(statuses.map(({ invocation_id, status }) => [text(invocation_id), text(status)]));
  const spans = await stateBackendReads(reading).historySpanOf(parents.filter((id) => !kept.has(id)));
  const last = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
  const open = new Set(parents.filter((id) => !statusInfo(knownStatus(kept.get(id), last.get(id))).final));
  return new Set(
    definitions.flatMap((stored) => (open.has(text(stored.parent_invocation_id)) ? [text(stored.invocation_id)] : [])),
  );
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
