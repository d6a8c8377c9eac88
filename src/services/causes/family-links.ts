/**
 * Direct causal links between invocations: by a call, through an event that one emitted, or because a trigger watched the status, result or
 * exception of one. Events and trigger runs are skipped here; the causal trace (trace.ts) shows them.
 */
import type { FamilyEdgeKind } from "../../api/causes.ts";
import type { EventRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { eventsOf, kindsOfSource, sourcesOf } from "../model/run-causes.ts";

/** In order of precedence: if two invocations are related in several ways, the first kind is shown. */
const FAMILY_EDGE_KINDS: readonly FamilyEdgeKind[] = ["call", "event", "status", "result", "exception", "source"];

export interface Relative {
  id: string;
  kind: FamilyEdgeKind;
}

export interface Offspring {
  /** Without duplicates, in the order of the kinds. */
  children: Relative[];
  /** False if not everything was read: there may be more children. */
  complete: boolean;
}

/** Limit of emitted events followed per invocation. */
const EVENTS_FOLLOWED = 200;

/** Direct children of these invocations, at least `each` per invocation if there are that many. Always six batched reads. */
export async function offspringOf(
  reads: AppReads,
  ids: readonly string[],
  each: number,
): Promise<Map<string, Offspring>> {
  // One more than needed, to notice that the list was cut.
  const limit = { each: each + 1 };
  const [calls, emitted, asSource] = await Promise.all([
    reads.state_backend.childrenOf(ids, limit),
    reads.trigger.eventsEmittedBy(ids, { each: EVENTS_FOLLOWED + 1 }),
    reads.trigger.triggerRunsOf("source_invocation", ids, limit),
  ]);
  const eventIds = emitted.map((event) => event.event_id);
  const [started, named, runs] = await Promise.all([
    reads.trigger.triggeredBy(eventIds, limit),
    reads.state_backend.childrenOf(eventIds, limit, "event"),
    reads.trigger.triggerRunsByIds([...new Set(asSource.map((link) => link.trigger_run_id))]),
  ]);
  const emitters = new Map(emitted.map((event) => [event.event_id, event.emitted_by_invocation_id ?? ""]));
  const emitterOf = (eventId: string) => emitters.get(eventId) ?? "";
  const runById = new Map(runs.map((run) => [run.trigger_run_id, run]));
  const related: [parent: string, child: Relative][] = [
    ...calls.map((row) => relation(row.parent_id, row.invocation_id, "call")),
    ...started.map((row) => relation(emitterOf(row.event_id), row.invocation_id, "event")),
    // Until the index of started invocations is written, only their definitions name the first event of their run (storage-format.md 5.6).
    ...named.map((row) => relation(emitterOf(row.parent_id), row.invocation_id, "event")),
    ...asSource.flatMap(({ of, trigger_run_id }) => startedBySource(runById.get(trigger_run_id), of)),
  ];
  const cut = new Set([
    ...beyond(each, calls, (row) => row.parent_id),
    ...beyond(each, asSource, (link) => link.of),
    ...beyond(EVENTS_FOLLOWED, emitted, (event) => event.emitted_by_invocation_id ?? ""),
    ...beyond(each, started, (row) => row.event_id).map(emitterOf),
    ...beyond(each, named, (row) => row.parent_id).map(emitterOf),
  ]);
  const children = new Map(ids.map((id) => [id, new Map<string, Relative>()]));
  for (const [parent, child] of related.sort(([, a], [, b]) => rank(a.kind) - rank(b.kind))) {
    const known = children.get(parent);
    if (known?.has(child.id) === false) known.set(child.id, child);
  }
  return new Map(
    [...children].map(([id, found]) => [id, { children: [...found.values()], complete: !cut.has(id) }] as const),
  );
}

function relation(parent: string, id: string, kind: FamilyEdgeKind): [string, Relative] {
  return [parent, { id, kind }];
}

/** Runs of exception triggers share an id, so links may point to a run that was overwritten by a later one (storage-format.md 1.6). */
function startedBySource(run: TriggerRunRecord | undefined, source: string): [string, Relative][] {
  const target = run?.triggered_invocation_id ?? null;
  if (run === undefined || target === null || !sourcesOf(run).includes(source)) return [];
  return kindsOfSource(run, source).map((kind) => relation(source, target, kind));
}

/** Ids with more than `limit` of these rows. */
function beyond<Row>(limit: number, rows: readonly Row[], idOf: (row: Row) => string): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(idOf(row), (counts.get(idOf(row)) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count > limit ? [id] : []));
}

function rank(kind: FamilyEdgeKind): number {
  return FAMILY_EDGE_KINDS.indexOf(kind);
}

/** What started an invocation. */
export interface Origin {
  /** The invocation that caused it, which may no longer be stored. Null if it was called from outside or by a schedule. */
  cause: Relative | null;
  /** The event that started it, if any is named. */
  event_id: string | null;
  /** Also null if the event is no longer stored. */
  event_code: string | null;
  trigger_run_id: string | null;
}

/** Limit of runs read that started one invocation; normally there is one. */
const STARTERS = 5;

/**
 * The invocation that caused this one: its parent, otherwise the emitter of the event that started it, otherwise the source that the trigger run
 * watched. At most four reads.
 */
export async function originOf(reads: AppReads, id: string): Promise<Origin> {
  const [definition] = await reads.state_backend.invocationsByIds([id]);
  const nothing: Origin = { cause: null, event_id: null, event_code: null, trigger_run_id: null };
  if (definition?.parent_invocation_id != null) {
    return { ...nothing, cause: { id: definition.parent_invocation_id, kind: "call" } };
  }
  const starters = await reads.trigger.triggerRunsOf("triggered_invocation", [id], STARTERS);
  const runs = await reads.trigger.triggerRunsByIds(starters.map((link) => link.trigger_run_id));
  const named = definition?.parent_event_id ?? null;
  const eventIds = [...new Set([...(named === null ? [] : [named]), ...runs.flatMap(eventsOf)])];
  const events = new Map((await reads.trigger.eventsByIds(eventIds, 0)).map((event) => [event.event_id, event]));
  const emitted = eventIds.find((eventId) => events.get(eventId)?.emitted_by_invocation_id != null);
  const eventId = emitted ?? eventIds[0] ?? null;
  const event: EventRecord | undefined = events.get(eventId ?? "");
  const emitter = event?.emitted_by_invocation_id ?? null;
  return {
    cause: emitter !== null ? { id: emitter, kind: "event" } : watchedSource(runs),
    event_id: eventId,
    event_code: event?.event_code ?? null,
    trigger_run_id: runs[0]?.trigger_run_id ?? null,
  };
}

function watchedSource(runs: readonly TriggerRunRecord[]): Relative | null {
  for (const run of runs) {
    const [source] = sourcesOf(run);
    if (source !== undefined) return { id: source, kind: kindsOfSource(run, source)[0] ?? "source" };
  }
  return null;
}
