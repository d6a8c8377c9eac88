import type { RunnerName } from "../../api/model/runner-names.ts";
import type { RunnerContextRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** Names of these runners and their parents. Two batched reads. */
export async function runnerNames(reads: AppReads, ids: Iterable<string>): Promise<ReadonlyMap<string, RunnerName>> {
  const wanted = [...new Set(ids)];
  const contexts = await reads.state_backend.runnerContexts(wanted);
  const parentIds = contexts.flatMap((c) => (c.parent_ctx_id === null ? [] : [c.parent_ctx_id]));
  const parents = await reads.state_backend.runnerContexts([...new Set(parentIds)]);
  const contextById = new Map([...parents, ...contexts].map((c) => [c.runner_id, c]));
  return new Map(wanted.map((id) => [id, named(id, contextById, true)]));
}

function named(runner_id: string, contexts: ReadonlyMap<string, RunnerContextRecord>, withParent: boolean): RunnerName {
  const context = contexts.get(runner_id);
  const parentId = withParent ? (context?.parent_ctx_id ?? null) : null;
  return {
    runner_id,
    context_missing: context === undefined,
    runner_cls: context?.runner_cls ?? null,
    hostname: context?.hostname ?? null,
    pid: context?.pid ?? null,
    thread_id: context?.thread_id ?? null,
    parent: parentId === null ? null : named(parentId, contexts, false),
  };
}
