/** Registers calls again (storage-format.md 7.4). */
import { parseHistory } from "../../../pynenc/json-records.ts";
import { pythonJson } from "../../../pynenc/python-dump.ts";
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import { REGISTERED } from "../../../pynenc/registration.ts";
import type { Rerun, RerunRequest } from "../../ports/actions.ts";
import type { PlannedRegistration } from "../../rerun-rule.ts";
import { NEWEST_CALLS, planReruns, type RerunReads } from "../../server/rerun-plan.ts";
import { clientDataReads } from "../client-data/client-data.ts";
import { dateOf, membersOf, text, texts } from "../collections/fields.ts";
import { recordsEvents } from "../collections/present.ts";
import { amongNewest, findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import type { Document } from "../server/db.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import type { Changes } from "./changes.ts";
import { messagesOf } from "./messages.ts";

/**
 * @param newId generates the id of a new invocation; null in a preview, which registers nothing.
 * @throws StoreUnreachableError
 */
export async function rerun(
  reading: MongoReading,
  changes: Changes,
  invocationIds: readonly string[],
  request: RerunRequest,
  newId: (() => string) | null,
): Promise<Rerun[]> {
  const { caller, at = null, enqueue = true, routing } = request;
  const [newer, messages] = await Promise.all([
    // The current layout: definitions from before an upgrade keep their old form.
    recordsEvents(reading),
    enqueue ? messagesOf(reading, routing, at) : null,
  ]);
  const { answers, registrations } = await planReruns(rerunReads(reading), invocationIds, request, {
    newer,
    routeOf: (task) => messages?.routeOf(task) ?? null,
    newId,
    // Dates have milliseconds; documents have an order of their own.
    instantAfter: () => dateOf(at ?? Date.now() / 1000).getTime() / 1000,
  });
  if (registrations.length === 0) return answers;
  // No transaction joins them, so they are written in the order of pynenc's plugin: whatever is left after an interruption, no runner stumbles over it.
  await copyArguments(reading, changes, registrations, newer);
  await changes.insert("orchestrator", "invocations", registrations.map(statusDocument));
  await changes.insertMissing("state_backend", "runner_contexts", "runner_id", contextDocument(caller));
  await changes.insert("state_backend", "history", registrations.map(historyDocument));
  await changes.insert("orchestrator", "invocation_args", registrations.flatMap(argumentDocuments));
  // Messages are last: a runner that takes a message without records stops working.
  if (messages !== null) {
    const documents = registrations.map((made) => messages.messageOf(made.invocation.invocation_id, made.route));
    await changes.insert("broker", "messages", documents);
  }
  return answers;
}

/** Writes the definitions with the arguments as they are stored, one after the other: each may be as large as a document can be. */
async function copyArguments(
  reading: MongoReading,
  changes: Changes,
  registrations: readonly PlannedRegistration[],
  newer: boolean,
): Promise<void> {
  for (const { original, invocation } of registrations) {
    const source = await reading
      .of("state_backend", "invocations")
      .findOne({ invocation_id: original }, { only: { arguments: 1 } });
    const stored = membersOf(source?.arguments);
    const items = stored.all_chunked === true ? [""] : texts(stored.chunked).map((item) => `:${item}`);
    for (const item of items) {
      const chunks = await reading
        .of("state_backend", "chunks")
        .find({ chunk_key: `${original}:args${item}` }, { sort: { seq: 1 }, limit: MOST_CHUNKS });
      for (const { seq, data } of chunks) {
        const chunk_key = `${invocation.invocation_id}:args${item}`;
        await changes.insert("state_backend", "chunks", [{ chunk_key, seq, data }]);
      }
    }
    const { arguments_id: _, serialized_arguments: __, parent_event_id, ...definition } = invocation;
    const event = newer ? { parent_event_id } : {};
    await changes.insert("state_backend", "invocations", [{ ...definition, ...event, arguments: stored }]);
  }
}

/** The plugin writes one chunk per 15 megabytes of compressed text. */
const MOST_CHUNKS = 1_000;

function statusDocument({ status }: PlannedRegistration): Document {
  return { ...status, status_timestamp: dateOf(status.status_timestamp), transition_lock: [] };
}

function historyDocument({ invocation, history }: PlannedRegistration): Document {
  return {
    invocation_id: invocation.invocation_id,
    history_timestamp: dateOf(history.timestamp),
    history_status: history.status,
    history_json: history.json,
  };
}

function argumentDocuments({ invocation: { invocation_id }, stored }: PlannedRegistration): Document[] {
  return [...stored].map(([arg_key, arg_value]) => ({ invocation_id, arg_key, arg_value }));
}

function contextDocument({ hostname, pid, runner_cls, runner_id, thread_id }: RunnerContextRecord): Document {
  return { runner_id, context_json: pythonJson({ hostname, pid, runner_cls, runner_id, thread_id }) };
}

function rerunReads(reading: MongoReading): RerunReads {
  return {
    orchestrator: orchestratorReads(reading),
    state_backend: stateBackendReads(reading),
    client_data_store: clientDataReads(reading),
    async newestOf(tasks) {
      const invocations = reading.of("orchestrator", "invocations");
      const among = await amongNewest(reading);
      const limits = { sort: { _id: -1 }, limit: NEWEST_CALLS, only: { invocation_id: 1 } } as const;
      const newest = await Promise.all(tasks.map((task_id_key) => invocations.find({ task_id_key, ...among }, limits)));
      return newest.map((found) => found.map(({ invocation_id }) => text(invocation_id)));
    },
    async startedAmong(tasks) {
      const runs = reading.of("state_backend", "workflows");
      const found = await Promise.all(
        tasks.map((task) => runs.findOne({ workflow_type_key: task }, { only: { workflow_type_key: 1 } })),
      );
      return new Set(tasks.filter((_, i) => found[i] !== null));
    },
    async indexedAmong(calls) {
      const found = await findIn(
        reading.of("orchestrator", "invocation_args"),
        "invocation_id",
        calls.map(({ record }) => record.invocation_id),
        { only: { invocation_id: 1 } },
      );
      return new Set(found.map(({ invocation_id }) => text(invocation_id)));
    },
    async firstEntries(ids) {
      const found = await findIn(reading.of("state_backend", "history"), "invocation_id", ids, {
        where: { history_status: REGISTERED },
      });
      return found.map((entry) => ({
        invocation_id: text(entry.invocation_id),
        status: REGISTERED,
        runner_context_id: parseHistory(text(entry.history_json))?.runner_context_id ?? null,
      }));
    },
  };
}
