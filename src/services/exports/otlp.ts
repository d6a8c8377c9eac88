import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { outgoing } from "../../config/masking.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { inOrder, lifeStretches, type StatusStep, timed } from "../../pynenc/life.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { EXCEPTION_BYTES } from "../../stores/value-limit.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { MESSAGE_READ } from "../model/invocation-rows.ts";
import { runnerNames } from "../model/runner-names.ts";
import { signsOfLife } from "../model/signs-of-life.ts";
import { exceptionReader } from "../model/stored-values.ts";
import { FamilyRoots, NO_ARGUMENTS } from "./family-roots.ts";
import { attributes, KIND, nanos, type OtlpEvent, type OtlpSpan, STATUS_CODE } from "./otlp-json.ts";
import { causesOf, idsOf, otlpLink } from "./otlp-links.ts";

/** Counts of invocations without a span, or with an incomplete one. */
export interface OtlpLeftOut {
  /** Not ended yet; without a span. */
  unfinished: number;
  /** Start not known from the history; without a span. */
  unknown_times: number;
  /** Only the start of a long history was read; the span has no phases. */
  cut: number;
}

export interface OtlpChoice {
  /** Leaves out arguments and messages of exceptions. */
  noValues: boolean;
  /** Version of the monitor. */
  version: string;
}

/** Invocations per line of output, which is one request to a collector of some hundred kilobytes. */
const PER_LINE = 200;

/** History entries read per invocation. */
const HISTORY_EACH = 2_000;
/** History entries read for a line, which normally is enough for all. */
const HISTORY_OF_LINE = 20_000;

/**
 * One line of OTLP/JSON per few hundred invocations, in the format of a collector's file receiver. Each line also is a valid body of a request to
 * `/v1/traces`.
 *
 * @param leftOut is updated with each line.
 */
export async function* otlpLines(
  app: OpenedApp,
  batches: AsyncIterable<readonly InvocationRow[]>,
  { noValues, version }: OtlpChoice,
  leftOut: OtlpLeftOut,
): AsyncGenerator<string> {
  const roots = new FamilyRoots();
  const resource = { attributes: attributes({ "service.name": app.app_id }) };
  const scope = { name: "pynenc-monitor", version };
  for await (const rows of batches) {
    for (let from = 0; from < rows.length; from += PER_LINE) {
      const some = rows.slice(from, from + PER_LINE);
      const spans = await app.store.read((reads) => spansOf(reads, some, roots, noValues, leftOut));
      if (spans.length === 0) continue;
      yield `${JSON.stringify(outgoing({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }))}\n`;
    }
  }
}

/** Spans of these invocations. A fixed number of batched reads, plus one per unknown generation above them. */
async function spansOf(
  reads: AppReads,
  rows: readonly InvocationRow[],
  roots: FamilyRoots,
  noValues: boolean,
  leftOut: OtlpLeftOut,
): Promise<OtlpSpan[]> {
  const ended = rows.filter((row) => row.final);
  leftOut.unfinished += rows.length - ended.length;
  const lives = await livesOf(reads, ended);
  leftOut.unknown_times += ended.length - lives.length;
  leftOut.cut += lives.filter(({ cut }) => cut).length;
  if (lives.length === 0) return [];
  const ids = lives.map(({ row }) => row.invocation_id);
  const [definitions, exceptions, runners, signs] = await Promise.all([
    reads.state_backend.invocationsByIds(ids, NO_ARGUMENTS),
    exceptionsOf(reads, lives, noValues),
    runnerNames(
      reads,
      lives.flatMap(({ steps }) => steps.flatMap(({ status_runner_id: runner }) => runner ?? [])),
    ),
    signsOfLife(
      reads,
      lives.map(({ steps }) => steps),
      null,
    ),
  ]);
  const causes = await causesOf(reads, definitions);
  const linked = [...causes.values()].flatMap(({ links }) => links.map(invocationIdOf));
  const known = new Set(definitions.map(invocationIdOf));
  const others = [...ids, ...linked].filter((id) => !known.has(id));
  const rootOf = await roots.of(reads, definitions, [...new Set(others)]);
  const traceOf = (id: string) => idsOf(rootOf.get(id) ?? id).traceId;

  return lives.flatMap(({ row, steps, registeredAt, cut }) => {
    const { at: endedAt = registeredAt, clocks_disagree = false } = timed(steps).at(-1) ?? {};
    const { invocation_id, parent_invocation_id } = row;
    const traceId = traceOf(invocation_id);
    const own = idsOf(invocation_id);
    const cause = causes.get(invocation_id);
    const exception = exceptions.get(invocation_id);
    const whole: OtlpSpan = {
      traceId,
      spanId: own.spanId,
      ...(parent_invocation_id === null ? {} : { parentSpanId: idsOf(parent_invocation_id).spanId }),
      name: row.task_id_key ?? invocation_id,
      kind: KIND.consumer,
      startTimeUnixNano: nanos(registeredAt),
      endTimeUnixNano: nanos(endedAt),
      attributes: attributes({
        "messaging.system": "pynenc",
        "messaging.message.id": invocation_id,
        "code.function.name": row.task_id_key,
        "error.type": row.status === "failed" ? (exception?.type ?? "_OTHER") : null,
        "pynenc.status": row.status,
        "pynenc.call.id": row.call_id_key,
        "pynenc.workflow.id": row.workflow_id,
        "pynenc.retries": row.retry_count,
        "pynenc.clocks_disagree": clocks_disagree ? true : null,
        "pynenc.arguments": noValues ? null : outgoing(row).arguments,
        "pynenc.event.id": cause?.event_id,
        "pynenc.event.code": cause?.event_code,
        "pynenc.trigger_run.id": cause?.trigger_run_id,
      }),
      ...(exception === undefined ? {} : { events: [exceptionEvent(exception, endedAt)] }),
      ...(cause === undefined || cause.links.length === 0
        ? {}
        : { links: cause.links.map((link) => otlpLink(link, traceOf(link.invocation_id))) }),
      ...statusOf(row.status, exception),
    };
    const phases = (cut ? [] : lifeStretches(steps, null, signs)).map(
      (stretch, index): OtlpSpan => ({
        traceId,
        spanId: own.stretch(index),
        parentSpanId: own.spanId,
        name: stretch.phase,
        kind: KIND.internal,
        startTimeUnixNano: nanos(stretch.from / 1e6),
        endTimeUnixNano: nanos(stretch.to / 1e6),
        attributes: attributes({
          "pynenc.statuses": [stretch.status],
          "pynenc.across_clocks": stretch.across_clocks ? true : null,
          "pynenc.runner.id": stretch.runner,
          "host.name": runners.get(stretch.runner ?? "")?.hostname,
          "process.pid": runners.get(stretch.runner ?? "")?.pid,
        }),
      }),
    );
    return [whole, ...phases];
  });
}

