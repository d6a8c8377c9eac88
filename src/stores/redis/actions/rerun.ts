/** Registers calls again (storage-format.md 7.4, 9.4): all of them completely, or none. */
import { MICROSECOND, toMicros } from "../../../pynenc/time.ts";
import type { Rerun, RerunRequest } from "../../ports/actions.ts";
import { NEWEST_CALLS, planReruns, type RerunReads } from "../../server/rerun-plan.ts";
import { clientDataReads } from "../client-data/client-data.ts";
import { layoutReads } from "../keys/layout.ts";
import type { RedisReading } from "../keys/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { textsOf } from "../server/db.ts";
import { firstEntries } from "../state-backend/history.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import type { Changes } from "./changes.ts";
import { messagesOf } from "./messages.ts";
import { writesOf } from "./registration-writes.ts";

/**
 * @param newId generates the id of a new invocation; null in a preview, which registers nothing.
 * @throws StoreUnreachableError; RefusedError on a replica.
 */
export async function rerun(
  reading: RedisReading,
  changes: Changes,
  invocationIds: readonly string[],
  request: RerunRequest,
  newId: (() => string) | null,
): Promise<Rerun[]> {
  const { caller, at = null, enqueue = true, routing } = request;
  const [{ events: newer }, messages] = await Promise.all([
    // The current layout: definitions from before an upgrade keep their old form.
    layoutReads(reading).capabilities(),
    // If the queue is on another server, make sure it is reachable before anything is registered.
    enqueue ? messagesOf(reading, routing, "Nothing was registered") : null,
  ]);
  const { answers, registrations } = await planReruns(rerunReads(reading), invocationIds, request, {
    newer,
    routeOf: (task) => messages?.routeOf(task) ?? null,
    newId,
    // Each gets a distinct time, because the indexes have no other order.
    instantAfter: (previous) => Math.max(at ?? Date.now() / 1000, toMicros(previous + MICROSECOND)),
  });
  const writes = registrations.flatMap((made) => writesOf(reading.keys, made, caller, made.stored, newer));
  const added = registrations.map(({ invocation, route }) => ({ invocation_id: invocation.invocation_id, route }));
  // Messages are last: a runner that takes a message without records stops working.
  const command = messages !== null && added.length > 0 ? messages.add(added) : null;
  await changes.write(command === null ? writes : [...writes, { component: "broker", command }]);
  return answers;
}

function rerunReads(reading: RedisReading): RerunReads {
  const { keys } = reading;
  const [orchestrator, stateBackend] = [reading.db("orchestrator"), reading.db("state_backend")];
  const typeIndex = (task: string) => keys.key("state_backend", "workflow", "type_index", task);
  return {
    orchestrator: orchestratorReads(reading),
    state_backend: stateBackendReads(reading),
    client_data_store: clientDataReads(reading),
    async newestOf(tasks) {
      const newest = await orchestrator.exchange(
        tasks.map((task) => [
          ...["ZREVRANGE", keys.key("orchestrator", "task_invocations_by_time", task)],
          ...["0", String(NEWEST_CALLS - 1)],
        ]),
      );
      return newest.map(textsOf);
    },
    async startedAmong(tasks) {
      const started = new Set(await stateBackend.existing(tasks.map(typeIndex)));
      return new Set(tasks.filter((task) => started.has(typeIndex(task))));
    },
    async indexedAmong(calls) {
      const replies = await orchestrator.exchange(
        calls.map(({ record, argument: [name, value] }) => [
          "SISMEMBER",
          keys.key("orchestrator", "task", record.task_id_key, "arg", name, "val", value),
          record.invocation_id,
        ]),
      );
      return new Set(calls.filter((_, i) => replies[i] === 1).map(({ record }) => record.invocation_id));
    },
    firstEntries: (ids) => firstEntries(reading, ids),
  };
}
