/** Generated timelines: invocations that move between runners, events, trigger runs, with dangling ends everywhere. */
import fc from "fast-check";
import type { TimelineData } from "../../src/api/timeline.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";

export const START = 1_795_221_280;
export const SPAN = 60;

const WORDS = [...STATUSES.map((status) => status.name), "resumed", "unheard_of"];
const CLASSES = ["ThreadRunner", "ExternalRunner", "PersistentProcessRunner", null];
const KINDS = ["event", "status", "result", "exception", "cron", null] as const;

/** Also before and behind the window. */
const instant = fc.integer({ min: -10_000_000, max: (SPAN + 10) * 1_000_000 }).map((micros) => START + micros / 1e6);
const iso = instant.map(isoFromEpoch);

const invocationId = fc.integer({ min: 0, max: 9 }).map((n) => `i${n}`);
const eventId = fc.integer({ min: 0, max: 5 }).map((n) => `e${n}`);
const runnerId = fc.integer({ min: 0, max: 7 }).map((n) => `r${n}`);

const entries = fc
  .array(fc.record({ at: instant, status: fc.constantFrom(...WORDS), runner_id: fc.option(runnerId, { freq: 8 }) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) => list.sort((a, b) => a.at - b.at).map(({ at, ...rest }) => ({ ...rest, timestamp: isoFromEpoch(at) })));

export const timelines: fc.Arbitrary<TimelineData> = fc.record({
  start: fc.constant(isoFromEpoch(START)),
  end: fc.constant(isoFromEpoch(START + SPAN)),
  now: fc.integer({ min: 1, max: 2 * SPAN }).map((seconds) => isoFromEpoch(START + seconds)),
  invocations: fc.uniqueArray(
    fc.record({
      invocation_id: invocationId,
      task_id_key: fc.option(fc.constantFrom("tasks.add", "shop.orders.ship")),
      parent_invocation_id: fc.option(invocationId),
      parent_event_id: fc.option(eventId),
      workflow_root: fc.boolean(),
      arguments: fc.option(fc.constantFrom("", "n=1")),
      exception: fc.option(fc.constant({ type: "ValueError", message: "no shelf" })),
      entries,
      afterwards: fc.constantFrom("ongoing" as const, "continues" as const),
    }),
    { selector: (one) => one.invocation_id, maxLength: 10 },
  ),
  runners: fc.uniqueArray(
    fc.record({
      runner_id: runnerId,
      runner_cls: fc.constantFrom(...CLASSES),
      hostname: fc.constantFrom("a", "b", null),
      pid: fc.option(fc.integer({ min: 1, max: 9 })),
      thread_id: fc.option(fc.integer({ min: 1, max: 9 })),
      parent_runner_id: fc.option(runnerId),
      busy_seconds: fc.constantFrom(null, 0, 2.5),
      silent_seconds: fc.constantFrom(null, 660),
    }),
    { selector: (one) => one.runner_id, maxLength: 8 },
  ),
  events: fc.uniqueArray(
    fc.record({
      event_id: eventId,
      event_code: fc.constantFrom("order.created", "x", "a rather long code of an event that does not fit"),
      timestamp: iso,
      matched: fc.boolean(),
      triggered: fc.boolean(),
      emitted_by_invocation_id: fc.option(invocationId),
      emitted_by_task_id: fc.option(fc.constantFrom("tasks.add", "shop.orders.ship")),
      emitted_by_runner_context_id: fc.option(runnerId),
    }),
    { selector: (one) => one.event_id, maxLength: 6 },
  ),
  trigger_runs: fc.uniqueArray(
    fc.record({
      trigger_run_id: fc.integer({ min: 0, max: 5 }).map((n) => `t${n}`),
      task_id_key: fc.constant("tasks.on_order"),
      claimed_at: fc.option(iso),
      executed_at: fc.option(iso),
      triggered_invocation_id: fc.option(invocationId),
      atomic_service_run_id: fc.option(fc.constantFrom("s0", "s1")),
      atomic_service_runner_id: fc.option(runnerId),
      causes: fc.array(
        fc.record({
          kind: fc.constantFrom(...KINDS),
          event_id: fc.option(eventId),
          source_invocation_id: fc.option(invocationId),
          timestamp: fc.option(iso),
        }),
        { maxLength: 3 },
      ),
    }),
    { selector: (one) => one.trigger_run_id, maxLength: 6 },
  ),
  atomic_service_runs: fc.array(
    fc
      .record({ runner_id: runnerId, from: instant, length: fc.option(fc.integer({ min: 0, max: 5 })) })
      .map(({ runner_id, from, length }) => ({
        atomic_service_run_id: `s${from}`,
        runner_id,
        start_time: isoFromEpoch(from),
        end_time: length === null ? null : isoFromEpoch(from + length),
        status: length === null ? "running" : "completed",
      })),
    { maxLength: 3 },
  ),
  density: fc.constant(null),
  event_counts: fc.option(
    fc.constant({ from: isoFromEpoch(START), slice_seconds: SPAN / 4, slices: 4, totals: [0, 2, 0, 5], cap: 1_000 }),
  ),
  occupancy: fc.constant(null),
  counts: fc.constant({
    changes: { total: 0, drawn: 0, exact: true },
    invocations: { total: 0, drawn: 0 },
    events: { total: 0, capped: false, drawn: 0 },
    trigger_runs: { total: 0, capped: false, drawn: 0 },
    atomic_service_runs: { total: 0, capped: false, drawn: 0 },
  }),
});
