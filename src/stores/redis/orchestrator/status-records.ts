/**
 * Current statuses (storage-format.md 9.2). `invocation_status:<id>` is authoritative; sets and indexes only give candidates. Unreadable records
 * count as missing.
 */
import { parseCallKey } from "../../../pynenc/identifiers.ts";
import { parseStatus, type StatusJson } from "../../../pynenc/json-records.ts";
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import type { InvocationStatusRecord } from "../../../pynenc/records.ts";
import { inChunks } from "../../server/chunks.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf } from "../server/db.ts";
import { boundedDocuments } from "../server/documents.ts";

/** Invocations read per round trip. */
const STEP = 5_000;

/** Task and call; empty strings if not known. */
interface CalledTask {
  task_id_key: string;
  call_id_key: string;
}

/** Other data of a status record. */
type Details = Omit<InvocationStatusRecord, "invocation_id" | "status" | "status_runner_id" | "status_timestamp">;

/** An invocation and its current status. */
export interface FoundStatus {
  invocation_id: string;
  current: StatusJson;
}

/** Statuses of these invocations, in order, without those that have none; with `wanted`, only these statuses. */
export async function foundStatuses(
  reading: RedisReading,
  invocationIds: readonly string[],
  wanted?: readonly string[],
): Promise<FoundStatus[]> {
  const found: FoundStatus[] = [];
  for (const ids of inChunks(invocationIds, STEP)) {
    const stored = await reading
      .db("orchestrator")
      .strings(ids.map((id) => reading.keys.key("orchestrator", "invocation_status", id)));
    for (const [i, invocation_id] of ids.entries()) {
      const json = stored[i] ?? null;
      if (json === null || !mayBeIn(json, wanted)) continue;
      const current = parseStatus(json);
      if (current !== null && (wanted?.includes(current.status) ?? true)) found.push({ invocation_id, current });
    }
  }
  return found;
}

const PLAIN_WORD = /^\w+$/;

/** False if none of the words can be in the text, so that most records of a long walk need no parsing. */
function mayBeIn(json: string, words: readonly string[] | undefined): boolean {
  return words?.some((word) => !PLAIN_WORD.test(word) || json.includes(word)) ?? true;
}

/** Task and call of these invocations as the orchestrator recorded them, in order; null if it did not. */
export async function recordedCalls(
  reading: RedisReading,
  invocationIds: readonly string[],
): Promise<(CalledTask | null)[]> {
  const recorded = await reading
    .db("orchestrator")
    .strings(invocationIds.map((id) => reading.keys.key("orchestrator", "invocation_to_call", id)));
  return recorded.map(calledBy);
}

/** Task and call of these invocations, in order: from the orchestrator, else from the definition. */
export async function calledTasks(reading: RedisReading, invocationIds: readonly string[]): Promise<CalledTask[]> {
  const called: CalledTask[] = [];
  for (const ids of inChunks(invocationIds, STEP)) {
    const known = await recordedCalls(reading, ids);
    const others = ids.filter((_, i) => known[i] === null);
    const defined = new Map<string, CalledTask>();
    const keys = others.map((id) => reading.keys.key("state_backend", "invocation", id));
    const definitions = await boundedDocuments(reading.db("state_backend"), keys, TAIL_BYTES, "serialized_arguments");
    for (const [i, id] of others.entries()) defined.set(id, calledByDefinition(definitions[i]?.json ?? ""));
    for (const [i, id] of ids.entries()) called.push(known[i] ?? defined.get(id) ?? NOTHING_CALLED);
  }
  return called;
}

/** Completes statuses to records, in order. */
export async function recordsOf(
  reading: RedisReading,
  found: readonly FoundStatus[],
): Promise<InvocationStatusRecord[]> {
  const details = await detailsOf(
    reading,
    found.map(({ invocation_id }) => invocation_id),
  );
  return found.map((status, i) => recordOf(status, details[i]));
}

/** Distinct records of these invocations, without those that have no status. */
export async function statusRecords(
  reading: RedisReading,
  invocationIds: readonly string[],
): Promise<InvocationStatusRecord[]> {
  const records: InvocationStatusRecord[] = [];
  for (const ids of inChunks([...new Set(invocationIds)], STEP)) {
    const [found, details] = await Promise.all([foundStatuses(reading, ids), detailsOf(reading, ids)]);
    const byId = new Map(ids.map((id, i) => [id, details[i]]));
    for (const status of found) records.push(recordOf(status, byId.get(status.invocation_id)));
  }
  return records;
}

const NOTHING_CALLED: CalledTask = { task_id_key: "", call_id_key: "" };

function recordOf({ invocation_id, current }: FoundStatus, details: Details | undefined): InvocationStatusRecord {
  return {
    invocation_id,
    ...(details ?? { ...NOTHING_CALLED, retry_count: 0, auto_purge_timestamp: null }),
    status: current.status,
    status_runner_id: current.runner_id,
    status_timestamp: current.timestamp,
  };
}

async function detailsOf(reading: RedisReading, invocationIds: readonly string[]): Promise<Details[]> {
  const { keys } = reading;
  const db = reading.db("orchestrator");
  const finals = keys.key("orchestrator", "invocation_auto_purge");
  const details: Details[] = [];
  for (const ids of inChunks(invocationIds, STEP)) {
    const [called, retries, becameFinal] = await Promise.all([
      calledTasks(reading, ids),
      db.strings(ids.map((id) => keys.key("orchestrator", "invocation_retries", id))),
      db.scores(finals, ids),
    ]);
    for (const [i, task] of called.entries()) {
      details.push({
        ...task,
        retry_count: numberOf(retries[i]),
        auto_purge_timestamp: becameFinal[i] ?? null,
      });
    }
  }
  return details;
}

function calledBy(callKey: string | null): CalledTask | null {
  const parts = callKey === null ? null : parseCallKey(callKey);
  return parts && callKey !== null ? { task_id_key: parts.task_id_key, call_id_key: callKey } : null;
}

function calledByDefinition(json: string): CalledTask {
  const definition = objectOrNull(parsedJson(json));
  const member = (name: keyof CalledTask) => (typeof definition?.[name] === "string" ? definition[name] : "");
  return { task_id_key: member("task_id_key"), call_id_key: member("call_id_key") };
}
