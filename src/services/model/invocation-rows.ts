import type { ExceptionLine, InvocationRow } from "../../api/model/invocation-rows.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { lifeStretches, measuredSeconds, NO_SIGNS_OF_LIFE, statusSteps } from "../../pynenc/life.ts";
import type { InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import { messageKind } from "../../rollups/failure-message.ts";
import type { FailureCause } from "../../rollups/rollup.ts";
import type { HistorySpan } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { EXCEPTION_BYTES } from "../../stores/value-limit.ts";
import { argumentsLine } from "./arguments-line.ts";
import { lifeOf } from "./invocation-life.ts";
import { exceptionReader } from "./stored-values.ts";

/** False if only references to the invocation are left. */
export function isStored({ status_source, task_id_key }: InvocationRow): boolean {
  return status_source !== "none" || task_id_key !== null;
}

/** Characters of a message shown in a list. */
const MESSAGE_CHARACTERS = 160;

/** Characters read of a message, which may start with blank lines. */
export const MESSAGE_READ = 1_000;

/** Rows for these ids in the order given. Three batched reads, two more if some failed, and one more if the clocks of some of their hosts disagree. */
export async function invocationRows(reads: AppReads, ids: readonly string[]): Promise<InvocationRow[]> {
  if (ids.length === 0) return [];
  const [statuses, definitions, spans] = await Promise.all([
    reads.orchestrator.statusesByIds(ids),
    reads.state_backend.invocationsByIds(ids),
    reads.state_backend.historySpanOf(ids),
  ]);
  const statusById = new Map(statuses.map((row) => [row.invocation_id, row]));
  const definitionById = new Map(definitions.map((row) => [row.invocation_id, row]));
  const spanById = new Map(spans.map((row) => [row.invocation_id, row]));
  const rows = ids.map((id) => invocationRow(id, statusById.get(id), definitionById.get(id), spanById.get(id)));
  await addMeasured(reads, rows, statusById);
  const failed = rows.filter(({ status }) => status === "failed").map(invocationIdOf);
  if (failed.length === 0) return rows;
  const exceptions = await exceptionLines(reads, failed);
  return rows.map((row) => ({ ...row, exception: exceptions.get(row.invocation_id) ?? null }));
}

/** Limit of history entries read to measure invocations whose hosts' clocks disagree. */
const HISTORY_READ = 20_000;

/** Sets the minimum duration of invocations that, by the clocks of two hosts, ended before they were registered. */
async function addMeasured(
  reads: AppReads,
  rows: readonly InvocationRow[],
  statuses: ReadonlyMap<string, InvocationStatusRecord>,
): Promise<void> {
  const doubtful = rows.filter(
    ({ final, duration_seconds, registered_at, status_at }) =>
      final && duration_seconds === null && registered_at !== null && status_at !== null,
  );
  if (doubtful.length === 0) return;
  const entries = await reads.state_backend.historyOf(doubtful.map(invocationIdOf), HISTORY_READ);
  if (entries.length >= HISTORY_READ) return;
  const histories = rowsBy(entries, invocationIdOf);
  for (const row of doubtful) {
    const steps = statusSteps(statuses.get(row.invocation_id), histories.get(row.invocation_id) ?? []);
    row.duration_seconds = measuredSeconds(lifeStretches(steps, null, NO_SIGNS_OF_LIFE));
    row.duration_at_least = true;
  }
}

/**
 * Type and first line of the message of the stored exceptions of these invocations.
 *
 * @param characters maximum length of the line, up to `MESSAGE_READ`.
 */
export async function exceptionLines(
  reads: AppReads,
  ids: readonly string[],
  characters: number = MESSAGE_CHARACTERS,
): Promise<ReadonlyMap<string, ExceptionLine>> {
  return exceptionsOf(reads, ids, MESSAGE_READ, (message) => oneLine(message, characters));
}

/** What failures are grouped by. @param exception with at least `MESSAGE_READ` characters of its message. */
export function failureCause({ type, message }: ExceptionLine): FailureCause {
  return { type, message: messageKind(oneLine(message ?? "", MESSAGE_READ)) };
}

/** As `exceptionLines`, but with all lines of the message, as far as lists read the stored exception. */
export function wholeExceptions(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, ExceptionLine>> {
  return exceptionsOf(reads, ids, EXCEPTION_BYTES, (message) => message);
}

async function exceptionsOf(
  reads: AppReads,
  ids: readonly string[],
  read: number,
  shown: (message: string) => string,
): Promise<ReadonlyMap<string, ExceptionLine>> {
  const stored = await reads.state_backend.outcomesOf(["exception"], ids, EXCEPTION_BYTES);
  const texts = stored.map((row) => row.stored);
  const show = await exceptionReader(reads, texts, read, EXCEPTION_BYTES);
  return new Map(
    stored.map((row): [string, ExceptionLine] => {
      const { exception, resolved } = show(row.stored, row);
      const { error_name: type, message, value } = exception;
      const cut = value?.cut ?? resolved?.resolved?.cut;
      const line = { type, message: message === null ? null : shown(message) };
      return [row.invocation_id, cut === undefined ? line : { ...line, cut }];
    }),
  );
}

/** The first line of a message that is not blank, cut. */
export function oneLine(message: string, characters: number = MESSAGE_CHARACTERS): string {
  const whole = message.trim();
  const line = whole.split(/[\r\n]/, 1)[0]?.trimEnd() ?? "";
  if (line.length > characters) return `${line.slice(0, characters)}…`;
  return line.length < whole.length ? `${line} …` : line;
}

function invocationRow(
  invocation_id: string,
  status: InvocationStatusRecord | undefined,
  definition: InvocationRecord | undefined,
  span: HistorySpan | undefined,
): InvocationRow {
  const life = lifeOf(status, span);
  return {
    invocation_id,
    task_id_key: status?.task_id_key ?? definition?.task_id_key ?? null,
    call_id_key: status?.call_id_key ?? definition?.call_id_key ?? null,
    status: life.status,
    status_source: life.status_source,
    final: life.info.final,
    // NaN means that the column is missing.
    retry_count: status === undefined || Number.isNaN(status.retry_count) ? null : status.retry_count,
    registered_at: isoOrNull(life.registeredAt),
    status_at: isoOrNull(life.changedAt),
    duration_seconds: life.durationSeconds,
    owner_runner_id: life.info.requires_ownership ? (status?.status_runner_id ?? null) : null,
    parent_invocation_id: definition?.parent_invocation_id ?? null,
    workflow_id: definition?.workflow_id ?? null,
    arguments: definition === undefined ? null : argumentsLine(definition.serialized_arguments, definition),
    exception: null,
  };
}
