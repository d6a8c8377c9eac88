/** What started an invocation, as links of its spans. */
import { createHash } from "node:crypto";
import type { SourceKind } from "../../api/model/trigger-objects.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import type { EventRecord, InvocationRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { eventsOf, kindsOfSource, sourcesOf } from "../model/run-causes.ts";
import { attributes, type OtlpLink } from "./otlp-json.ts";

/** Limit of trigger runs read per invocation; normally there is one. */
const STARTERS = 5;

interface CausalLink {
  /** The invocation that led to this one. */
  invocation_id: string;
  /** `event`: it emitted the event; otherwise what a trigger watched. */
  kind: "event" | SourceKind;
  event_id: string | null;
  trigger_run_id: string | null;
}

/** What started an invocation, if it was a trigger. */
interface Cause {
  event_id: string | null;
  event_code: string | null;
  trigger_run_id: string | null;
  links: CausalLink[];
}

/** Causes of the invocations that a trigger started. Three batched reads. */
export async function causesOf(
  reads: AppReads,
  definitions: readonly Pick<InvocationRecord, "invocation_id" | "parent_event_id">[],
): Promise<Map<string, Cause>> {
  const starters = await reads.trigger.triggerRunsOf(
    "triggered_invocation",
    definitions.map((row) => row.invocation_id),
    { each: STARTERS },
  );
  const records = await reads.trigger.triggerRunsByIds([...new Set(starters.map((link) => link.trigger_run_id))]);
  const runById = new Map(records.map((run) => [run.trigger_run_id, run]));
  const runsOf = rowsBy(starters, (link) => link.of);
  const named = definitions.flatMap(({ parent_event_id }) => parent_event_id ?? []);
  const events = await reads.trigger.eventsByIds([...new Set([...named, ...records.flatMap(eventsOf)])], 0);
  const eventById = new Map(events.map((event) => [event.event_id, event]));
  const causes = new Map<string, Cause>();
  for (const { invocation_id, parent_event_id } of definitions) {
    const runIds = (runsOf.get(invocation_id) ?? []).map((link) => link.trigger_run_id);
    const runs = runIds.flatMap((id) => runById.get(id) ?? []);
    const links = runs.flatMap((run) => linksOf(run, eventById));
    const event_id = runs.flatMap(eventsOf)[0] ?? parent_event_id;
    // Until the index of started invocations is written, only their definitions name the first event of their run (storage-format.md 5.6).
    const emitter = runs.length > 0 ? null : (eventById.get(event_id ?? "")?.emitted_by_invocation_id ?? null);
    if (emitter !== null) links.push({ invocation_id: emitter, kind: "event", event_id, trigger_run_id: null });
    if (event_id === null && runIds.length === 0) continue;
    const event_code = eventById.get(event_id ?? "")?.event_code ?? null;
    causes.set(invocation_id, { event_id, event_code, trigger_run_id: runIds[0] ?? null, links });
  }
  return causes;
}

function linksOf(run: TriggerRunRecord, eventById: ReadonlyMap<string, EventRecord>): CausalLink[] {
  const { trigger_run_id } = run;
  const emitted = eventsOf(run).flatMap((event_id): CausalLink[] => {
    const emitter = eventById.get(event_id)?.emitted_by_invocation_id ?? null;
    return emitter === null ? [] : [{ invocation_id: emitter, kind: "event", event_id, trigger_run_id }];
  });
  const watched = sourcesOf(run).flatMap((source) =>
    kindsOfSource(run, source).map(
      (kind): CausalLink => ({ invocation_id: source, kind, event_id: null, trigger_run_id }),
    ),
  );
  return [...emitted, ...watched];
}

export function otlpLink({ invocation_id, kind, event_id, trigger_run_id }: CausalLink, traceId: string): OtlpLink {
  return {
    traceId,
    spanId: idsOf(invocation_id).spanId,
    attributes: attributes({
      "pynenc.link.kind": kind,
      "pynenc.event.id": event_id,
      "pynenc.trigger_run.id": trigger_run_id,
    }),
  };
}

/**
 * Ids of 16 and 8 bytes derived from the invocation id (SHA-256), so that they are the same in every export, and spans exported later match their
 * parents.
 */
export function idsOf(invocationId: string): { traceId: string; spanId: string; stretch: (index: number) => string } {
  const digest = createHash("sha256").update(invocationId).digest();
  return {
    traceId: digest.toString("hex", 0, 16),
    spanId: digest.toString("hex", 16, 24),
    stretch: (index) => {
      const low = (digest.readUInt32BE(28) + index) >>> 0;
      return digest.toString("hex", 24, 28) + low.toString(16).padStart(8, "0");
    },
  };
}