/** An invocation with a start and an end. */
interface Life {
  row: InvocationRow;
  steps: StatusStep[];
  registeredAt: EpochSeconds;
  /** The history is longer than what was read, so `steps` is only its start. */
  cut: boolean;
}

/** The lives of these final invocations, without those whose start is not known. */
async function livesOf(reads: AppReads, rows: readonly InvocationRow[]): Promise<Life[]> {
  const histories = await historiesOf(reads, rows.map(invocationIdOf));
  return rows.flatMap((row) => {
    const registeredAt = epochFromIso(row.registered_at ?? "");
    const endedAt = epochFromIso(row.status_at ?? "");
    const entries = histories.get(row.invocation_id) ?? [];
    if (registeredAt === null || endedAt === null || entries.length === 0) return [];
    const steps: StatusStep[] = inOrder(entries);
    // The last entry is written shortly after the change, and may be lost.
    if (steps.at(-1)?.status !== row.status) steps.push({ status: row.status, timestamp: endedAt });
    return [{ row, steps, registeredAt, cut: entries.length >= HISTORY_EACH }];
  });
}

/** Histories by invocation. If they are long, the group is split in half until it fits; a single invocation may be cut. */
async function historiesOf(reads: AppReads, ids: readonly string[]): Promise<Map<string, HistoryRecord[]>> {
  if (ids.length === 0) return new Map();
  const limit = ids.length === 1 ? HISTORY_EACH : HISTORY_OF_LINE;
  const entries = await reads.state_backend.historyOf(ids, limit);
  if (entries.length >= limit && ids.length > 1) {
    const middle = ids.length >>> 1;
    const half = await historiesOf(reads, ids.slice(0, middle));
    return new Map([...half, ...(await historiesOf(reads, ids.slice(middle)))]);
  }
  return rowsBy(entries, invocationIdOf);
}

interface ExportedException {
  type: string;
  message: string | null;
}

/** Stored exceptions of failed invocations. Tracebacks are not stored. */
async function exceptionsOf(
  reads: AppReads,
  lives: readonly Life[],
  noValues: boolean,
): Promise<Map<string, ExportedException>> {
  const failed = lives.flatMap(({ row }) => (row.status === "failed" ? [row.invocation_id] : []));
  if (failed.length === 0) return new Map();
  const stored = await reads.state_backend.outcomesOf(["exception"], failed, EXCEPTION_BYTES);
  const texts = stored.map((one) => one.stored);
  const show = await exceptionReader(reads, texts, MESSAGE_READ, EXCEPTION_BYTES);
  return new Map(
    stored.map((one): [string, ExportedException] => {
      const { exception } = show(one.stored, one);
      const message = noValues ? null : exception.message;
      return [one.invocation_id, { type: exception.type ?? exception.error_name, message }];
    }),
  );
}

function exceptionEvent({ type, message }: ExportedException, at: EpochSeconds): OtlpEvent {
  return {
    timeUnixNano: nanos(at),
    name: "exception",
    attributes: attributes({ "exception.type": type, "exception.message": message }),
  };
}

function statusOf(status: string, exception: ExportedException | undefined): Pick<OtlpSpan, "status"> {
  if (status === "success") return { status: { code: STATUS_CODE.ok } };
  if (status !== "failed") return {};
  const message = exception?.message || exception?.type;
  return { status: { code: STATUS_CODE.error, ...(message ? { message } : {}) } };
}
