/** Generated causes and effects in a store that holds nothing else: cycles, dangling ends, several causes. */
import fc from "fast-check";
import type { OpenedApp } from "../../src/services/app/opened-app.ts";
import type { AppReads } from "../../src/stores/ports/store.ts";

export interface World {
  /** Parent of each invocation, if any; may make a cycle. */
  parents: (number | null)[];
  /** Emitter of each event. */
  emitters: (number | null)[];
  runs: { events: number[]; sources: number[]; target: number | null }[];
}

export const inv = (n: number) => `i${n}`;
export const evt = (n: number) => `e${n}`;
export const run = (n: number) => `r${n}`;

export const worlds: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([invocations, events]) => {
    const anInvocation = fc.integer({ min: 0, max: invocations - 1 });
    const anEvent = fc.integer({ min: 0, max: events - 1 });
    return fc.record({
      parents: fc.array(fc.option(anInvocation, { freq: 2 }), { minLength: invocations, maxLength: invocations }),
      emitters: fc.array(fc.option(anInvocation, { freq: 2 }), { minLength: events, maxLength: events }),
      runs: fc.array(
        fc.record({
          events: fc.uniqueArray(anEvent, { maxLength: 2 }),
          sources: fc.uniqueArray(anInvocation, { maxLength: 2 }),
          target: fc.option(anInvocation, { freq: 4 }),
        }),
        { maxLength: 8 },
      ),
    });
  });

/** Whatever the edges lead to, and the start itself. */
export function reachable(start: string, edges: readonly [string, string][]): Set<string> {
  const seen = new Set([start]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [from, to] of edges) {
      if (!seen.has(from) || seen.has(to)) continue;
      seen.add(to);
      grown = true;
    }
  }
  return seen;
}

/** A store that holds the world. Only what causal reads ask for; anything else would be a TypeError and fail the test. */
export function storeOf(world: World): OpenedApp {
  const matching = <T>(ids: readonly string[], rows: readonly T[], key: (row: T) => string) =>
    rows.filter((row) => ids.includes(key(row)));
  const children = world.parents.flatMap((parent, i) =>
    parent === null ? [] : [{ invocation_id: inv(i), parent_id: inv(parent) }],
  );
  const emitted = world.emitters.flatMap((emitter, e) =>
    emitter === null ? [] : [{ event_id: evt(e), emitted_by_invocation_id: inv(emitter) }],
  );
  const links = {
    event: world.runs.flatMap(({ events }, r) => events.map((e) => ({ trigger_run_id: run(r), of: evt(e) }))),
    source_invocation: world.runs.flatMap(({ sources }, r) =>
      sources.map((s) => ({ trigger_run_id: run(r), of: inv(s) })),
    ),
    triggered_invocation: world.runs.flatMap(({ target }, r) =>
      target === null ? [] : [{ trigger_run_id: run(r), of: inv(target) }],
    ),
  };
  const reads = {
    state_backend: {
      childrenOf: async (ids: string[], _limit: number, kind = "invocation") =>
        kind === "event" ? [] : matching(ids, children, (row) => row.parent_id),
      invocationsByIds: async (ids: string[]) =>
        ids.flatMap((id) => {
          const parent = world.parents[Number(id.slice(1))];
          if (parent === undefined) return [];
          return [
            {
              invocation_id: id,
              task_id_key: "t.f",
              call_id_key: "t.f:no_args",
              parent_invocation_id: parent === null ? null : inv(parent),
              parent_event_id: null,
              serialized_arguments: "{}",
            },
          ];
        }),
      historySpanOf: async () => [],
    },
    orchestrator: { statusesByIds: async () => [] },
    trigger: {
      eventsEmittedBy: async (ids: string[]) => matching(ids, emitted, (row) => row.emitted_by_invocation_id),
      eventsByIds: async (ids: string[]) =>
        ids.flatMap((id) => {
          const emitter = world.emitters[Number(id.slice(1))];
          if (emitter === undefined || !id.startsWith("e")) return [];
          const emitted_by_invocation_id = emitter === null ? null : inv(emitter);
          return [
            {
              event_id: id,
              event_code: "c",
              timestamp: 0,
              matched_condition_ids: [],
              valid_condition_ids: [],
              payload: {},
              emitted_by_invocation_id,
              emitted_by_task_id: null,
              emitted_by_runner_context_id: null,
            },
          ];
        }),
      triggeredBy: async (ids: string[]) =>
        matching(
          ids,
          world.runs.flatMap(({ events, target }, r) =>
            target === null
              ? []
              : events.map((e) => ({
                  event_id: evt(e),
                  invocation_id: inv(target),
                  trigger_run_id: run(r),
                  linked_at: r,
                })),
          ),
          (row) => row.event_id,
        ),
      triggerRunsOf: async (kind: keyof typeof links, ids: string[]) => matching(ids, links[kind], (row) => row.of),
      triggerRunsByIds: async (ids: string[]) =>
        ids.flatMap((id) => {
          const record = world.runs[Number(id.slice(1))];
          if (record === undefined || !id.startsWith("r")) return [];
          return [
            {
              trigger_run_id: id,
              trigger_id: "t",
              task_id_key: "t.f",
              logic_value: "or",
              claimed_at: null,
              executed_at: null,
              participants: [],
              triggered_invocation_id: record.target === null ? null : inv(record.target),
              valid_condition_ids: [],
              condition_ids: [],
              event_ids: record.events.map(evt),
              source_invocation_ids: record.sources.map(inv),
              atomic_service_run_id: null,
              atomic_service_runner_id: null,
            },
          ];
        }),
    },
  } as unknown as AppReads;
  return {
    store: { read: (fn: (r: AppReads) => Promise<unknown>) => fn(reads) },
    now: () => 0,
  } as unknown as OpenedApp;
}
